import { z } from "zod"
import { AuditEntry, Person, PersonToken, Role, TokenScope } from "#ground/contract"
import { join, jsonColumn, type Sql, sql } from "#ground/store"

type Dialect = "sqlite" | "postgres"

/** Milliseconds since 1970 from the database, because servers of one store have different clocks. */
const databaseNow = (dialect: Dialect): Sql =>
  dialect === "sqlite"
    ? sql`CAST(unixepoch('subsec') * 1000 AS INTEGER)`
    : sql`CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)`

export const KeyKind = z.enum(["link", "session", "token"])
export type KeyKind = z.infer<typeof KeyKind>

export const Now = z.object({ now: z.int() })
export const selectNow = (dialect: Dialect): Sql => sql`SELECT ${databaseNow(dialect)} AS now`

const isUsable = (dialect: Dialect): Sql => sql`ended_at IS NULL
  AND (expires_at IS NULL OR expires_at > ${databaseNow(dialect)})`

const PERSON_COLUMNS = (dialect: Dialect): Sql => sql`p.id, p.name, p.role,
  p.created_at AS "createdAt", p.created_by AS "createdBy", p.revoked_at AS "revokedAt",
  (SELECT max(used_at) FROM person_keys k WHERE k.person_id = p.id) AS "usedAt",
  (SELECT count(*) FROM person_keys k WHERE k.person_id = p.id AND k.kind = 'session'
    AND ${isUsable(dialect)}) AS sessions,
  (SELECT count(*) FROM person_keys k WHERE k.person_id = p.id AND k.kind = 'token'
    AND ${isUsable(dialect)}) AS tokens`

export const PersonRow = Person
export const selectPeople = (dialect: Dialect): Sql => sql`
  SELECT ${PERSON_COLUMNS(dialect)} FROM people p ORDER BY p.name`
export const selectPerson = (dialect: Dialect, name: string): Sql => sql`
  SELECT ${PERSON_COLUMNS(dialect)} FROM people p WHERE p.name = ${name}`
export const selectPersonById = (dialect: Dialect, id: string): Sql => sql`
  SELECT ${PERSON_COLUMNS(dialect)} FROM people p WHERE p.id = ${id}`

export const insertPerson = (
  dialect: Dialect,
  person: { id: string; name: string; role: Role; by: string },
): Sql => sql`
  INSERT INTO people (id, name, role, created_at, created_by) VALUES
    (${person.id}, ${person.name}, ${person.role}, ${databaseNow(dialect)}, ${person.by})`

export const updateRole = (id: string, role: Role): Sql => sql`
  UPDATE people SET role = ${role} WHERE id = ${id}`

export const revokePerson = (dialect: Dialect, id: string): Sql => sql`
  UPDATE people SET revoked_at = ${databaseNow(dialect)} WHERE id = ${id}`

export type NewKey = {
  readonly id: string
  readonly personId: string
  readonly kind: KeyKind
  readonly hash: string
  readonly label: string
  readonly scope: z.infer<typeof TokenScope>
  readonly lifeMs: number | null
}

export const insertKey = (dialect: Dialect, key: NewKey): Sql => {
  const now = databaseNow(dialect)
  const until = key.lifeMs === null ? sql`NULL` : sql`${now} + ${key.lifeMs}`
  return sql`INSERT INTO person_keys
    (id, person_id, kind, hash, label, scope, created_at, expires_at) VALUES
    (${key.id}, ${key.personId}, ${key.kind}, ${key.hash}, ${key.label}, ${key.scope}, ${now},
      ${until})`
}

export const ExpiryRow = z.object({ expiresAt: z.int() })
export const selectExpiry = (id: string): Sql => sql`
  SELECT expires_at AS "expiresAt" FROM person_keys WHERE id = ${id}`

/** The row is changed by one transaction only, whichever server runs it. */
export const spendLink = (dialect: Dialect, hash: string): Sql => sql`
  UPDATE person_keys SET ended_at = ${databaseNow(dialect)}, used_at = ${databaseNow(dialect)}
  WHERE hash = ${hash} AND kind = 'link' AND ${isUsable(dialect)} RETURNING person_id`

export const SpentLinkRow = z.object({ person_id: z.string() })

export const UsedKeyRow = z.object({
  id: z.string(),
  personId: z.string(),
  name: z.string(),
  role: Role,
  kind: KeyKind,
  scope: TokenScope,
  isStale: z.int().transform((it) => it === 1),
})
export type UsedKeyRow = z.infer<typeof UsedKeyRow>

/** `isStale`: its last use is older than this and should be noted again. */
export const selectUsedKey = (
  dialect: Dialect,
  { kind, hash, noteAfterMs }: { kind: KeyKind; hash: string; noteAfterMs: number },
): Sql => sql`
  SELECT k.id, k.person_id AS "personId", p.name, p.role, k.kind, k.scope,
    CASE WHEN coalesce(k.used_at, 0) < ${databaseNow(dialect)} - ${noteAfterMs} THEN 1 ELSE 0 END
      AS "isStale"
  FROM person_keys k JOIN people p ON p.id = k.person_id
  WHERE k.hash = ${hash} AND k.kind = ${kind} AND p.revoked_at IS NULL AND ${isUsable(dialect)}`

