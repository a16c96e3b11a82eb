import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { silentLog, systemClock, systemRandom } from "#ground/base"
import { openStore, type Store, type StoreLocation, sql } from "#ground/store"
import { failAtEveryCall } from "#test/faulty-db"
import { needs } from "#test/needs"
import { type PostgresCluster, startPostgres } from "#test/postgres"
import { begun, completed, output, paused, started } from "../../events/events.fixture.ts"
import { memoryEventStore } from "./event-store.fixture.ts"
import { createEventStore, type EventStore, stateOf } from "./event-store.ts"

const OWNER = { pid: 1, startedAt: "x", machine: "here", instance: "1" }
const open = (location: StoreLocation) =>
  openStore({ location, clock: systemClock, random: systemRandom, log: silentLog })
const storeOf = (store: Store) =>
  createEventStore({ db: store.forRoom("pipeline"), clock: systemClock, owner: OWNER })

function eventStoreConformance(name: string, make: () => Promise<EventStore>): void {
  test(`${name}: events are numbered, stored and returned`, async () => {
    const eventStore = await make()
    const { claim, state } = await eventStore.create([started()])
    const written = await eventStore.append(claim, state, [begun(0), output(0), paused(0)])
    expect(written).toMatchObject({ kind: "written", state: { lastSeq: 4 } })
    const events = await eventStore.events(claim.id)
    expect(events.map((it) => [it.seq, it.body.type])).toEqual([
      [1, "run_started"],
      [2, "stage_started"],
      [3, "stage_output"],
      [4, "pause_requested"],
    ])
    expect(written.kind === "written" && stateOf(claim.id, events)).toEqual(
      written.kind === "written" && written.state,
    )
    expect(await eventStore.find(claim.id)).toMatchObject({
      status: "paused",
      lastSeq: 4,
      line: { status: "paused" },
    })
    expect(await eventStore.find("p-99")).toBeUndefined()
  })

  test(`[PIPE-16] ${name}: only the last claimant can append, and only after the last event`, async () => {
    const eventStore = await make()
    const { claim, state } = await eventStore.create([started()])
    const row = await eventStore.find(claim.id)
    if (row === undefined) throw new Error("no row")
    const [one, two] = await Promise.all([eventStore.claim(row), eventStore.claim(row)])
    expect([one, two].filter((it) => it !== undefined)).toHaveLength(1)
    const later = one ?? two
    expect(await eventStore.append(claim, state, [begun(0)])).toEqual({ kind: "lost" })
    if (later === undefined) throw new Error("no claim")
    expect(await eventStore.append(later, state, [begun(0)])).toMatchObject({ kind: "written" })
    expect(await eventStore.append(later, state, [begun(0)])).toEqual({ kind: "lost" })
    expect(await eventStore.events(claim.id)).toHaveLength(2)
    expect(await eventStore.renew(claim)).toBe("lost")
    expect(await eventStore.renew(later)).toBe("kept")
  })

  test(`[PIPE-15] ${name}: the lease holder sees a stop request on renewal, until another process claims the run`, async () => {
    const eventStore = await make()
    const { claim } = await eventStore.create([started()])
    const row = await eventStore.find(claim.id)
    if (row === undefined) throw new Error("no row")
    await eventStore.wantStop(row)
    expect(await eventStore.renew(claim)).toBe("stop-wanted")
    expect(await eventStore.find(claim.id)).toMatchObject({ isStopWanted: true })
    const next = await eventStore.claim(row)
    expect(next && (await eventStore.renew(next))).toBe("kept")
  })

  test(`[PIPE-17] ${name}: a released run has no holder and is still open`, async () => {
    const eventStore = await make()
    const { claim, state } = await eventStore.create([started()])
    expect(await eventStore.find(claim.id)).toMatchObject({ owner: OWNER })
    await eventStore.release(claim)
    expect(await eventStore.find(claim.id)).toMatchObject({ owner: null, status: "running" })
    expect(await eventStore.append(claim, state, [begun(0)])).toEqual({ kind: "lost" })
    expect((await eventStore.running()).map((it) => it.id)).toContain(claim.id)
    await eventStore.release(claim)
    const row = await eventStore.find(claim.id)
    const mine = row && (await eventStore.claim(row))
    if (mine !== undefined) await eventStore.append(mine, state, [completed()])
    expect((await eventStore.running()).map((it) => it.id)).not.toContain(claim.id)
    expect(await eventStore.list({ limit: 10 })).toMatchObject([
      { id: claim.id, status: "completed" },
    ])
  })

  test(`[PIPE-4] ${name}: an abandoned run is no longer open, and only its holder can abandon it`, async () => {
    const eventStore = await make()
    const { claim } = await eventStore.create([started()])
    const row = await eventStore.find(claim.id)
    if (row === undefined) throw new Error("no row")
    const line = { ...row.line, status: "failed", reason: "damaged", endedAt: 5 } as const
    await eventStore.writeOff({ ...claim, fence: claim.fence + 1 }, line)
    expect((await eventStore.running()).map((it) => it.id)).toContain(claim.id)
    await eventStore.writeOff(claim, line)
    expect(await eventStore.running()).toEqual([])
    expect(await eventStore.find(claim.id)).toMatchObject({ status: "failed", line })
  })
}

