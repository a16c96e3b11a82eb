import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { z } from "zod"
import { CONTEXT_KINDS } from "#ground/contract"
import { type Store, sql } from "#ground/store"
import { failAtEveryCall } from "#test/faulty-db"
import { needs } from "#test/needs"
import { type PostgresCluster, startPostgres } from "#test/postgres"
import { fcParameters } from "#test/seed"
import { EMPTY_SESSION_LIFE_MS, LATCH_LIFE_MS } from "./cleanup.ts"
import { scaled } from "./host-report.ts"
import {
  aRequest,
  NEW_SESSION,
  newStoreFixture,
  OWNER,
  openWith,
  piece,
  TOOL,
} from "./store.fixture.ts"
import { LONGEST_SHOWN_TEXT_UNITS } from "./views.ts"

const named = (...names: readonly string[]) => names.map((it) => piece(it))
const Count = z.object({ count: z.int() })

function lifeSuite(store: () => Store): void {
  test("a proxied session is stored with its options, and an event is emitted", async () => {
    const { gatewayStore, clock, open, events } = await newStoreFixture(store())
    const proxied = await open({ run: "r-1", mode: "fold", hasContent: true })
    const { owner: _, ...facts } = { ...NEW_SESSION, run: "r-1", mode: "fold", hasContent: true }
    const fresh = { endedAt: null, requests: 0, folds: 0, latchedOff: null, isAlive: true }
    expect(proxied).toEqual({ ...facts, ...fresh, id: proxied.id, startedAt: clock.now() })
    expect(proxied.id).toMatch(/^gw_[0-9a-z]{19}$/)
    expect(await gatewayStore.list({})).toEqual({ sessions: [proxied] })
    expect(await events()).toEqual([
      ["gateway.opened", { proxiedSession: proxied.id, run: "r-1", mode: "fold" }],
    ])
  })

  test("proxied sessions are listed newest first, filtered by run", async () => {
    const { gatewayStore, open } = await newStoreFixture(store())
    const [one, two, three] = [await open({ run: "r-1" }), await open(), await open({ run: "r-1" })]
    const ids = async (input: Parameters<typeof gatewayStore.list>[0]) =>
      (await gatewayStore.list(input)).sessions.map((it) => it.id)
    expect(await ids({})).toEqual([three.id, two.id, one.id])
    expect(await ids({ limit: 2 })).toEqual([three.id, two.id])
    expect(await ids({ run: "r-1" })).toEqual([three.id, one.id])
    await expect(ids({ run: "r-2" })).rejects.toMatchObject({ code: "GATEWAY_SESSION_UNKNOWN" })
  })

  test("proxied sessions are found by the host's session, and none is no error", async () => {
    const { gatewayStore, open } = await newStoreFixture(store())
    const [one, two, other] = [await open(), await open(), await open()]
    await gatewayStore.record(one.id, aRequest([TOOL]))
    await gatewayStore.record(two.id, aRequest([TOOL]))
    const aside = { session: "s2", agent: "a1", conversation: "s2/a1" }
    await gatewayStore.record(other.id, aRequest([TOOL], aside))
    const ids = async (session: string) =>
      (await gatewayStore.list({ session })).sessions.map((it) => it.id)
    expect(await ids("s1")).toEqual([two.id, one.id])
    expect(await ids("s2"), "only a sub-agent of it").toEqual([])
    expect(await ids("nobody")).toEqual([])
  })

  test("a proxied session ends once, and one whose process is gone counts as ended", async () => {
    const { gatewayStore, clock, open, events, other } = await newStoreFixture(store())
    const [here, dead, far] = [
      await open(),
      await open({ owner: { ...OWNER, pid: 2, startedAt: "" } }),
      await open({ owner: { ...OWNER, pid: 2, machine: "elsewhere" } }),
    ]
    const asked: unknown[] = []
    const later = other({
      isAlive: (identity) => {
        asked.push(identity)
        return identity.pid !== 2
      },
    })
    const alive = (await later.list({})).sessions.map((it) => it.isAlive)
    expect(alive).toEqual([true, false, true])
    expect(asked).toContainEqual({ pid: 2, startedAt: undefined })
    await later.recover()
    await later.recover()
    await gatewayStore.close(far.id)
    await gatewayStore.close(far.id)
    const ends = (await gatewayStore.list({})).sessions.map((it) => [it.id, it.endedAt])
    expect(ends).toEqual([
      [far.id, clock.now()],
      [dead.id, clock.now()],
      [here.id, null],
    ])
    const closed = (await events()).filter(([name]) => name === "gateway.closed")
    expect(closed.map(([, body]) => body)).toEqual([
      { proxiedSession: dead.id, run: null },
      { proxiedSession: far.id, run: null },
    ])
  })

  test("a session's folding is latched off once, permanently, with one event", async () => {
    const { gatewayStore, clock, open, events, other } = await newStoreFixture(store())
    const { id } = await open({ run: "r-1" })
    await gatewayStore.latchOff(id, { session: "s1", reason: "refused\u0000 (400)" })
    await gatewayStore.latchOff(id, { session: "s1", reason: "another" })
    await clock.advance(5)
    await gatewayStore.latchOff(id, { session: "s2", reason: `long ${"x".repeat(600)}` })
    await gatewayStore.delete({ id })
    const latches = await other({}).latches()
    expect(latches.map((it) => it.session)).toEqual(["s2", "s1"])
    expect(latches[1]?.reason).toBe("refused (400)")
    expect(latches[0]?.reason).toHaveLength(500)
    const told = (await events()).filter(([name]) => name === "gateway.latched-off")
    expect(told).toHaveLength(2)
    expect(told[0]?.[1]).toEqual({ proxiedSession: id, run: "r-1", reason: "refused (400)" })
    await clock.advance(LATCH_LIFE_MS - 3)
    const next = await open()
    await gatewayStore.close(next.id)
    expect((await gatewayStore.latches()).map((it) => it.session)).toEqual(["s2"])
  })

  test("a proxied session states why it is no longer folded", async () => {
    const { gatewayStore, open } = await newStoreFixture(store())
    const { id } = await open()
    await gatewayStore.latchOff(id, { session: "s1", reason: "refused (400)" })
    await gatewayStore.latchOff(id, { session: "s2", reason: "refused (413)" })
    expect((await gatewayStore.list({})).sessions[0]?.latchedOff).toBe("refused (400)")
  })
}

