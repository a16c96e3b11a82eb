import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { silentLog, systemClock, systemRandom } from "#ground/base"
import { openStore, type Store, type StoreLocation, sql } from "#ground/store"
import { failAtEveryCall } from "#test/faulty-db"
import { needs } from "#test/needs"
import { type PostgresCluster, startPostgres } from "#test/postgres"
import { begun, completed, output, paused, started } from "../events/events.fixture.ts"
import { memoryBook } from "./book.fixture.ts"
import { type Book, createBook, stateOf } from "./book.ts"

const OWNER = { pid: 1, startedAt: "x", machine: "here", instance: "1" }
const open = (location: StoreLocation) =>
  openStore({ location, clock: systemClock, random: systemRandom, log: silentLog })
const bookOf = (store: Store) =>
  createBook({ db: store.forRoom("pipeline"), clock: systemClock, owner: OWNER })

/** What every book must do; the one of the simulation too, or it would prove nothing. */
function bookConformance(name: string, make: () => Promise<Book>): void {
  test(`[PIPE-30] ${name}: events are numbered, kept and given back`, async () => {
    const book = await make()
    const { claim, state } = await book.create([started()])
    const written = await book.append(claim, state, [begun(0), output(0), paused(0)])
    expect(written).toMatchObject({ kind: "written", state: { lastSeq: 4 } })
    const events = await book.events(claim.id)
    expect(events.map((it) => [it.seq, it.body.type])).toEqual([
      [1, "run_started"],
      [2, "stage_started"],
      [3, "stage_output"],
      [4, "pause_requested"],
    ])
    expect(written.kind === "written" && stateOf(claim.id, events)).toEqual(
      written.kind === "written" && written.state,
    )
    expect(await book.find(claim.id)).toMatchObject({
      status: "paused",
      lastSeq: 4,
      line: { status: "paused" },
    })
    expect(await book.find("p-99")).toBeUndefined()
  })

  test(`[PIPE-16] ${name}: only who claimed it last writes, and only after the last event`, async () => {
    const book = await make()
    const { claim, state } = await book.create([started()])
    const row = await book.find(claim.id)
    if (row === undefined) throw new Error("no row")
    const [one, two] = await Promise.all([book.claim(row), book.claim(row)])
    expect([one, two].filter((it) => it !== undefined)).toHaveLength(1)
    const later = one ?? two
    expect(await book.append(claim, state, [begun(0)])).toEqual({ kind: "lost" })
    if (later === undefined) throw new Error("no claim")
    expect(await book.append(later, state, [begun(0)])).toMatchObject({ kind: "written" })
    expect(await book.append(later, state, [begun(0)])).toEqual({ kind: "lost" })
    expect(await book.events(claim.id)).toHaveLength(2)
    expect(await book.renew(claim)).toBe("lost")
    expect(await book.renew(later)).toBe("kept")
  })

  test(`[PIPE-15] ${name}: a stop that is wanted is seen by who renews, until another claims it`, async () => {
    const book = await make()
    const { claim } = await book.create([started()])
    const row = await book.find(claim.id)
    if (row === undefined) throw new Error("no row")
    await book.wantStop(row)
    expect(await book.renew(claim)).toBe("stop-wanted")
    expect(await book.find(claim.id)).toMatchObject({ isStopWanted: true })
    const next = await book.claim(row)
    expect(next && (await book.renew(next))).toBe("kept")
  })

  test(`[PIPE-17] ${name}: what was given back is nobody's, and still to be done`, async () => {
    const book = await make()
    const { claim, state } = await book.create([started()])
    expect(await book.find(claim.id)).toMatchObject({ owner: OWNER })
    await book.release(claim)
    expect(await book.find(claim.id)).toMatchObject({ owner: null, status: "running" })
    expect(await book.append(claim, state, [begun(0)])).toEqual({ kind: "lost" })
    expect((await book.running()).map((it) => it.id)).toContain(claim.id)
    await book.release(claim)
    const row = await book.find(claim.id)
    const mine = row && (await book.claim(row))
    if (mine !== undefined) await book.append(mine, state, [completed()])
    expect((await book.running()).map((it) => it.id)).not.toContain(claim.id)
    expect(await book.list({ limit: 10 })).toMatchObject([{ id: claim.id, status: "completed" }])
  })

  test(`[PIPE-4] ${name}: what was given up is no more to be done, and only its owner gives it up`, async () => {
    const book = await make()
    const { claim } = await book.create([started()])
    const row = await book.find(claim.id)
    if (row === undefined) throw new Error("no row")
    const line = { ...row.line, status: "failed", reason: "damaged", endedAt: 5 } as const
    await book.writeOff({ ...claim, fence: claim.fence + 1 }, line)
    expect((await book.running()).map((it) => it.id)).toContain(claim.id)
    await book.writeOff(claim, line)
    expect(await book.running()).toEqual([])
    expect(await book.find(claim.id)).toMatchObject({ status: "failed", line })
  })
}

