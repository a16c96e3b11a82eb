import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { z } from "zod"
import { silentLog, systemClock, systemRandom } from "#ground/base"
import type { CallingPerson } from "#ground/contract"
import { openStore, type Store, type StoreLocation, sql } from "#ground/store"
import { needs } from "#test/needs"
import { type PostgresCluster, startPostgres } from "#test/postgres"
import { refuseAboveQuota, refuseRole } from "./access.ts"
import {
  PersonNameReserved,
  PersonRevoked,
  PersonRoleDiffers,
  PersonUnknown,
  RoleTooLow,
  RunQuotaReached,
  SpendQuotaReached,
  TokenUnknown,
} from "./errors.ts"
import { createPeople, kindOf, type People } from "./people.ts"

const LOCAL = { person: undefined, via: "cli" } as const

function room(store: Store): People {
  return createPeople({ db: store.forRoom("people"), clock: systemClock, random: systemRandom })
}

async function invited(people: People, name: string, role: CallingPerson["role"] = "operator") {
  const { secret, person } = await people.invite({ name, role, hours: 24 }, LOCAL)
  return { link: secret, person: { id: person.id, name, role } }
}

async function issued(people: People, name: string, days?: number) {
  return people.issue({ name, label: "laptop", scope: "all", days }, LOCAL)
}