function recordSuite(store: () => Store): void {
  test("a request is read back as recorded, with its number, and an event is emitted", async () => {
    const { gatewayStore, open, events } = await newStoreFixture(store())
    const { id } = await open({ run: "r-1" })
    const folded = [{ branchId: "br_1", bytes: 900, tokens: 300 }]
    const recorded = aRequest(named("a", "b\u0000\ud800"), { folded, problem: "cut", gone: 3 })
    const { items, headers, texts: _, conversation: __, ...request } = recorded
    expect(await gatewayStore.record(id, recorded)).toBe(1)
    expect(await gatewayStore.request({ id, seq: 1 })).toEqual({
      request: { ...request, proxiedSession: id, seq: 1, run: "r-1" },
      items,
      headers,
    })
    expect((await events()).at(-1)).toEqual([
      "gateway.recorded",
      { proxiedSession: id, run: "r-1", seq: 1 },
    ])
    expect((await gatewayStore.list({})).sessions[0]).toMatchObject({ requests: 1, folds: 1 })
  })

  test("a store that fails at any call leaves no partial request", async () => {
    const { gatewayStore, open, other } = await newStoreFixture(store())
    const { id } = await open({ hasContent: true })
    const texts = [{ sha256: piece("a").sha256, text: "alpha" }]
    let before = 0
    const { calls } = await failAtEveryCall(store().forRoom("gateway"), {
      write: async (db) => {
        const failing = other({ db })
        await failing.record(id, aRequest(named("a"), { texts }))
        await failing.record(id, aRequest(named("a", "b")))
      },
      afterFailure: async () => {
        const { requests } = await gatewayStore.show({ id })
        for (const { seq } of requests) {
          const { pieces } = await gatewayStore.texts({ id, seq })
          expect(pieces[0]).toMatchObject({ name: "a", text: "alpha" })
        }
        before = requests.length
      },
    })
    expect(calls).toBeGreaterThan(8)
    expect((await gatewayStore.show({ id })).requests).toHaveLength(before + 2)
  })

  test("a request that could not be read back is refused", async () => {
    const { gatewayStore, open } = await newStoreFixture(store())
    const { id } = await open()
    await expect(gatewayStore.record(id, aRequest([], { gone: 0.5 }))).rejects.toThrow("gone")
    expect(await gatewayStore.record(id, aRequest([]))).toBe(1)
  })

  test("lists of one conversation are restored completely over many requests", async () => {
    const { gatewayStore, open } = await newStoreFixture(store())
    const { id } = await open()
    const names = Array.from({ length: 61 }, (_, at) => `p${at}`)
    for (const [at] of names.entries()) {
      const aside = at % 20 === 19 ? [aRequest(named("title"), { route: "count" })] : []
      const main = aRequest([TOOL, ...named(...names.slice(0, at + 1))])
      for (const it of [...aside, main]) await gatewayStore.record(id, it)
    }
    const last = 61 + 3
    const { items } = await gatewayStore.request({ id, seq: last })
    expect(items).toEqual([TOOL, ...named(...names)])
    const count = sql`SELECT count(*) AS count FROM gateway_requests
      WHERE proxied_session = ${id} AND before_seq IS NULL`
    expect(await store().db.get(Count, count)).toEqual({ count: 3 })
  })

  test("concurrently recorded requests have their own numbers and lists", async () => {
    const { gatewayStore, open, other } = await newStoreFixture(store())
    const { id } = await open()
    await gatewayStore.record(id, aRequest(named("a")))
    const second = other({})
    const lists = Array.from({ length: 12 }, (_, at) => named("a", `b${at}`, "c"))
    const seqs = await Promise.all(
      lists.map((items, at) => (at % 3 === 0 ? second : gatewayStore).record(id, aRequest(items))),
    )
    expect(seqs.toSorted((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: 12 }, (_, at) => at + 2),
    )
    for (const [at, items] of lists.entries()) {
      const seq = seqs[at] ?? 0
      expect((await gatewayStore.request({ id, seq })).items).toEqual(items)
    }
  })

  test("a list whose beginning is lost is still returned, with the number of missing items", async () => {
    const { gatewayStore, open } = await newStoreFixture(store())
    const { id } = await open()
    for (const names of [["a"], ["a", "b"], ["a", "b", "c"]]) {
      await gatewayStore.record(id, aRequest(named(...names)))
    }
    await store().db.run(
      sql`DELETE FROM gateway_requests WHERE proxied_session = ${id} AND seq = ${1}`,
    )
    const { items, request } = await gatewayStore.request({ id, seq: 3 })
    expect(items).toEqual(named("b", "c"))
    expect(request.problem).toBe("its first 1 items are no longer stored")
    expect((await gatewayStore.show({ id })).requests.map((it) => it.seq)).toEqual([2, 3])
  })

  test("an ended proxied session still records; a deleted one reports that nothing was stored", async () => {
    const { gatewayStore, open, other } = await newStoreFixture(store())
    const { id } = await open()
    await other({}).close(id)
    expect(await gatewayStore.record(id, aRequest(named("a")))).toBe(1)
    await other({}).delete({ id })
    expect(await gatewayStore.record(id, aRequest(named("a", "b")))).toBeUndefined()
    expect(await gatewayStore.record("gw_never", aRequest([]))).toBeUndefined()
  })
}