bookConformance("in memory", async () => {
  const now = () => 1_000
  return memoryBook({ shelf: new Map(), owner: OWNER, now, hop: async () => {}, grown() {} })
})

describe("SQLite", () => {
  const stores: Store[] = []
  afterAll(async () => {
    for (const it of stores) await it.close()
  })
  const opened = async () => {
    const store = await open({ kind: "memory" })
    stores.push(store)
    return store
  }
  bookConformance("SQLite", async () => bookOf(await opened()))

  test("[PIPE-4] rows that were edited or lost in between damage the run, and it is said where", async () => {
    const store = await opened()
    const book = bookOf(store)
    const { claim, state } = await book.create([started()])
    await book.append(claim, state, [begun(0), output(0), paused(0)])
    const where = sql`run = ${claim.id} AND seq = ${3}`
    await store.db.run(
      sql`UPDATE pipeline_events SET body = ${'{"type":"resumed","by":"x"}'} WHERE ${where}`,
    )
    await expect(book.events(claim.id)).rejects.toMatchObject({
      code: "PIPELINE_STATE_DAMAGED",
      data: { id: "p-1", seq: 3, problem: "is not as it was written" },
    })
    await store.db.run(sql`DELETE FROM pipeline_events WHERE ${where}`)
    await expect(book.events(claim.id)).rejects.toMatchObject({
      data: { seq: 3, problem: "is missing" },
    })
  })

  test("[PIPE-4] a tail that was lost is an earlier state, and the run goes on from there", async () => {
    const store = await opened()
    const book = bookOf(store)
    const { claim, state } = await book.create([started()])
    await book.append(claim, state, [begun(0), output(0), paused(0)])
    await store.db.run(sql`DELETE FROM pipeline_events WHERE run = ${claim.id} AND seq > ${2}`)
    const row = await book.find(claim.id)
    const mine = row && (await book.claim(row))
    const earlier = stateOf(claim.id, await book.events(claim.id))
    expect(earlier).toMatchObject({ lastSeq: 2, pause: undefined, cursor: 0 })
    if (mine === undefined) throw new Error("not claimed")
    expect(await book.append(mine, earlier, [output(0)])).toMatchObject({ kind: "written" })
    expect(await book.events(claim.id)).toHaveLength(3)
  })

  test("[PIPE-4] a run without its beginning is damaged", () => {
    expect(() => stateOf("p-1", [])).toThrow("event 1 is missing")
  })

  test("[PIPE-30] each write and what is told of it stand together, or neither does", async () => {
    const store = await opened()
    const { calls } = await failAtEveryCall(store.forRoom("pipeline"), {
      write: async (db) => {
        const book = createBook({ db, clock: systemClock, owner: OWNER })
        const { claim, state } = await book.create([started()])
        await book.append(claim, state, [begun(0), paused(0)])
        await book.release(claim)
      },
      afterFailure: async () => {
        for (const { id, lastSeq } of await bookOf(store).list({ limit: 50 })) {
          expect(await bookOf(store).events(id)).toHaveLength(lastSeq)
        }
      },
    })
    expect(calls).toBeGreaterThan(6)
  })

  test("[PIPE-30] what happens is told in the journal, in the same write", async () => {
    const store = await opened()
    const told: string[] = []
    store.onCommit((entries) => void told.push(...entries.map((it) => it.name)))
    const book = bookOf(store)
    const { claim, state } = await book.create([started()])
    const after = await book.append(claim, state, [begun(0), output(0), paused(0)])
    if (after.kind === "written") await book.append(claim, after.state, [completed()])
    expect(told).toEqual([
      "pipeline.started",
      "pipeline.advanced",
      "pipeline.asked",
      "pipeline.advanced",
      "pipeline.ended",
    ])
  })
})

describe.runIf(needs("PIPE-30", "postgres"))("Postgres", () => {
  let cluster: PostgresCluster
  const stores: Store[] = []
  beforeAll(async () => {
    cluster = await startPostgres()
  })
  afterAll(async () => {
    for (const it of stores) await it.close()
    await cluster[Symbol.asyncDispose]()
  })
  bookConformance("Postgres", async () => {
    const store = await open({ kind: "postgres", url: await cluster.createDatabase() })
    stores.push(store)
    return bookOf(store)
  })
})