function peopleRules(open: () => Promise<Store>): void {
  test("[PEOPLE-2] a token is accepted by its hash, with label, expiry and last use", async () => {
    await using store = await open()
    const people = room(store)
    const { person } = await invited(people, "ada")
    const token = await issued(people, "ada", 90)
    expect(kindOf(token.token)).toBe("token")
    expect(await people.findKey(token.token)).toEqual({
      id: token.id,
      kind: "token",
      scope: "all",
      person,
    })
    expect(await people.findKey(`${token.token.slice(0, -1)}x`)).toBeUndefined()
    expect(await people.findKey("qmp_short")).toBeUndefined()
    const [listed] = await people.tokens({})
    expect(listed).toMatchObject({ id: token.id, person: "ada", label: "laptop", endedAt: null })
    expect((listed?.expiresAt ?? 0) - (listed?.createdAt ?? 0)).toBe(90 * 86_400_000)
    const keys = await store.db.all(Hashes, sql`SELECT hash FROM person_keys`)
    expect(keys.every(({ hash }) => /^[0-9a-f]{64}$/.test(hash))).toBe(true)
    expect(JSON.stringify(keys)).not.toContain(token.token.slice(4))
  })

  test("[PEOPLE-2] an expired token is refused by the clock of the database", async () => {
    await using store = await open()
    const people = room(store)
    await invited(people, "ada")
    const { id, token } = await issued(people, "ada", 1)
    expect(await people.findKey(token)).toBeDefined()
    await store.db.run(sql`UPDATE person_keys SET expires_at = expires_at - ${86_400_000}
      WHERE id = ${id}`)
    expect(await people.findKey(token)).toBeUndefined()
    expect([...(await people.findValid([id]))]).toEqual([])
  })

  test("[PEOPLE-3] of two rooms that spend one link at once, one gets a session", async () => {
    await using store = await open()
    const [one, two] = [room(store), room(store)]
    const { link } = await invited(one, "ada")
    expect(await one.findKey(link)).toBeUndefined()
    const spent = await Promise.all([one.spendLink(link), two.spendLink(link), one.spendLink(link)])
    const sessions = spent.filter((it) => it !== undefined)
    expect(sessions).toHaveLength(1)
    expect(await two.findKey(sessions[0]?.secret ?? "")).toMatchObject({ kind: "session" })
    expect(await two.spendLink(link)).toBeUndefined()
  })

  test("[PEOPLE-3] an expired link, and a link of a revoked person, give no session", async () => {
    await using store = await open()
    const people = room(store)
    const { link } = await invited(people, "ada")
    const other = await invited(people, "ben")
    await people.revoke({ name: "ben" }, LOCAL)
    await store.db.run(sql`UPDATE person_keys SET expires_at = 1 WHERE kind = 'link'`)
    expect(await people.spendLink(link)).toBeUndefined()
    expect(await people.spendLink(other.link)).toBeUndefined()
  })

  test("[PEOPLE-4] revoking a person ends every key; revoking a token ends that one", async () => {
    await using store = await open()
    const people = room(store)
    const { link } = await invited(people, "ada")
    const session = (await people.spendLink(link))?.secret ?? ""
    const [one, two] = [await issued(people, "ada"), await issued(people, "ada")]
    const isValid = async (secret: string) => (await people.findKey(secret)) !== undefined
    await people.withdraw(one.id, LOCAL)
    expect([await isValid(one.token), await isValid(two.token)]).toEqual([false, true])
    expect([...(await people.findValid([one.id, two.id]))]).toEqual([two.id])
    await people.revoke({ name: "ada" }, LOCAL)
    expect([await isValid(two.token), await isValid(session)]).toEqual([false, false])
    await expect(issued(people, "ada")).rejects.toSatisfy(PersonRevoked.is)
    await expect(invited(people, "ada")).rejects.toSatisfy(PersonRevoked.is)
  })

  test("[PEOPLE-4] signing out ends one session, everywhere all sessions and no token", async () => {
    await using store = await open()
    const people = room(store)
    const links = [(await invited(people, "ada")).link, (await invited(people, "ada")).link]
    const unused = (await invited(people, "ada")).link
    const [one = "", two = ""] = await Promise.all(
      links.map(async (it) => (await people.spendLink(it))?.secret ?? ""),
    )
    const { token } = await issued(people, "ada")
    const key = await people.findKey(one)
    if (key === undefined) throw new Error("the session is valid")
    await people.signOut(key, { everywhere: false })
    expect([await people.findKey(one), (await people.findKey(two))?.kind]).toEqual([
      undefined,
      "session",
    ])
    await people.signOut(key, { everywhere: true })
    expect([await people.findKey(two), await people.spendLink(unused)]).toEqual([
      undefined,
      undefined,
    ])
    expect((await people.findKey(token))?.kind).toBe("token")
  })

  test("[PEOPLE-5] a person who is not an owner sees and ends only their own tokens", async () => {
    await using store = await open()
    const people = room(store)
    const { person: ada } = await invited(people, "ada", "viewer")
    await invited(people, "ben")
    const [own, others] = [await issued(people, "ada"), await issued(people, "ben")]
    const onlyId = ada.id
    expect((await people.tokens({ onlyId })).map((it) => it.id)).toEqual([own.id])
    await expect(people.tokens({ name: "ben", onlyId })).rejects.toSatisfy(PersonUnknown.is)
    const by = { person: ada, via: "http" }
    await expect(people.withdraw(others.id, by)).rejects.toSatisfy(TokenUnknown.is)
    expect((await people.withdraw(own.id, by)).endedAt).not.toBeNull()
    expect((await people.list(ada.id)).map((it) => it.name)).toEqual(["ada"])
  })

  test("a role changes at once, and an invitation does not change it", async () => {
    await using store = await open()
    const people = room(store)
    await invited(people, "ada", "viewer")
    const { token } = await issued(people, "ada")
    await people.setRole({ name: "ada", role: "owner" }, LOCAL)
    expect((await people.findKey(token))?.person.role).toBe("owner")
    await expect(invited(people, "ada", "viewer")).rejects.toSatisfy(PersonRoleDiffers.is)
    await expect(invited(people, "the user")).rejects.toThrow(PersonNameReserved({ name: "the user" }))
  })

  test("[PEOPLE-6] each change is one entry of a chain that is whole", async () => {
    await using store = await open()
    const people = room(store)
    const { link, person } = await invited(people, "ada")
    await people.spendLink(link)
    await people.record({
      person,
      via: "http",
      operation: "agents.start",
      ids: ["run_1"],
      outcome: "denied",
      code: "PEOPLE_ROLE_TOO_LOW",
    })
    const { entries, head } = await people.log({ operation: "", limit: 50 })
    expect(entries.map((it) => [it.seq, it.person, it.operation, it.outcome])).toEqual([
      [1, "owner", "people.invite", "done"],
      [2, "ada", "people.sign-in", "done"],
      [3, "ada", "agents.start", "denied"],
    ])
    expect(head).toEqual({ seq: 3, hash: entries[2]?.hash })
    expect(JSON.stringify(entries)).not.toContain(link)
    const found = await people.log({ operation: "agents.", person: "ada", limit: 50 })
    expect(found.entries.map((it) => it.seq)).toEqual([3])
    expect(await people.findDamage()).toBeUndefined()
  })

  test("[PEOPLE-6][TB8] a changed, removed or swapped entry is found, and the table refuses it", async () => {
    await using store = await open()
    const people = room(store)
    for (const name of ["ada", "ben", "cyd", "dan"]) await invited(people, name)
    const change = sql`UPDATE audit_log SET person = 'eve' WHERE seq = 2`
    await expect(store.db.run(change)).rejects.toThrow()
    await expect(store.db.run(sql`DELETE FROM audit_log WHERE seq = 2`)).rejects.toThrow()
    for (const statement of dropTriggers(store.db.dialect)) await store.db.run(statement)
    expect(await people.findDamage()).toBeUndefined()
    await store.db.run(change)
    expect(await people.findDamage()).toBe("entry 2 of the audit log was changed")
    await store.db.run(sql`DELETE FROM audit_log WHERE seq = 2`)
    expect(await people.findDamage()).toBe("entry 2 of the audit log is missing")
    await store.db.run(sql`DELETE FROM audit_log WHERE seq > 1`)
    expect(await people.findDamage()).toBe("the audit log ends at 1, but its head is 4")
    await store.db.run(sql`UPDATE audit_head SET seq = 1`)
    expect(await people.findDamage()).toBe("entry 1 of the audit log is not its recorded end")
  })

  test("[PEOPLE-8] runs at once and the cost of a day are limited per person", async () => {
    await using store = await open()
    const { person: ada } = await invited(room(store), "ada")
    const { person: ben } = await invited(room(store), "ben")
    const db = async () => store.db
    const start = { name: "agents.start", effect: "write", quota: "run" } as const
    const free = { runsAtOnce: 0, spendPerDayUsd: 0 }
    await addRun(store, { id: "r1", by: "ada", status: "running", usd: 3 })
    await addRun(store, { id: "r2", by: "ada", status: "completed", usd: 2 })
    await addRun(store, { id: "r3", by: "ada", status: "completed", usd: 50, ageDays: 1 })
    await refuseAboveQuota(start, ada, { quotas: free, db })
    const one = { ...free, runsAtOnce: 1 }
    await expect(refuseAboveQuota(start, ada, { quotas: one, db })).rejects.toThrow(
      RunQuotaReached({ name: "ada", working: 1, most: 1 }),
    )
    await refuseAboveQuota(start, ben, { quotas: one, db })
    const send = { name: "agents.send", effect: "write", quota: "turn" } as const
    await refuseAboveQuota(send, ada, { quotas: one, db })
    await expect(
      refuseAboveQuota(send, ada, { quotas: { ...free, spendPerDayUsd: 5 }, db }),
    ).rejects.toThrow(SpendQuotaReached({ name: "ada", usd: 5, most: 5 }))
    await refuseAboveQuota(send, ada, { quotas: { ...free, spendPerDayUsd: 6 }, db })
  })
}

