import { createHash } from "node:crypto"
import { type Clock, createIds, type Random } from "#ground/base"
import type {
  AuditLog,
  CallingPerson,
  Invitation,
  IssuedToken,
  ParsedInput,
  Person,
  PersonToken,
  TokenScope,
} from "#ground/contract"
import type { Db, Tx } from "#ground/store"
import {
  type AuditRecord,
  appendAudit,
  findAuditDamage,
  MACHINE_OWNER,
  readAudit,
} from "./audit.ts"
import {
  PersonNameReserved,
  PersonRevoked,
  PersonRoleDiffers,
  PersonUnknown,
  TokenUnknown,
} from "./errors.ts"
import {
  ExpiryRow,
  endKey,
  endKeysOf,
  insertKey,
  insertPerson,
  KeyIdRow,
  type KeyKind,
  noteUse,
  PersonRow,
  revokePerson,
  SpentLinkRow,
  selectExpiry,
  selectPeople,
  selectPerson,
  selectPersonById,
  selectToken,
  selectTokens,
  selectUsedKey,
  selectValidKeys,
  spendLink,
  TokenRow,
  UsedKeyRow,
  updateRole,
} from "./queries.ts"

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** A browser stays signed in this long. */
export const PERSON_SESSION_DAYS = 30

/** A write for each request would make every read a write. */
const NOTE_USE_AFTER_MS = 60_000

/** Keys of open connections are checked in lists of this length. */
const MOST_KEYS_CHECKED = 500

/** Names that approvals, moves and the audit log use for something that is not a person. */
const RESERVED: ReadonlySet<string> = new Set(
  "owner,you,user,the user,agent,auto,the timeout,the run ended,asked again,editor,unnamed".split(
    ",",
  ),
)

/** A verified key: who sends the request, and which key ends it. */
export type PersonKey = {
  readonly id: string
  readonly kind: KeyKind
  readonly scope: TokenScope
  readonly person: CallingPerson
}

type PeopleDeps = {
  readonly db: Db<"people">
  readonly clock: Clock
  readonly random: Random
}

/** The author of a change; without a person it is the machine's own user. */
export type ChangedBy = {
  readonly person: CallingPerson | undefined
  readonly via: string
}

export type People = ReturnType<typeof createPeople>

/**
 * People, their keys and the audit log of a store. Every decision about a key is made by the
 * database and its clock, so that all servers of the store agree.
 */
