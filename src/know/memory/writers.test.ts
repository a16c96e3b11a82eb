import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Clock, silentLog, systemClock, systemRandom } from "#ground/base"
import { openStore, type StoreLocation, sql } from "#ground/store"
import { failAtEveryCall } from "#test/faulty-db"
import { AGENT, type MemoryFixture, memoryFixture, note, WANTED } from "#test/memory-room"
import { needs } from "#test/needs"
import { type PostgresCluster, startPostgres } from "#test/postgres"
import { tempDirectory } from "#test/temp"
import { LEASE_MS, LOCK_TRY_MS } from "./limits.ts"
import { takeLock } from "./queries.ts"

const all = { limit: 1_000 }

function writersSuite(locate: () => Promise<StoreLocation>): void {
  test("[MEMORY-18] simultaneous feedback from several instances is all counted", async () => {
    await using it = await memoryFixture(await locate())
    const { memory } = await it.room.record(note())
    const rooms = Array.from({ length: 3 }, () => it.other({ clock: systemClock }))
    const feedbacks = rooms.flatMap((room) =>
      Array.from({ length: 4 }, () => room.feedback({ id: memory.id, verdict: "helpful" })),
    )
    await Promise.all(feedbacks)
    expect((await it.room.show({ id: memory.id })).signals.helpful).toBe(12)
    expect(await it.files()).toHaveLength(1)
  })

  test("[MEMORY-18] the same text recorded simultaneously is stored once", async () => {
    await using it = await memoryFixture(await locate())
    const rooms = Array.from({ length: 4 }, () => it.other({ clock: systemClock }))
    const recorded = await Promise.all(rooms.map((room) => room.record(note())))
    expect(recorded.map((one) => one.outcome).toSorted()).toEqual([
      "duplicate",
      "duplicate",
      "duplicate",
      "recorded",
    ])
    expect(await it.files()).toHaveLength(1)
  })

  test("[MEMORY-18] an abandoned lock is taken after it expires, not before", async () => {
    await using it = await memoryFixture(await locate())
    const db = it.store.forRoom("memory")
    const lease = { root: it.root, owner: "dead", now: it.clock.now(), leaseMs: LEASE_MS }
    await db.run(takeLock(lease))
    const clock = passingClock(lease.now)
    const { outcome } = await it.other({ clock }).record(note())
    expect(outcome).toBe("recorded")
    expect(clock.now()).toBeGreaterThanOrEqual(lease.now + LEASE_MS)
    expect(clock.now()).toBeLessThan(lease.now + LEASE_MS + 2 * LOCK_TRY_MS)
  })

  test("[MEMORY-18] a writer that never gets the lock gets an error", async () => {
    await using it = await memoryFixture(await locate())
    const db = it.store.forRoom("memory")
    const clock = passingClock(it.clock.now(), async (now) => {
      await db.run(sql`DELETE FROM memory_locks`)
      await db.run(takeLock({ root: it.root, owner: "busy", now, leaseMs: LEASE_MS }))
    })
    await clock.sleep(1)
    const refused = it.other({ clock }).record(note())
    await expect(refused).rejects.toMatchObject({ code: "MEMORY_BUSY" })
    expect(await it.files()).toEqual([])
  })

  test("[MEMORY-18] a writer that lost the lock reverts its write", async () => {
    await using it = await memoryFixture(await locate())
    const { memory } = await it.room.record(note())
    const before = await it.read(memory.file)
    const db = it.store.forRoom("memory")
    const room = it.other({
      hashOf: async () => {
        const now = it.clock.now() + 2 * LEASE_MS
        await db.run(takeLock({ root: it.root, owner: "thief", now, leaseMs: LEASE_MS }))
        return "x"
      },
    })
    it.code.set("src/a.ts", "1")
    await it.room.forget({ id: memory.id })
    const cited = await it.room.record(note({ cites: ["src/a.ts"] }), AGENT)
    const text = await it.read(cited.memory.file)
    await expect(room.confirm({ id: cited.memory.id })).rejects.toMatchObject({
      code: "MEMORY_BUSY",
    })
    expect(await it.read(cited.memory.file)).toBe(text)
    expect(before).not.toBe(text)
  })

  test("[MEMORY-19] recording writes file and event, or neither", async () => {
    await using it = await memoryFixture(await locate())
    await failAtEveryCall(await it.deps.db(), {
      write: async (db) => void (await it.other({ db: async () => db }).record(note())),
      afterFailure: async () => {
        expect([await it.files(), await it.events()]).toEqual([[], []])
        await unlock(it)
      },
    })
    expect([(await it.files()).length, await it.events()]).toEqual([1, ["memory.recorded"]])
  })

  test("[MEMORY-19] replacing, feedback, confirming and forgetting write file and event, or neither", async () => {
    await using it = await memoryFixture(await locate())
    const old = await it.room.record(note(), AGENT)
    const id = old.memory.id
    const steps: readonly ((room: MemoryFixture["room"]) => Promise<unknown>)[] = [
      (room) => room.feedback({ id, verdict: "helpful", outcome: "succeeded" }),
      (room) => room.feedback({ id, verdict: "helpful" }, AGENT),
      (room) => room.confirm({ id }),
      (room) => room.record(note({ title: "Next", body: "n", supersedes: id })),
      (room) => room.forget({ id }),
    ]
    for (const step of steps) {
      const before = await state(it)
      await failAtEveryCall(await it.deps.db(), {
        write: async (db) => void (await step(it.other({ db: async () => db }))),
        afterFailure: async () => {
          expect(await state(it)).toEqual(before)
          await unlock(it)
        },
      })
      expect(await state(it)).not.toEqual(before)
    }
    expect(await it.events()).toEqual([
      "memory.recorded",
      "memory.changed",
      "memory.changed",
      "memory.changed",
      "memory.recorded",
      "memory.changed",
      "memory.forgotten",
    ])
    expect((await it.room.list(all)).memories.map((one) => one.title)).toEqual(["Next"])
  })

  test("[MEMORY-14] a memory whose use cannot be counted is not handed out", async () => {
    await using it = await memoryFixture(await locate())
    const { memory } = await it.room.record(note())
    const db = await it.deps.db()
    const room = it.other({
      db: async () => ({ ...db, transaction: async () => Promise.reject(new Error("full")) }),
    })
    expect(await room.inject(WANTED)).toEqual([])
    expect((await it.room.show({ id: memory.id })).uses).toBe(0)
    expect(await it.room.inject(WANTED)).toHaveLength(1)
    expect((await it.room.show({ id: memory.id })).uses).toBe(1)
  })
}