const Hashes = z.object({ hash: z.string() })

function dropTriggers(dialect: "postgres" | "sqlite") {
  return dialect === "sqlite"
    ? [sql`DROP TRIGGER audit_log_no_update`, sql`DROP TRIGGER audit_log_no_delete`]
    : [sql`DROP TRIGGER audit_log_no_change ON audit_log`]
}

type TestRun = { id: string; by: string; status: string; usd: number; ageDays?: number }

async function addRun(store: Store, { id, by, status, usd, ageDays = 0 }: TestRun): Promise<void> {
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
  const cost = JSON.stringify({ usage, reportedUsd: usd, computedUsd: null })
  const at = Date.now() - ageDays * 86_400_000
  await store.db.run(sql`INSERT INTO runs (id, type, title, is_title_own, prompt, status, cwd, mode,
      created_at, updated_at, last_seq, turns, cost, labels, workflow, is_archived, configuration,
      fence, lease_until, started_by)
    VALUES (${id}, 'codex', '', 0, '', ${status}, '/', 'ask', ${at}, ${at}, 0, 0, ${cost}, '[]', '',
      0, '{}', 0, 0, ${by})`)
}

describe("SQLite", () => {
  const location: StoreLocation = { kind: "memory" }
  peopleRules(() => openOn(location))
})

describe.runIf(needs("TB8", "postgres"))("Postgres", () => {
  let cluster: PostgresCluster
  beforeAll(async () => {
    cluster = await startPostgres()
  })
  afterAll(() => cluster?.[Symbol.asyncDispose]())
  peopleRules(async () => openOn({ kind: "postgres", url: await cluster.createDatabase() }))
})

function openOn(location: StoreLocation): Promise<Store> {
  return openStore({ location, clock: systemClock, random: systemRandom, log: silentLog })
}

describe("roles", () => {
  const person = (role: CallingPerson["role"]) => ({ id: "per_1", name: "ada", role })
  const read = { name: "x.read", effect: "read" } as const
  const write = { name: "x.write", effect: "write" } as const
  const own = { name: "x.own", effect: "read", role: "owner" } as const
  const field = { name: "x.field", effect: "write", ownerFields: { always: [true] } } as const

  test("[PEOPLE-1] the role follows from the effect unless the descriptor names one", () => {
    const may = (operation: Parameters<typeof refuseRole>[0], input: unknown = {}) =>
      (["viewer", "operator", "owner"] as const).filter((role) => {
        try {
          refuseRole(operation, input, person(role))
          return true
        } catch (error) {
          if (RoleTooLow.is(error)) return false
          throw error
        }
      })
    expect(may(read)).toEqual(["viewer", "operator", "owner"])
    expect(may(write)).toEqual(["operator", "owner"])
    expect(may(own)).toEqual(["owner"])
    expect(may(field, { always: false })).toEqual(["operator", "owner"])
    expect(may(field, { always: true })).toEqual(["owner"])
  })
})