function viewSuite(store: () => Store): void {
  test("a run is shown with all its proxied sessions in chronological order", async () => {
    const { gatewayStore, open } = await newStoreFixture(store())
    const [one, two] = [await open({ run: "r-1" }), await open({ run: "r-1" })]
    await gatewayStore.record(one.id, aRequest([], { at: 30 }))
    await gatewayStore.record(two.id, aRequest([], { at: 20, usage: null, costUsd: null }))
    const folded = [
      { branchId: "br_1", bytes: 900, tokens: 300 },
      { branchId: "br_2", bytes: 90, tokens: 30 },
    ]
    await gatewayStore.record(two.id, aRequest([], { at: 40, folded }))
    const shown = await gatewayStore.show({ id: "r-1" })
    expect(shown.sessions.map((it) => it.id)).toEqual([one.id, two.id])
    expect(shown.requests.map((it) => [it.proxiedSession, it.seq, it.at])).toEqual([
      [two.id, 1, 20],
      [one.id, 1, 30],
      [two.id, 2, 40],
    ])
    expect(shown.earlier).toBe(0)
    expect(shown.totals).toEqual({
      requests: 3,
      usage: { input: 20, output: 10, cacheRead: 140, cacheWrite: 40 },
      unknownUsage: 1,
      costUsd: 0.5,
      unknownCosts: 0,
      savedTokens: 330,
      savedBytes: 990,
      cacheShare: 0.7,
    })
  })

  test("the newest requests are shown, and the totals cover all", async () => {
    const { gatewayStore, open } = await newStoreFixture(store())
    const { id } = await open()
    for (const at of [1, 2, 3, 4]) await gatewayStore.record(id, aRequest([], { at }))
    const { requests, earlier, totals } = await gatewayStore.show({ id: "last", limit: 2 })
    expect([requests.map((it) => it.at), earlier, totals.requests]).toEqual([[3, 4], 2, 4])
  })

  test("an unknown number is not shown as zero", async () => {
    const { gatewayStore, open } = await newStoreFixture(store())
    const { id } = await open()
    const empty = await gatewayStore.show({ id })
    expect(empty.totals).toMatchObject({ requests: 0, costUsd: null, cacheShare: null })
    await gatewayStore.record(id, aRequest([], { usage: null, costUsd: null }))
    const { totals } = await gatewayStore.show({ id })
    expect(totals).toMatchObject({ unknownUsage: 1, costUsd: null, cacheShare: null })
    await gatewayStore.record(id, aRequest([], { costUsd: null }))
    await gatewayStore.record(id, aRequest([]))
    const later = await gatewayStore.show({ id })
    expect(later.totals).toMatchObject({ unknownUsage: 1, unknownCosts: 1, costUsd: 0.25 })
  })

  test("a token count request costs nothing: it is in no total and not unknown", async () => {
    const { gatewayStore, open } = await newStoreFixture(store())
    const { id } = await open()
    const none = { usage: null, costUsd: null }
    await gatewayStore.record(id, aRequest([]))
    await gatewayStore.record(id, aRequest([], { route: "count", ...none }))
    await gatewayStore.record(id, aRequest([], { route: "count", outcome: "refused", ...none }))
    await gatewayStore.record(id, aRequest([], { route: "other", ...none }))
    const { requests, totals } = await gatewayStore.show({ id })
    expect(requests.map((it) => it.usage?.input)).toEqual([10, undefined, undefined, undefined])
    expect(totals).toMatchObject({
      requests: 4,
      unknownUsage: 1,
      usage: { input: 10, output: 5, cacheRead: 70, cacheWrite: 20 },
      costUsd: 0.25,
      unknownCosts: 0,
      cacheShare: 0.7,
    })
  })

  test("a missing proxied session, a missing request and an ambiguous request have different errors", async () => {
    const { gatewayStore, open } = await newStoreFixture(store())
    const unknown = { code: "GATEWAY_SESSION_UNKNOWN", formerCode: "GATEWAY_CARRY_UNKNOWN" }
    await expect(gatewayStore.show({ id: "last" })).rejects.toMatchObject(unknown)
    for (const id of ["gw_none", "a\u0000b"]) {
      await expect(gatewayStore.show({ id })).rejects.toMatchObject(unknown)
      await expect(gatewayStore.request({ id, seq: 1 })).rejects.toMatchObject(unknown)
    }
    await expect(gatewayStore.delete({ id: "gw_none" })).rejects.toMatchObject(unknown)
    const { id } = await open({ run: "r-1" })
    const missing = { code: "GATEWAY_REQUEST_UNKNOWN", data: { proxiedSession: id, seq: 1 } }
    await expect(gatewayStore.request({ id, seq: 1 })).rejects.toMatchObject(missing)
    await expect(gatewayStore.texts({ id: "r-1", seq: 1 })).rejects.toMatchObject(missing)
    await open({ run: "r-1" })
    await expect(gatewayStore.request({ id: "r-1", seq: 1 })).rejects.toMatchObject({
      code: "GATEWAY_SESSION_NOT_NAMED",
      formerCode: "GATEWAY_CARRY_NOT_NAMED",
      data: { run: "r-1", sessions: 2 },
    })
  })

  test("data of one repository is not visible in another", async () => {
    const { gatewayStore, open, other } = await newStoreFixture(store())
    const { id } = await open({ run: "r-1", hasContent: true })
    const texts = [{ sha256: piece("a").sha256, text: "alpha" }]
    await gatewayStore.record(id, aRequest([TOOL, piece("a")], { texts }))
    await gatewayStore.latchOff(id, { session: "s1", reason: "refused" })
    const stranger = other({ root: () => "/another", isAlive: () => false, keepRequests: () => 1 })
    const unknown = { code: "GATEWAY_SESSION_UNKNOWN" }
    for (const name of [id, "r-1", "last"]) {
      await expect(stranger.show({ id: name })).rejects.toMatchObject(unknown)
    }
    await expect(stranger.texts({ id, seq: 1 })).rejects.toMatchObject(unknown)
    await expect(stranger.delete({ id })).rejects.toMatchObject(unknown)
    expect(await stranger.record(id, aRequest([]))).toBeUndefined()
    expect(await stranger.list({})).toEqual({ sessions: [] })
    expect(await stranger.latches()).toEqual([])
    expect(await stranger.contextOf("r-1")).toBeUndefined()
    expect(await stranger.newestHostReport("/work", "claude-code")).toBeUndefined()
    await stranger.recover()
    await stranger.close(id)
    await stranger.deleteRun("r-1")
    const { sessions, totals } = await gatewayStore.show({ id })
    expect([sessions[0]?.endedAt, totals.requests]).toEqual([null, 1])
    expect((await gatewayStore.texts({ id, seq: 1 })).pieces[1]?.text).toBe("alpha")
  })
}