describe("on SQLite", () => {
  writersSuite(async () => ({ kind: "memory" }))

  test("[MEMORY-18] two connections to one file keep all feedback, like two processes", async () => {
    await using folder = await tempDirectory()
    const location = { kind: "sqlite", file: join(folder.path, "store.sqlite") } as const
    await using it = await memoryFixture(location)
    const deps = { location, clock: systemClock, random: systemRandom, log: silentLog }
    await using store = await openStore(deps)
    const { memory } = await it.room.record(note())
    const rooms = [it.store, store].map((one) =>
      it.other({ clock: systemClock, db: async () => one.forRoom("memory") }),
    )
    const feedbacks = rooms.flatMap((room) =>
      Array.from({ length: 5 }, () => room.feedback({ id: memory.id, verdict: "helpful" })),
    )
    await Promise.all(feedbacks)
    expect((await it.room.show({ id: memory.id })).signals.helpful).toBe(10)
  })
})

describe.runIf(needs("MEMORY-18", "postgres"))("on Postgres", () => {
  let cluster: PostgresCluster
  beforeAll(async () => {
    cluster = await startPostgres()
  })
  afterAll(() => cluster[Symbol.asyncDispose]())
  writersSuite(async () => ({ kind: "postgres", url: await cluster.createDatabase() }))
})

async function state(it: MemoryFixture): Promise<unknown> {
  const texts: [string, string][] = []
  for (const file of await it.files()) texts.push([file, await it.read(join(".qm", file))])
  return [texts, await it.events()]
}

/** A write that failed to take or release the lock leaves it to expire. */
async function unlock(it: MemoryFixture): Promise<void> {
  await it.clock.advance(LEASE_MS + 1)
}

function passingClock(start: number, onSleep = async (_now: number): Promise<void> => {}): Clock {
  let now = start
  return {
    now: () => now,
    monotonicMs: () => now,
    async sleep(ms) {
      now += ms
      await onSleep(now)
    },
  }
}