export function createPeople(deps: PeopleDeps) {
  const { db } = deps
  const { dialect } = db

  async function requirePerson(from: Pick<Tx, "get">, name: string): Promise<Person> {
    const person = await from.get(PersonRow, selectPerson(dialect, name))
    if (person === undefined) throw PersonUnknown({ name })
    if (person.revokedAt !== null) throw PersonRevoked({ name })
    return person
  }

  /** The change, its audit entry and its event commit together. */
  async function change<Result>(
    record: Omit<AuditRecord, "ids" | "outcome">,
    work: (tx: Tx<"people">) => Promise<{ id: string; ids: readonly string[]; result: Result }>,
  ): Promise<Result> {
    return db.transaction(async (tx) => {
      const { id, ids, result } = await work(tx)
      await appendAudit(tx, { ...record, ids, outcome: "done" })
      tx.emit("people.changed", { id })
      return result
    })
  }

  return {
    async list(onlyId?: string): Promise<readonly Person[]> {
      const rows = await db.all(
        PersonRow,
        onlyId === undefined ? selectPeople(dialect) : selectPersonById(dialect, onlyId),
      )
      return rows
    },

    invite({ name, role, hours }: ParsedInput<"people.invite">, by: ChangedBy) {
      if (RESERVED.has(name.toLowerCase())) throw PersonNameReserved({ name })
      const { secret, hash } = newSecret("link", deps.random)
      const [personId, keyId] = [newId("per", deps), newId("key", deps)]
      return change<Omit<Invitation, "link"> & { secret: string }>(
        { ...by, operation: "people.invite" },
        async (tx) => {
          const earlier = await tx.get(PersonRow, selectPerson(dialect, name))
          if ((earlier?.revokedAt ?? null) !== null) throw PersonRevoked({ name })
          if (earlier !== undefined && role !== undefined && role !== earlier.role)
            throw PersonRoleDiffers({ name, role: earlier.role })
          const id = earlier?.id ?? personId
          if (earlier === undefined) {
            const row = { id, name, role: role ?? "viewer", by: nameOf(by) } as const
            await tx.run(insertPerson(dialect, row))
          }
          const key = { id: keyId, personId: id, kind: "link", hash, label: "" } as const
          await tx.run(insertKey(dialect, { ...key, scope: "all", lifeMs: hours * HOUR_MS }))
          const person = await requirePerson(tx, name)
          const { expiresAt } = (await tx.get(ExpiryRow, selectExpiry(keyId))) ?? { expiresAt: 0 }
          return { id, ids: [id, keyId], result: { person, expiresAt, secret } }
        },
      )
    },

    setRole({ name, role }: ParsedInput<"people.role">, by: ChangedBy): Promise<Person> {
      return change({ ...by, operation: "people.role" }, async (tx) => {
        const { id } = await requirePerson(tx, name)
        await tx.run(updateRole(id, role))
        return { id, ids: [id], result: await requirePerson(tx, name) }
      })
    },

    revoke({ name }: ParsedInput<"people.revoke">, by: ChangedBy): Promise<Person> {
      return change({ ...by, operation: "people.revoke" }, async (tx) => {
        const { id } = await requirePerson(tx, name)
        await tx.run(revokePerson(dialect, id))
        await tx.run(endKeysOf(dialect, id, ["link", "session", "token"]))
        const person = await tx.get(PersonRow, selectPerson(dialect, name))
        if (person === undefined) throw PersonUnknown({ name })
        return { id, ids: [id], result: person }
      })
    },

    issue(input: ParsedInput<"people.issue">, by: ChangedBy): Promise<IssuedToken> {
      const { name, label, days, scope } = input
      const { secret, hash } = newSecret("token", deps.random)
      const keyId = newId("key", deps)
      return change({ ...by, operation: "people.issue" }, async (tx) => {
        const { id } = await requirePerson(tx, name)
        const lifeMs = days === undefined ? null : days * DAY_MS
        const key = { id: keyId, personId: id, kind: "token", hash, label, scope, lifeMs } as const
        await tx.run(insertKey(dialect, key))
        const row = await tx.get(TokenRow, selectToken(keyId))
        if (row === undefined) throw TokenUnknown({ id: keyId })
        return { id, ids: [id, keyId], result: { ...withoutPersonId(row), token: secret } }
      })
    },

    async tokens(filter: { readonly name?: string | undefined; readonly onlyId?: string }) {
      const named = filter.name === undefined ? undefined : await findId(filter.name)
      const isOthers = filter.onlyId !== undefined && (named ?? filter.onlyId) !== filter.onlyId
      if (isOthers) throw PersonUnknown({ name: filter.name ?? "" })
      const rows = await db.all(TokenRow, selectTokens(filter.onlyId ?? named))
      return rows.map(withoutPersonId)
    },

    withdraw(id: string, by: ChangedBy): Promise<PersonToken> {
      return change({ ...by, operation: "people.withdraw" }, async (tx) => {
        const row = await tx.get(TokenRow, selectToken(id))
        const { person: caller } = by
        const isOwn = caller === undefined || caller.role === "owner"
        if (row === undefined || !(isOwn || row.personId === caller.id)) throw TokenUnknown({ id })
        await tx.run(endKey(dialect, id))
        const ended = await tx.get(TokenRow, selectToken(id))
        return { id: row.personId, ids: [row.personId, id], result: withoutPersonId(ended ?? row) }
      })
    },

    /** The one server and request that spends a link gets a session; all others get undefined. */
    async spendLink(link: string): Promise<{ readonly secret: string } | undefined> {
      const { secret, hash } = newSecret("session", deps.random)
      const id = newId("key", deps)
      return db.transaction(async (tx) => {
        const spent = await tx.get(SpentLinkRow, spendLink(dialect, hashOf(link)))
        if (spent === undefined) return undefined
        const person = await tx.get(PersonRow, selectPersonById(dialect, spent.person_id))
        if (person === undefined || person.revokedAt !== null) return undefined
        const lifeMs = PERSON_SESSION_DAYS * DAY_MS
        const key = { id, personId: person.id, kind: "session", hash, label: "browser" } as const
        await tx.run(insertKey(dialect, { ...key, scope: "all", lifeMs }))
        const record = { person, via: "http", operation: "people.sign-in", ids: [person.id, id] }
        await appendAudit(tx, { ...record, outcome: "done" })
        tx.emit("people.changed", { id: person.id })
        return { secret }
      })
    },

    /** The person of a token or session; undefined if it ended, expired or was never issued. */
    async findKey(secret: string): Promise<PersonKey | undefined> {
      const kind = kindOf(secret)
      if (kind === undefined || kind === "link") return undefined
      const question = { kind, hash: hashOf(secret), noteAfterMs: NOTE_USE_AFTER_MS }
      const row = await db.get(UsedKeyRow, selectUsedKey(dialect, question))
      if (row === undefined) return undefined
      // Not awaited, and not an error: a store that refuses writes can still be read.
      if (row.isStale) void db.run(noteUse(dialect, row.id)).catch(() => {})
      const { id, personId, name, role, scope } = row
      return { id, kind, scope, person: { id: personId, name, role } }
    },

    /** Of these keys, the ids that `findKey` would still accept. */
    async findValid(ids: readonly string[]): Promise<ReadonlySet<string>> {
      const valid = new Set<string>()
      for (let from = 0; from < ids.length; from += MOST_KEYS_CHECKED) {
        const some = ids.slice(from, from + MOST_KEYS_CHECKED)
        for (const { id } of await db.all(KeyIdRow, selectValidKeys(dialect, some))) valid.add(id)
      }
      return valid
    },

    /** Ends one session, or with `everywhere` all sessions and unused links of the person. */
    signOut({ id, person }: PersonKey, how: { readonly everywhere: boolean }): Promise<void> {
      const operation = how.everywhere ? "people.sign-out-everywhere" : "people.sign-out"
      return change({ person, via: "http", operation }, async (tx) => {
        await tx.run(
          how.everywhere ? endKeysOf(dialect, person.id, ["link", "session"]) : endKey(dialect, id),
        )
        return { id: person.id, ids: [person.id, id], result: undefined }
      })
    },

    record: (entry: AuditRecord): Promise<void> => db.transaction((tx) => appendAudit(tx, entry)),
    async log(filter: ParsedInput<"people.log">): Promise<AuditLog> {
      const { person } = filter
      const isPerson = person !== undefined && !RESERVED.has(person.toLowerCase())
      if (isPerson) await findId(person)
      return readAudit(db, filter)
    },
    findDamage: (signal?: AbortSignal) => findAuditDamage(db, signal),
  }

  async function findId(name: string): Promise<string> {
    const person = await db.get(PersonRow, selectPerson(dialect, name))
    if (person === undefined) throw PersonUnknown({ name })
    return person.id
  }
}

function nameOf({ person }: ChangedBy): string {
  return person?.name ?? MACHINE_OWNER
}

function newId(prefix: "key" | "per", deps: PeopleDeps): string {
  return createIds(deps).next(prefix)
}

/** `kindOf` reads the kind from the prefix without a query, and secret scanners recognise it. */
const PREFIXES = { link: "qml_", session: "qms_", token: "qmp_" } as const
const SECRET_FORM = /^qm[lsp]_[A-Za-z0-9_-]{43}$/

/** 256 random bits, so the hash needs no salt. */
function newSecret(kind: KeyKind, random: Random): { secret: string; hash: string } {
  const secret = `${PREFIXES[kind]}${Buffer.from(random.bytes(32)).toString("base64url")}`
  return { secret, hash: hashOf(secret) }
}

function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex")
}

/** Undefined for a text that is no secret of a person. */
export function kindOf(secret: string): KeyKind | undefined {
  if (!SECRET_FORM.test(secret)) return undefined
  const kinds = ["link", "session", "token"] as const
  return kinds.find((it) => secret.startsWith(PREFIXES[it]))
}

function withoutPersonId(row: PersonToken & { personId: string }): PersonToken {
  const { personId: _personId, ...token } = row
  return token
}
