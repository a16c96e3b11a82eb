import { QueryClient } from "@tanstack/react-query"
import { describe, expect, it } from "vitest"
import { EVENTS } from "#ground/contract"
import type { JournalEntry, StoreStatus } from "../../contract.ts"
import { keys } from "../keys.ts"
import type { Journal } from "./journal.ts"
import { createLiveCache, LIVE_CACHE, STALE_AT_MOST_EVERY_MS } from "./live-cache.ts"

const entry = (seq: number, name: string, body: Record<string, unknown> = {}): JournalEntry => ({
  epoch: "e1",
  seq,
  id: `ev_${seq}`,
  at: seq * 10,
  name,
  version: 1,
  body,
})

function setUp() {
  const queries = new QueryClient()
  const later: { ms: number; act: () => void }[] = []
  const cache = createLiveCache({
    queries,
    after: (ms, act) => {
      later.push({ ms, act })
      return () => undefined
    },
  })
  const isStale = (key: readonly unknown[]) =>
    queries.getQueryCache().find({ queryKey: key })?.state.isInvalidated
  return { queries, cache, later, isStale }
}

describe("live cache", () => {
  it("[CONSOLE-5] the table has one row for every event of the contract and no other rows", () => {
    expect(Object.keys(LIVE_CACHE).toSorted()).toEqual(EVENTS.map((it) => it.name).toSorted())
    expect(EVENTS.length).toBeGreaterThan(0)
  })

  it("[CONSOLE-5] an event is appended once to each journal whose filter matches", () => {
    const { queries, cache } = setUp()
    const journal: Journal = {
      entries: [entry(1, "store.created")],
      head: { epoch: "e1", seq: 1 },
      isWhole: true,
    }
    queries.setQueryData(keys.events(""), journal)
    queries.setQueryData(keys.events("run."), { ...journal, entries: [] })
    cache.receive([entry(2, "store.backed-up"), entry(3, "run.started")])
    cache.receive([entry(3, "run.started")])
    const seqs = (name: string) =>
      queries.getQueryData<Journal>(keys.events(name))?.entries.map((it) => it.seq)
    expect(seqs("")).toEqual([1, 2, 3])
    expect(seqs("run.")).toEqual([3])
  })

  it("[CONSOLE-5] a recorded request marks its list and the window of its run stale, but no single request", () => {
    const { queries, cache, later, isStale } = setUp()
    const show = keys.operation("gateway.show", { id: "rn_1", limit: 500 })
    const context = keys.operation("agents.context", { id: "rn_1" })
    const request = keys.operation("gateway.request", { id: "gw_1", seq: 1 })
    for (const key of [show, context, request]) queries.setQueryData(key, {})
    cache.receive([entry(2, "gateway.recorded", { proxiedSession: "gw_1", run: "rn_1", seq: 2 })])
    later[0]?.act()
    expect([show, context, request].map(isStale)).toEqual([true, true, false])
  })

  it("[CONSOLE-5] a change of a decision marks memories and decisions stale", () => {
    const { queries, cache, later, isStale } = setUp()
    const decisions = keys.operation("decision.list", { limit: 1_000 })
    queries.setQueryData(decisions, { memories: [], total: 0, problems: [] })
    cache.receive([entry(2, "memory.recorded")])
    for (const { act } of later) act()
    expect(isStale(decisions)).toBe(true)
  })

  it("[CONSOLE-5] branch usage is patched into the tree at once, and all queries of the branch become stale", () => {
    const { queries, cache, later, isStale } = setUp()
    const key = keys.operation("fold.tree", {})
    const branches = [
      { id: "fb_1", budgetUsed: 10 },
      { id: "fb_2", budgetUsed: 20 },
    ]
    queries.setQueryData(key, { sessions: [{ sessionId: "s-1", branches }] })
    queries.setQueryData(keys.operation("fold.show", { id: "fb_1" }), {})
    cache.receive([entry(2, "fold.budget-warned", { id: "fb_1", used: 8_000, total: 9_000 })])
    expect(queries.getQueryData(key)).toEqual({
      sessions: [
        {
          sessionId: "s-1",
          branches: [
            { id: "fb_1", budgetUsed: 8_000 },
            { id: "fb_2", budgetUsed: 20 },
          ],
        },
      ],
    })
    for (const { act } of later) act()
    expect(isStale(key)).toBe(true)
    expect(isStale(keys.operation("fold.show", { id: "fb_1" }))).toBe(true)
  })

  it("[CONSOLE-5] a pipeline that advances marks runs and agents stale, and its documents mark documents stale", () => {
    const { queries, cache, later, isStale } = setUp()
    const shown = keys.operation("pipeline.show", { id: "p-12" })
    const agent = keys.operation("recipe.show", { slug: "deep-research" })
    const search = keys.operation("kb.search", { query: "arrival" })
    const sources = keys.operation("source.list", {})
    for (const key of [shown, agent, search, sources]) queries.setQueryData(key, {})
    cache.receive([entry(2, "pipeline.advanced", { id: "p-12", seq: 3, status: "running" })])
    for (const { act } of later) act()
    expect([shown, agent, search, sources].map(isStale)).toEqual([true, true, false, false])
    cache.receive([entry(3, "knowledge.changed"), entry(4, "sources.changed")])
    for (const { act } of later) act()
    expect([search, sources].map(isStale)).toEqual([true, true])
  })

  it("[CONSOLE-5] a backup is patched into the store status at once", () => {
    const { queries, cache } = setUp()
    const key = keys.operation("store.status", {})
    queries.setQueryData(key, { events: 1, lastBackup: null })
    cache.receive([entry(2, "store.backed-up", { file: "a.db", sizeBytes: 7 })])
    expect(queries.getQueryData<StoreStatus>(key)?.lastBackup).toEqual({
      file: "a.db",
      sizeBytes: 7,
      at: 20,
    })
  })

  it("[CONSOLE-5] stale queries are refetched at most once a second, however many events arrive", () => {
    const { queries, cache, later, isStale } = setUp()
    const key = keys.operation("now.show", {})
    queries.setQueryData(key, {})
    for (let i = 2; i < 500; i++) cache.receive([entry(i, "store.backed-up")])
    expect(isStale(key)).toBe(false)
    expect(later.map((it) => it.ms)).toEqual([STALE_AT_MOST_EVERY_MS])
    later[0]?.act()
    expect(isStale(key)).toBe(true)
  })

  it("[CONSOLE-5] a restored store marks every query stale and removes no data", () => {
    const { queries, cache, isStale } = setUp()
    const key = keys.operation("doctor.run", {})
    queries.setQueryData(key, { checks: [] })
    cache.receive([entry(2, "store.restored")])
    expect(isStale(key)).toBe(true)
    expect(queries.getQueryData(key)).toEqual({ checks: [] })
  })

  it("[CONSOLE-5] an unknown event is added to the journal and changes nothing else", () => {
    const { queries, cache } = setUp()
    queries.setQueryData(keys.events(""), {
      entries: [],
      head: { epoch: "e1", seq: 0 },
      isWhole: true,
    })
    cache.receive([entry(1, "future.happened")])
    const { entries } = queries.getQueryData<Journal>(keys.events("")) ?? { entries: [] }
    expect(entries.map((it) => it.name)).toEqual(["future.happened"])
  })
})