eventStoreConformance("in memory", async () => {
  const now = () => 1_000
  return memoryEventStore({
    storedRuns: new Map(),
    owner: OWNER,
    now,
    hop: async () => {},
    grown() {},
  })
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
  eventStoreConformance("SQLite", async () => storeOf(await opened()))

  test("[PIPE-4] an edited row, or one missing in between, damages the run, and the error names the event", async () => {
    const store = await opened()
    const eventStore = storeOf(store)
    const { claim, state } = await eventStore.create([started()])
    await eventStore.append(claim, state, [begun(0), output(0), paused(0)])
    const where = sql`run = ${claim.id} AND seq = ${3}`
    await store.db.run(
      sql`UPDATE pipeline_events SET body = ${'{"type":"resumed","by":"x"}'} WHERE ${where}`,
    )
    await expect(eventStore.events(claim.id)).rejects.toMatchObject({
      code: "PIPELINE_STATE_DAMAGED",
      data: { id: "p-1", seq: 3, problem: "was edited" },
    })
    await store.db.run(sql`DELETE FROM pipeline_events WHERE ${where}`)
    await expect(eventStore.events(claim.id)).rejects.toMatchObject({
      data: { seq: 3, problem: "is missing" },
    })
  })

  test("[PIPE-4] a lost tail is an earlier state, from which the run continues", async () => {
    const store = await opened()
    const eventStore = storeOf(store)
    const { claim, state } = await eventStore.create([started()])
    await eventStore.append(claim, state, [begun(0), output(0), paused(0)])
    await store.db.run(sql`DELETE FROM pipeline_events WHERE run = ${claim.id} AND seq > ${2}`)
    const row = await eventStore.find(claim.id)
    const mine = row && (await eventStore.claim(row))
    const earlier = stateOf(claim.id, await eventStore.events(claim.id))
    expect(earlier).toMatchObject({ lastSeq: 2, pause: undefined, cursor: 0 })
    if (mine === undefined) throw new Error("not claimed")
    expect(await eventStore.append(mine, earlier, [output(0)])).toMatchObject({ kind: "written" })
    expect(await eventStore.events(claim.id)).toHaveLength(3)
  })

  test("[PIPE-4] a run without its first event is damaged", () => {
    expect(() => stateOf("p-1", [])).toThrow("event 1 is missing")
  })

  test("a write and its journal entry are stored together or not at all", async () => {
    const store = await opened()
    const { calls } = await failAtEveryCall(store.forRoom("pipeline"), {
      write: async (db) => {
        const eventStore = createEventStore({ db, clock: systemClock, owner: OWNER })
        const { claim, state } = await eventStore.create([started()])
        await eventStore.append(claim, state, [begun(0), paused(0)])
        await eventStore.release(claim)
      },
      afterFailure: async () => {
        for (const { id, lastSeq } of await storeOf(store).list({ limit: 50 })) {
          expect(await storeOf(store).events(id)).toHaveLength(lastSeq)
        }
      },
    })
    expect(calls).toBeGreaterThan(6)
  })

  test("each event is written to the journal in the same transaction", async () => {
    const store = await opened()
    const told: string[] = []
    store.onCommit((entries) => void told.push(...entries.map((it) => it.name)))
    const eventStore = storeOf(store)
    const { claim, state } = await eventStore.create([started()])
    const after = await eventStore.append(claim, state, [begun(0), output(0), paused(0)])
    if (after.kind === "written") await eventStore.append(claim, after.state, [completed()])
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
  eventStoreConformance("Postgres", async () => {
    const store = await open({ kind: "postgres", url: await cluster.createDatabase() })
    stores.push(store)
    return storeOf(store)
  })
})