export const KeyIdRow = z.object({ id: z.string() })
export const selectValidKeys = (dialect: Dialect, ids: readonly string[]): Sql => sql`
  SELECT k.id FROM person_keys k JOIN people p ON p.id = k.person_id
  WHERE k.id IN (${join(ids.map((it) => sql`${it}`))}) AND p.revoked_at IS NULL
    AND ${isUsable(dialect)}`

export const noteUse = (dialect: Dialect, id: string): Sql => sql`
  UPDATE person_keys SET used_at = ${databaseNow(dialect)} WHERE id = ${id}`

export const endKey = (dialect: Dialect, id: string): Sql => sql`
  UPDATE person_keys SET ended_at = ${databaseNow(dialect)} WHERE id = ${id} AND ended_at IS NULL`

export const endKeysOf = (dialect: Dialect, personId: string, kinds: readonly KeyKind[]): Sql =>
  sql`UPDATE person_keys SET ended_at = ${databaseNow(dialect)}
    WHERE person_id = ${personId} AND ended_at IS NULL
      AND kind IN (${join(kinds.map((it) => sql`${it}`))})`

export const TokenRow = PersonToken.extend({ personId: z.string() })
const selectTokensWhere = (condition: Sql): Sql => sql`
  SELECT k.id, p.name AS person, k.person_id AS "personId", k.label, k.scope,
    k.created_at AS "createdAt", k.expires_at AS "expiresAt", k.used_at AS "usedAt",
    k.ended_at AS "endedAt"
  FROM person_keys k JOIN people p ON p.id = k.person_id
  WHERE k.kind = 'token' AND ${condition} ORDER BY k.created_at DESC, k.id DESC LIMIT 1000`
export const selectTokens = (personId: string | undefined): Sql =>
  selectTokensWhere(personId === undefined ? sql`1 = 1` : sql`k.person_id = ${personId}`)
export const selectToken = (id: string): Sql => selectTokensWhere(sql`k.id = ${id}`)

export const AuditHead = z.object({ seq: z.int().nonnegative(), hash: z.string() })
export const selectAuditHead = (): Sql => sql`SELECT seq, hash FROM audit_head WHERE id = 1`
export const updateAuditHead = (head: { seq: number; hash: string }): Sql => sql`
  UPDATE audit_head SET seq = ${head.seq}, hash = ${head.hash} WHERE id = 1`

export const AuditRow = AuditEntry.extend({
  ids: jsonColumn(AuditEntry.shape.ids),
  personId: z.string().nullable(),
})
export type AuditRow = z.infer<typeof AuditRow>

const AUDIT_COLUMNS = sql`seq, at, person_id AS "personId", person, role, via, operation, ids,
  outcome, code, hash`

export const insertAudit = (row: AuditRow): Sql => sql`
  INSERT INTO audit_log (seq, at, person_id, person, role, via, operation, ids, outcome, code, hash)
  VALUES (${row.seq}, ${row.at}, ${row.personId}, ${row.person}, ${row.role}, ${row.via},
    ${row.operation}, ${JSON.stringify(row.ids)}, ${row.outcome}, ${row.code}, ${row.hash})`

export type AuditFilter = {
  readonly person?: string | undefined
  readonly operation: string
  readonly before?: number | undefined
  readonly limit: number
}

export const selectAudit = ({ person, operation, before, limit }: AuditFilter): Sql => {
  const conditions = [
    sql`substr(operation, 1, ${operation.length}) = ${operation}`,
    ...(person === undefined ? [] : [sql`person = ${person}`]),
    ...(before === undefined ? [] : [sql`seq < ${before}`]),
  ]
  return sql`SELECT ${AUDIT_COLUMNS} FROM audit_log WHERE ${join(conditions, sql` AND `)}
    ORDER BY seq DESC LIMIT ${limit}`
}

export const selectAuditAfter = (seq: number, limit: number): Sql => sql`
  SELECT ${AUDIT_COLUMNS} FROM audit_log WHERE seq > ${seq} ORDER BY seq LIMIT ${limit}`

const AT_WORK = sql`'queued', 'starting', 'running', 'waiting'`
export const Working = z.object({ working: z.int() })
export const selectWorking = (name: string): Sql => sql`
  SELECT count(*) AS working FROM runs WHERE started_by = ${name} AND status IN (${AT_WORK})`

export const CostRow = z.object({ cost: z.string() })
const DAY_MS = 86_400_000
export const selectCostsOfDay = (dialect: Dialect, name: string): Sql => sql`
  SELECT cost FROM runs WHERE started_by = ${name} AND type <> 'synthetic'
    AND created_at >= ${databaseNow(dialect)} - (${databaseNow(dialect)} % ${DAY_MS})`