function textSuite(store: () => Store): void {
  const said = (name: string, text: string) => ({ sha256: piece(name).sha256, text })

  test("[GATE-70] texts are stored only when enabled", async () => {
    const { gatewayStore, open } = await newStoreFixture(store())
    const [without, having] = [await open(), await open({ hasContent: true })]
    const request = aRequest(named("a", "b"), { texts: [said("a", "alpha\u0000\ud800")] })
    for (const { id } of [without, having]) await gatewayStore.record(id, request)
    const nothing = await gatewayStore.texts({ id: without.id, seq: 1 })
    expect(nothing.pieces.map((it) => it.text)).toEqual([null, null])
    expect(await gatewayStore.texts({ id: having.id, seq: 1 })).toEqual({
      total: 2,
      pieces: [
        { ...piece("a"), place: 0, text: "alpha\u0000\ud800", isCut: false },
        { ...piece("b"), place: 1, text: null, isCut: false },
      ],
    })
  })

  test("[GATE-70] a stored text is available in every later request of its proxied session", async () => {
    const { gatewayStore, open } = await newStoreFixture(store())
    const { id } = await open({ hasContent: true })
    await gatewayStore.record(id, aRequest(named("a"), { texts: [said("a", "alpha")] }))
    const more = [said("b", "beta"), said("b", "beta"), said("a", "alpha")]
    await gatewayStore.record(id, aRequest(named("a", "b", "a"), { texts: more }))
    const { pieces } = await gatewayStore.texts({ id: "last", seq: 2 })
    expect(pieces.map((it) => it.text)).toEqual(["alpha", "beta", "alpha"])
  })

  test("search ignores case, requires all terms, and returns pages", async () => {
    const { gatewayStore, open } = await newStoreFixture(store())
    const { id } = await open({ hasContent: true })
    const names = Array.from({ length: 45 }, (_, at) => `n${at}`)
    const texts = names.map((it, at) => said(it, `Number ${at} says ${at % 2 ? "odd" : "EVEN"}`))
    await gatewayStore.record(id, aRequest(named(...names), { texts }))
    const found = await gatewayStore.texts({
      id,
      seq: 1,
      query: " even  NUMBER ",
      from: 1,
      limit: 2,
    })
    expect(found.total).toBe(23)
    expect(found.pieces.map((it) => [it.place, it.name])).toEqual([
      [2, "n2"],
      [4, "n4"],
    ])
    expect(await gatewayStore.texts({ id, seq: 1, query: "even odd" })).toEqual({
      total: 0,
      pieces: [],
    })
    const page = await gatewayStore.texts({ id, seq: 1, query: " ", from: 43 })
    expect([page.total, page.pieces.map((it) => it.place)]).toEqual([45, [43, 44]])
  })

  test("matches show lines with all terms, otherwise lines with any term", async () => {
    const { gatewayStore, open } = await newStoreFixture(store())
    const { id } = await open({ hasContent: true })
    const long = `${"x".repeat(500)} Tea ${"y".repeat(500)}`
    const texts = [
      said("a", "green tea\nnothing\nTEA of the green hill\r\ntea"),
      said("b", `green\n\n${long}`),
      said("c", "tea green\n".repeat(30)),
    ]
    await gatewayStore.record(id, aRequest(named("a", "b", "c"), { texts }))
    const { pieces } = await gatewayStore.texts({ id, seq: 1, query: "tea Green" })
    const [one, two, three] = pieces
    expect([one?.lines, one?.moreLines]).toEqual([
      [
        { number: 1, text: "green tea" },
        { number: 3, text: "TEA of the green hill" },
      ],
      0,
    ])
    expect(two?.lines?.map((it) => it.number)).toEqual([1, 3])
    expect(two?.lines?.[1]?.text).toMatch(/^…x{59} Tea y+…$/)
    expect([three?.lines?.length, three?.moreLines]).toEqual([20, 10])
    expect(one?.text).toContain("nothing")
    const [plain] = (await gatewayStore.texts({ id, seq: 1 })).pieces
    expect(plain?.lines).toBeUndefined()
  })

  test("a long text is truncated and marked", async () => {
    const { gatewayStore, open } = await newStoreFixture(store())
    const { id } = await open({ hasContent: true })
    const text = `${"x".repeat(LONGEST_SHOWN_TEXT_UNITS - 1)}\u{1f600} end`
    await gatewayStore.record(id, aRequest(named("a"), { texts: [said("a", text)] }))
    const [shown] = (await gatewayStore.texts({ id, seq: 1, query: "end" })).pieces
    expect(shown?.isCut).toBe(true)
    expect(shown?.text).toBe("x".repeat(LONGEST_SHOWN_TEXT_UNITS - 1))
  })
}

