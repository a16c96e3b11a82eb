import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Store } from "#ground/store"
import { testClock } from "#test/clock"
import { AGENT, foldWorld, openWith, TASK, testGateway, words } from "../fold.fixture.ts"

let store: Store
beforeAll(async () => {
  store = await openWith({ kind: "memory" })
})
afterAll(() => store.close())

/** A branch whose requests go through a gateway. */
async function proxied(budget = 10_000) {
  const world = await foldWorld(store, testClock(), { deps: testGateway().deps })
  const { fold, clock } = world
  const { branchId } = await fold.branch({ ...TASK, budget }, AGENT)
  return {
    ...world,
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
})
