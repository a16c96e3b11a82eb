import { z } from "zod"
import { type Sql, sql } from "./sql.ts"

export const HeadRow = z.object({
  epoch: z.string().min(1),
  seq: z.int().nonnegative(),
  salt: z.string().min(1),
  last: z.int().nonnegative(),
})

export const JournalRow = z.object({
  seq: z.int().positive(),
  id: z.string(),
  at: z.int(),
  name: z.string(),
  version: z.int().positive(),
  body: z.string(),
  crc: z.int().nonnegative(),
})
export type JournalRow = z.infer<typeof JournalRow>

export const MigrationRow = z.object({ number: z.int().positive(), name: z.string() })
export type MigrationRow = z.infer<typeof MigrationRow>

/** One statement for a consistent snapshot of head and last entry. */
export const selectHead = (): Sql => sql`
  SELECT epoch, seq, salt, (SELECT coalesce(max(journal.seq), 0) FROM journal) AS last
  FROM journal_head WHERE id = 1`

export const advanceHead = (by: number): Sql => sql`
  UPDATE journal_head SET seq = seq + ${by} WHERE id = 1 RETURNING epoch, seq, salt, seq AS last`

export const insertHead = (head: { epoch: string; salt: string }): Sql => sql`
  INSERT INTO journal_head (id, epoch, seq, salt) VALUES (1, ${head.epoch}, 0, ${head.salt})`

export const updateEpoch = (epoch: string): Sql => sql`
  UPDATE journal_head SET epoch = ${epoch} WHERE id = 1`

export const insertEntry = (row: JournalRow): Sql => sql`
  INSERT INTO journal (seq, id, at, name, version, body, crc)
  VALUES (${row.seq}, ${row.id}, ${row.at}, ${row.name}, ${row.version}, ${row.body}, ${row.crc})`

type Range = { after: number; upTo: number; limit: number; namePrefix: string }

export const selectEntries = (range: Range): Sql => sql`
  SELECT seq, id, at, name, version, body, crc FROM journal
  WHERE seq > ${range.after} AND seq <= ${range.upTo}${isNamedSo(range.namePrefix)}
  ORDER BY seq LIMIT ${range.limit}`

export const selectNewest = (range: Omit<Range, "after">): Sql => sql`
  SELECT seq, id, at, name, version, body, crc FROM journal
  WHERE seq <= ${range.upTo}${isNamedSo(range.namePrefix)}
  ORDER BY seq DESC LIMIT ${range.limit}`

/** substr, because LIKE ignores case on SQLite only. */
function isNamedSo(prefix: string): Sql {
  return prefix === "" ? sql`` : sql` AND substr(name, 1, ${prefix.length}) = ${prefix}`
}

export const createMigrationsTable = (types: { integer: Sql; text: Sql; strict: Sql }): Sql => sql`
  CREATE TABLE IF NOT EXISTS schema_migrations (
    number ${types.integer} PRIMARY KEY, name ${types.text} NOT NULL, at ${types.integer} NOT NULL
  )${types.strict}`

export const selectMigrations = (): Sql => sql`
  SELECT number, name FROM schema_migrations ORDER BY number`

export const insertMigration = (row: MigrationRow & { at: number }): Sql => sql`
  INSERT INTO schema_migrations (number, name, at) VALUES (${row.number}, ${row.name}, ${row.at})`