function retentionSuite(store: () => Store): void {
  const rowsOf = async (table: "requests" | "texts", id: string): Promise<number> => {
    const name = { requests: sql`gateway_requests`, texts: sql`gateway_texts` }[table]
    const query = sql`SELECT count(*) AS count FROM ${name} WHERE proxied_session = ${id}`
    return (await store().db.get(Count, query))?.count ?? 0
  }

  test("the newest requests stay, and all their lists are complete", async () => {
    const { open, other } = await newStoreFixture(store())
    const gatewayStore = other({ keepRequests: () => 30 })
    const { id } = await open()
    const list = (seq: number) => named(...Array.from({ length: seq }, (_, at) => `p${at}`))
    for (let seq = 1; seq <= 120; seq++)
      await gatewayStore.record(id, aRequest(list(seq), { at: seq }))
    await gatewayStore.close(id)
    const { requests } = await gatewayStore.show({ id, limit: 2_000 })
    // Of 120 the newest 30 stay, with the requests that their lists extend: the chain begins at 51.
    expect(requests.map((it) => it.seq)).toEqual(Array.from({ length: 70 }, (_, at) => at + 51))
    for (const seq of [51, 90, 120]) {
      expect((await gatewayStore.request({ id, seq })).items).toEqual(list(seq))
    }
  })

  test("a conversation that was idle continues with a whole list", async () => {
    const { open, other } = await newStoreFixture(store())
    const gatewayStore = other({ keepRequests: () => 1 })
    const [one, two] = [await open(), await open()]
    await gatewayStore.record(one.id, aRequest(named("a"), { at: 1 }))
    await gatewayStore.record(two.id, aRequest(named("z"), { at: 2 }))
    await gatewayStore.close(two.id)
    expect(await rowsOf("requests", one.id)).toBe(0)
    expect(await gatewayStore.record(one.id, aRequest(named("a", "b"), { at: 3 }))).toBe(2)
    const { items, request } = await gatewayStore.request({ id: one.id, seq: 2 })
    expect([items, request.problem]).toEqual([named("a", "b"), null])
  })

  test("a proxied session without requests is deleted a month after its end, its texts earlier", async () => {
    const { open, other, clock } = await newStoreFixture(store())
    const gatewayStore = other({ keepRequests: () => 1 })
    const texts = [{ sha256: piece("a").sha256, text: "alpha" }]
    const old = await open({ hasContent: true })
    await gatewayStore.record(old.id, aRequest(named("a"), { at: 1, texts }))
    await gatewayStore.close(old.id)
    expect(await rowsOf("texts", old.id)).toBe(1)
    const live = await open({ hasContent: true })
    const sparing = await open()
    await gatewayStore.record(sparing.id, aRequest([], { at: 2 }))
    await gatewayStore.close(sparing.id)
    expect([await rowsOf("requests", old.id), await rowsOf("texts", old.id)]).toEqual([0, 0])
    const ids = async () => (await gatewayStore.list({})).sessions.map((it) => it.id)
    expect(await ids()).toEqual([sparing.id, live.id, old.id])
    await clock.advance(EMPTY_SESSION_LIFE_MS + 1)
    await gatewayStore.close(live.id)
    expect(await ids()).toEqual([sparing.id, live.id])
  })

  test("deleting removes requests and texts; for a run, those of all its proxied sessions", async () => {
    const { gatewayStore, open, events } = await newStoreFixture(store())
    const sessions = [await open({ run: "r-1", hasContent: true }), await open({ run: "r-1" })]
    const other = await open({ hasContent: true })
    const texts = [{ sha256: piece("a").sha256, text: "alpha" }]
    for (const { id } of [...sessions, other]) {
      await gatewayStore.record(id, aRequest(named("a"), { texts }))
    }
    await gatewayStore.deleteRun("r-1")
    expect((await gatewayStore.list({})).sessions.map((it) => it.id)).toEqual([other.id])
    expect(await rowsOf("texts", sessions[0]?.id ?? "")).toBe(0)
    expect(await gatewayStore.delete({ id: other.id })).toEqual({ id: other.id, requests: 1 })
    expect([await rowsOf("requests", other.id), await rowsOf("texts", other.id)]).toEqual([0, 0])
    const deleted = (await events()).filter(([name]) => name === "gateway.deleted")
    expect(deleted.map(([, body]) => body)).toEqual(
      expect.arrayContaining([
        ...sessions.map(({ id }) => ({ proxiedSession: id, run: "r-1" })),
        { proxiedSession: other.id, run: null },
      ]),
    )
    expect(deleted).toHaveLength(3)
  })
}

