import { crc32 } from "node:zlib"
import fc from "fast-check"
import { expect, test } from "vitest"
import { z } from "zod"
import { silentLog, systemClock, systemRandom } from "#ground/base"
import { testClock } from "#test/clock"
import { needs } from "#test/needs"
import { startPostgres } from "#test/postgres"
import { fcParameters } from "#test/seed"
import { EventTooLarge } from "./errors.ts"
import { MAX_EVENT_BYTES } from "./journal.ts"
import {
  advanceHead,
  HeadRow,
  insertEntry,
  JournalRow,
  selectHead,
  selectNewest,
} from "./queries.ts"
import { openStore } from "./store.ts"

const DAY_MS = 86_400_000

test("[C5][STORE-8] events are ordered by sequence number, whatever the wall clock does", async () => {
  const jump = fc.constantFrom(-DAY_MS, 365 * DAY_MS, -1, 0, 1, 3_600_000, -3_600_000)
  await fc.assert(
    fc.asyncProperty(fc.array(jump, { minLength: 1, maxLength: 12 }), async (jumps) => {
      const clock = testClock()
      const location = { kind: "memory" } as const
      await using store = await openStore({ location, clock, random: systemRandom, log: silentLog })
      const db = store.forRoom("store")
      for (const [index, by] of jumps.entries()) {
        clock.setWall(clock.now() + by)
        await db.transaction(async (tx) =>
          tx.emit("store.backed-up", { file: "", sizeBytes: index }),
        )
      }
      const page = await store.journal.read({ after: undefined, limit: 100 })
      expect(page.kind).toBe("entries")
      if (page.kind !== "entries") return
      expect(page.entries.map((it) => it.seq)).toEqual(page.entries.map((_, index) => index + 1))
      expect(page.entries.slice(1).map((it) => it.body["sizeBytes"])).toEqual([...jumps.keys()])
      expect(new Set(page.entries.map((it) => it.id)).size).toBe(page.entries.length)
    }),
    fcParameters({ numRuns: 500 }),
  )
})

test.runIf(needs("C5", "postgres"))(
  "[C5][STORE-8] on Postgres events are ordered by sequence number through a long history",
  async () => {
    await using cluster = await startPostgres()
    const location = { kind: "postgres", url: await cluster.createDatabase() } as const
    let wall = 1_000_000_000_000
    const clock = { ...systemClock, now: () => wall }
    await using store = await openStore({ location, clock, random: systemRandom, log: silentLog })
    const db = store.forRoom("store")
    const jumps = Array.from({ length: 200 }, (_, index) => [-DAY_MS, 365 * DAY_MS, -1][index % 3])
    for (const [index, by = 0] of jumps.entries()) {
      wall += by
      await db.transaction(async (tx) => tx.emit("store.backed-up", { file: "", sizeBytes: index }))
    }
    const { entries } = await store.journal.readNewest({ limit: jumps.length })
    expect(entries.map((it) => it.body["sizeBytes"])).toEqual([...jumps.keys()])
    expect(entries.map((it) => it.seq)).toEqual([...jumps.keys()].map((index) => index + 2))
  },
)

test("[STORE-6] an event over the size limit is refused", async () => {
  const location = { kind: "memory" } as const
  const clock = testClock()
  await using store = await openStore({ location, clock, random: systemRandom, log: silentLog })
  const large = store.forRoom("store").transaction(async (tx) => {
    tx.emit("store.backed-up", { file: "x".repeat(MAX_EVENT_BYTES), sizeBytes: 0 })
  })
  await expect(large).rejects.toMatchObject({ code: EventTooLarge.code })
  expect((await store.journal.head()).seq).toBe(1)
})

test("[STORE-16] an event can contain any JSON, including values that a column cannot", async () => {
  const location = { kind: "memory" } as const
  const clock = testClock()
  await using store = await openStore({ location, clock, random: systemRandom, log: silentLog })
  const file = "nul \0, half a pair \ud800, quote ' \" \\"
  await store
    .forRoom("store")
    .transaction(async (tx) => tx.emit("store.backed-up", { file, sizeBytes: 1 }))
  const page = await store.journal.read({ after: undefined, limit: 10 })
  expect(page).toMatchObject({ entries: [{}, { body: { file } }] })
})

test("[STORE-21] a stored event of an earlier version is read in the current version", async () => {
  const location = { kind: "memory" } as const
  const deps = { clock: testClock(), random: systemRandom, log: silentLog }
  await using store = await openStore({ location, ...deps })
  const head = await store.db.get(HeadRow, selectHead())
  const { seq, salt } = z.object({ seq: z.int(), salt: z.string() }).parse(head)
  const row = { seq: seq + 1, id: "ev_1", at: 1, name: "gateway.closed", version: 1 }
  const body = JSON.stringify({ carry: "gw_1", run: null })
  const crc = crc32(JSON.stringify([salt, row.seq, row.id, row.at, row.name, row.version, body]))
  await store.db.transaction(async (tx) => {
    await tx.run(advanceHead(1))
    await tx.run(insertEntry({ ...row, body, crc }))
  })
  const { entries } = await store.journal.readNewest({ limit: 1 })
  expect(entries).toMatchObject([{ version: 2, body: { proxiedSession: "gw_1", run: null } }])
  const [stored] = await store.db.all(
    JournalRow,
    selectNewest({ upTo: row.seq, limit: 1, namePrefix: "" }),
  )
  expect(stored).toEqual({ ...row, body, crc })
})
