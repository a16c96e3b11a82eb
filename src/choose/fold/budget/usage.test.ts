import { appendFile } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { systemRandom } from "#ground/base"
import type { Store } from "#ground/store"
import { digest } from "#know/ledger"
import { testClock } from "#test/clock"
import { tempDirectory } from "#test/temp"
import { AGENT, foldFixture, openWith, TASK, testGateway, words } from "../fold.fixture.ts"
import { createSpool } from "../trail/spool.ts"

let store: Store
beforeAll(async () => {
  store = await openWith({ kind: "memory" })
})
afterAll(() => store.close())

/** A branch whose requests go through a gateway. */
async function proxied(budget = 10_000) {
  const fixture = await foldFixture(store, testClock(), { deps: testGateway().deps })
  const { fold, clock } = fixture
  const { branchId } = await fold.branch({ ...TASK, budget }, AGENT)
  return {
    ...fixture,
    branchId,
    show: async (id = branchId) => (await fold.show({ id })).branch,
    read: async (tokens: number) => {
      await clock.advance(10)
      return fold.charge({ tokens, tool: "Read" }, AGENT)
    },
    /** A request that is sent now; the report comes with its answer. */
    request: async (inputTokens: number, outputTokens: number, more: object = {}) => {
      await clock.advance(10)
      const report = { session: AGENT.session, agent: "", sentAt: clock.now(), inputTokens }
      await clock.advance(10)
      await fold.chargeUsage({ ...report, outputTokens, ...more })
    },
  }
}

describe("the provider's own count", () => {
  test("[FOLD-5] replaces the estimates of the work that a request contains", async () => {
    const it = await proxied()
    await it.request(12_000, 40)
    await it.read(900)
    expect(await it.show()).toMatchObject({ budgetUsed: 940 })
    await it.request(13_200, 60)
    // The window grew from 12,040 to 13,260 tokens.
    const first = [
      { source: "hook", charges: 1, tokens: 900 },
      { source: "usage", charges: 2, tokens: 40 + 1_220 - 900 },
    ]
    expect(await it.show()).toMatchObject({ budgetUsed: 1_260, charges: first })
    await it.fold.meter({ caller: AGENT, tool: "search", input: "q", text: words(99), label: "x" })
    await it.request(13_300, 10)
    expect(await it.show()).toMatchObject({ budgetUsed: 1_310, isLowerBound: false })
  })

  test("[FOLD-5] counts without hooks, and the last request also after the return", async () => {
    const it = await proxied()
    await it.request(12_000, 40)
    await it.clock.advance(10)
    const sentAt = it.clock.now()
    await it.clock.advance(10)
    const done = { branchId: it.branchId, message: "done", idempotencyKey: "k" }
    const returned = await it.fold.return(done, AGENT)
    await it.request(20_000, 80, { sentAt })
    expect(await it.show()).toMatchObject({
      status: "completed",
      budgetUsed: 8_080,
      isLowerBound: false,
    })
    expect(await it.fold.return(done, AGENT)).toEqual(returned)
    await it.request(12_200, 90)
    expect(await it.show()).toMatchObject({ budgetUsed: 8_080 })
  })

  test("[FOLD-6] warns and exhausts like any charge, and the branch still returns", async () => {
    const it = await proxied(1_000)
    await it.request(12_000, 10)
    await it.request(12_900, 10)
    await it.request(15_000, 10)
    expect(await it.show()).toMatchObject({ isExhausted: true, budgetUsed: 3_010 })
    const returned = await it.fold.return({ branchId: it.branchId, message: "done" }, AGENT)
    expect(returned).toMatchObject({ status: "completed", mode: "wire" })
    expect(returned.receipt).not.toBeNull()
    const names = await it.eventNames()
    expect(names.filter((name) => name.includes("budget"))).toEqual([
      "fold.budget-warned",
      "fold.budget-exhausted",
    ])
  })

  test("[FOLD-5] growth in a child is the child's, and a smaller window starts the count again", async () => {
    const it = await proxied()
    await it.request(12_000, 10)
    const child = await it.fold.branch(TASK, AGENT)
    await it.request(12_100, 20)
    await it.request(14_100, 20)
    await it.fold.return({ branchId: child.branchId, message: "done" }, AGENT)
    await it.request(12_300, 30)
    await it.request(12_400, 30)
    await it.request(9_000, 5)
    expect(await it.show(child.branchId)).toMatchObject({ budgetUsed: 20 + 2_000 })
    expect(await it.show()).toMatchObject({ budgetUsed: 10 + 30 + 100 + 5 })
  })

  test("[FOLD-5] a sub-agent has its own window; requests outside a branch charge nothing", async () => {
    const it = await proxied()
    await it.request(12_000, 10)
    await it.request(30_000, 10, { agent: "a1" })
    await it.request(31_000, 10, { agent: "a1" })
    await it.request(12_050, 10)
    expect(await it.show()).toMatchObject({ budgetUsed: 10 + 10 + 1_000 + 50 })
    await it.request(99_000, 10, { session: "another" })
    await it.request(99_000, 10, { sentAt: 0 })
    expect(await it.show()).toMatchObject({ budgetUsed: 1_070 })
  })

  test("[FOLD-5] the first request of a sub-agent leaves the estimates of the main conversation", async () => {
    const it = await proxied()
    await it.request(12_000, 10)
    await it.read(900)
    await it.request(30_000, 20, { agent: "a1" })
    await it.request(12_900, 10)
    expect(await it.show()).toMatchObject({ budgetUsed: 10 + 20 + 900 })
  })

  test("[FOLD-6] a branch is no longer exhausted when the provider counts less than the estimates", async () => {
    const it = await proxied(1_000)
    await it.request(12_000, 10)
    await it.read(1_200)
    const exhausted = await it.show()
    expect(exhausted).toMatchObject({ isExhausted: true, budgetUsed: 1_210 })
    await it.request(12_700, 10)
    const now = await it.show()
    expect(now).toMatchObject({ isExhausted: false, budgetUsed: 710 })
    expect(now.deadlineAt).toBeGreaterThan(exhausted.deadlineAt)
    await it.fold.return({ branchId: it.branchId, message: "done" }, AGENT)
    expect(await it.show()).toMatchObject({ status: "completed", endReason: "returned" })
  })
})