function wordSuite(store: () => Store): void {
  const instructions = (name: string, more = {}) =>
    piece(name, { kind: "instructions", context: "instructions", ...more })

  test("the window of a run is the provider's number of its newest response", async () => {
    const { gatewayStore, open } = await newStoreFixture(store())
    const { id } = await open({ run: "r-1" })
    expect(await gatewayStore.contextOf("r-1")).toBeUndefined()
    const kinds = [
      { kind: "tools", tokens: 1 },
      { kind: "history", tokens: 2 },
      { kind: "files", tokens: 3 },
    ] as const
    const folded = [{ branchId: "br_1", bytes: 900, tokens: 300 }]
    await gatewayStore.record(id, aRequest([TOOL], { at: 1, kinds: [...kinds], folded }))
    const others = [
      aRequest([TOOL], { at: 2, agent: "sub", conversation: "s1/sub" }),
      aRequest([], { at: 3 }),
      aRequest([TOOL], { at: 4, outcome: "cut" }),
      aRequest([TOOL], { at: 5, usage: null }),
      aRequest([TOOL], { at: 6, route: "count" }),
    ]
    for (const it of others) await gatewayStore.record(id, it)
    expect(await gatewayStore.contextOf("r-1")).toEqual({
      at: 1,
      proxiedSession: id,
      seq: 1,
      used: 100,
      kinds: [
        { kind: "tools", tokens: 17 },
        { kind: "history", tokens: 33 },
        { kind: "files", tokens: 50 },
      ],
      savedTokens: 300,
    })
  })

  test("the host report of a folder is the first request of its newest conversation", async () => {
    const { gatewayStore, open } = await newStoreFixture(store())
    const own = instructions("CLAUDE.md", { path: "/work/CLAUDE.md", isConfirmed: true })
    const memory = piece("MEMORY.md", { kind: "memory", context: "memory" })
    const before = await open()
    await gatewayStore.record(before.id, aRequest([TOOL, instructions("old.md")], { at: 1 }))
    const { id } = await open()
    const asked = { conversation: "s2/", session: "s2" }
    const items = [TOOL, own, memory]
    await gatewayStore.record(id, aRequest([piece("title")], { at: 2, ...asked }))
    await gatewayStore.record(id, aRequest(items, { at: 3, ...asked }))
    const lazy = instructions("sub/CLAUDE.md")
    await gatewayStore.record(id, aRequest([...items, lazy], { at: 4, ...asked }))
    const sub = { at: 5, ...asked, agent: "sub", conversation: "s2/sub" }
    await gatewayStore.record(id, aRequest([TOOL, lazy], sub))
    const aside = await open()
    await gatewayStore.record(aside.id, aRequest([piece("title")], { at: 7, conversation: "s3/" }))
    const elsewhere = await open({ workingDirectory: "/elsewhere" })
    await gatewayStore.record(elsewhere.id, aRequest([TOOL, lazy], { at: 6 }))
    expect(await gatewayStore.newestHostReport("/work", "claude-code")).toEqual({
      at: 3,
      proxiedSession: id,
      seq: 2,
      session: "s2",
      hostVersion: "2.1.325",
      model: "model-1",
      tokens: 100,
      kinds: expect.any(Array),
      tools: [{ name: TOOL.name, tokens: TOOL.tokens, isLoaded: true }],
      files: [
        {
          kind: "instructions",
          path: "/work/CLAUDE.md",
          sha256: own.sha256,
          tokens: own.tokens,
          isConfirmed: true,
        },
        {
          kind: "memory",
          path: "MEMORY.md",
          sha256: memory.sha256,
          tokens: memory.tokens,
          isConfirmed: false,
        },
      ],
    })
    expect(await gatewayStore.newestHostReport("/work", "codex")).toBeUndefined()
  })
}