/** Claims the lines of hooks at once, and charges them when it is released. */
function slowSpool(spool: ReturnType<typeof createSpool>) {
  const claimed = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const drain = async (session: string) => {
    const lines = await spool.drain(session)
    claimed.resolve()
    await released.promise
    return lines
  }
  return { spool: { ...spool, drain }, claimed: claimed.promise, release: released.resolve }
}

describe("lines of hooks that another process has claimed", () => {
  test("[FOLD-5] count once, although the provider's count of their work is charged first", async () => {
    await using temp = await tempDirectory()
    const clock = testClock({ now: Date.now() })
    const spool = createSpool({ stateDirectory: temp.path, random: systemRandom, now: clock.now })
    const fixture = await foldFixture(store, clock, { deps: { ...testGateway().deps, spool } })
    const { branchId } = await fixture.fold.branch({ ...TASK, budget: 30_000 }, AGENT)
    const lines = path.join(temp.path, "charges", `${digest(AGENT.session)}.jsonl`)
    const leave = (tokens: number) => {
      const line = { session: AGENT.session, host: "claude-code", tool: "Read", paths: [], tokens }
      return appendFile(lines, `${JSON.stringify({ ...line, at: clock.now() })}\n`)
    }
    const request = async (inputTokens: number) => {
      await clock.advance(10)
      const sentAt = clock.now()
      await clock.advance(10)
      const report = { session: AGENT.session, agent: "", sentAt, inputTokens, outputTokens: 10 }
      await fixture.fold.chargeUsage(report)
    }
    await clock.advance(10)
    await leave(100)
    await clock.advance(10)
    const early = slowSpool(spool)
    const beforeFirst = fixture.other({ spool: early.spool }).status({}, AGENT)
    await early.claimed
    await request(12_000)
    early.release()
    await beforeFirst
    await clock.advance(10)
    await leave(14_000)
    const late = slowSpool(spool)
    const afterSecond = fixture.other({ spool: late.spool }).status({}, AGENT)
    await late.claimed
    await request(26_000)
    late.release()
    await afterSecond
    const show = async () => (await fixture.fold.show({ id: branchId })).branch
    expect(await show()).toMatchObject({ isExhausted: false, budgetUsed: 100 + 10 + 14_000 })
    await clock.advance(10)
    await leave(14_000)
    await request(40_000)
    expect(await show()).toMatchObject({ isExhausted: false, budgetUsed: 100 + 10 + 28_000 })
    expect((await fixture.eventNames()).filter((it) => it === "fold.budget-exhausted")).toEqual([])
  })

  test("[FOLD-5] are charged to the branch that did the work, although it has returned", async () => {
    await using temp = await tempDirectory()
    const clock = testClock({ now: Date.now() })
    const spool = createSpool({ stateDirectory: temp.path, random: systemRandom, now: clock.now })
    const fixture = await foldFixture(store, clock, { deps: { ...testGateway().deps, spool } })
    const parent = await fixture.fold.branch(TASK, AGENT)
    await clock.advance(10)
    const child = await fixture.fold.branch(TASK, AGENT)
    await clock.advance(10)
    const lines = path.join(temp.path, "charges", `${digest(AGENT.session)}.jsonl`)
    const line = { session: AGENT.session, host: "claude-code", tool: "Read", paths: [] }
    await appendFile(lines, `${JSON.stringify({ ...line, tokens: 900, at: clock.now() })}\n`)
    await clock.advance(10)
    const other = slowSpool(spool)
    const draining = fixture.other({ spool: other.spool }).status({}, AGENT)
    await other.claimed
    await fixture.fold.return({ branchId: child.branchId, message: "done" }, AGENT)
    await clock.advance(10)
    other.release()
    await draining
    const used = async (id: string) => (await fixture.fold.show({ id })).branch.budgetUsed
    expect([await used(child.branchId), await used(parent.branchId)]).toEqual([900, 0])
  })
})