function keepSuite(store: () => Store): void {
  for (const suite of [lifeSuite, recordSuite, viewSuite, textSuite, retentionSuite, wordSuite]) {
    suite(store)
  }
}

describe("SQLite", () => {
  let store: Store
  beforeAll(async () => {
    store = await openWith({ kind: "memory" })
  })
  afterAll(() => store.close())
  keepSuite(() => store)
})

describe.runIf(needs("N1", "postgres"))("Postgres", () => {
  let cluster: PostgresCluster
  let store: Store
  beforeAll(async () => {
    cluster = await startPostgres()
    store = await openWith({ kind: "postgres", url: await cluster.createDatabase() })
  })
  afterAll(async () => {
    await store.close()
    await cluster[Symbol.asyncDispose]()
  })
  keepSuite(() => store)
})

const aKind = fc.record({
  kind: fc.constantFrom(...CONTEXT_KINDS),
  tokens: fc.nat({ max: 1_000_000 }),
})

test("kinds scaled to a total sum to it, each within one token of its share", () => {
  fc.assert(
    fc.property(fc.array(aKind), fc.nat({ max: 2_000_000 }), (kinds, total) => {
      const counted = kinds.reduce((sum, it) => sum + it.tokens, 0)
      const shares = scaled(kinds, total)
      const isKnown = counted > 0
      expect(shares.map((it) => it.kind)).toEqual(isKnown ? kinds.map((it) => it.kind) : [])
      expect(shares.reduce((sum, it) => sum + it.tokens, 0)).toBe(isKnown ? total : 0)
      for (const [at, { tokens }] of shares.entries()) {
        const share = ((kinds[at]?.tokens ?? 0) / counted) * total
        expect(Math.abs(tokens - share)).toBeLessThan(1)
      }
    }),
    fcParameters({ numRuns: 300 }),
  )
})
