import fc from "fast-check"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Clock, systemClock } from "#ground/base"
import type { Store } from "#ground/store"
import { type TestClock, testClock } from "#test/clock"
import { fcParameters, isNight } from "#test/seed"
import { AGENT, type FoldFixture, foldFixture, openWith, TASK } from "./fold.fixture.ts"

let store: Store
beforeAll(async () => {
  store = await openWith({ kind: "memory" })
})
afterAll(() => store.close())

type Step =
  | {
      readonly do: "open"
      readonly atRoot: boolean
      readonly budget: number
      readonly seconds: number
    }
  | { readonly do: "charge"; readonly tokens: number }
  | { readonly do: "return"; readonly which: number }
  | { readonly do: "pass"; readonly ms: number }

const Steps = fc.array(
  fc.oneof(
    fc.record({
      do: fc.constant("open" as const),
      atRoot: fc.boolean(),
      budget: fc.integer({ min: 1, max: 40 }),
      seconds: fc.integer({ min: 1, max: 20 }),
    }),
    fc.record({ do: fc.constant("charge" as const), tokens: fc.integer({ min: 0, max: 25 }) }),
    fc.record({ do: fc.constant("return" as const), which: fc.nat(5) }),
    fc.record({ do: fc.constant("pass" as const), ms: fc.integer({ min: 0, max: 12_000 }) }),
  ),
  { minLength: 3, maxLength: 12 },
)

const GRACE_MS = 5_000

type ExpectedBranch = {
  readonly id: string
  readonly parent: string | null
  readonly depth: number
  readonly total: number
  readonly limit: number
  deadline: number
  isOver: boolean
  used: number
  hasReturned: boolean
  reason: string | null
}

function createModel() {
  const all: ExpectedBranch[] = []
  const live = () => all.filter((it) => it.reason === null)
  const end = (it: ExpectedBranch, reason: string): void => {
    for (const child of live().filter((one) => one.parent === it.id)) end(child, "parent-returned")
    it.reason = reason
  }
  return {
    all,
    active: () => live().at(-1),
    end,
    sweep(now: number): void {
      const overdue = live().filter((it) => it.deadline <= now)
      const inOrder = overdue.toSorted((a, b) => a.deadline - b.deadline || b.depth - a.depth)
      for (const it of inOrder) {
        if (it.reason === null) end(it, it.isOver && it.deadline < it.limit ? "budget" : "timeout")
      }
    },
  }
}

async function play(fixture: FoldFixture<TestClock>, steps: readonly Step[]): Promise<void> {
  const { fold, clock } = fixture
  const model = createModel()
  for (const step of steps) {
    // The newest branch is the active one: no two are opened at the same moment.
    await clock.advance(step.do === "pass" ? step.ms : 1)
    model.sweep(clock.now())
    const active = model.active()
    switch (step.do) {
      case "open": {
        const parent = step.atRoot ? undefined : active
        const depth = parent === undefined ? 0 : parent.depth + 1
        const asked = { ...TASK, budget: step.budget, timeoutSeconds: step.seconds }
        const input = { ...asked, ...(step.atRoot ? { parentBranchId: "root" } : {}) }
        const opened = await fold.branch(input, AGENT).catch((error: unknown) => error)
        if (depth > 2) {
          expect(opened).toMatchObject({ code: "FOLD_DEPTH_EXCEEDED" })
          break
        }
        expect(opened).toMatchObject({ depth })
        const id = (opened as { branchId: string }).branchId
        const limit = clock.now() + step.seconds * 1_000
        const known = { id, parent: parent?.id ?? null, depth, total: step.budget, limit }
        model.all.push({
          ...known,
          deadline: limit,
          isOver: false,
          used: 0,
          hasReturned: false,
          reason: null,
        })
        break
      }
      case "charge": {
        const { outcome } = await fold.charge({ tokens: step.tokens }, AGENT)
        if (active === undefined) {
          expect(["none", "ended"]).toContain(outcome)
          break
        }
        active.used += step.tokens
        const isFirst = !active.isOver && active.used > active.total
        expect(outcome === "exhausted").toBe(isFirst)
        active.isOver ||= isFirst
        if (active.isOver) active.deadline = Math.min(active.limit, clock.now() + GRACE_MS)
        break
      }
      case "return": {
        const meant = model.all[step.which]
        if (meant === undefined) break
        const input = { branchId: meant.id, message: "done" }
        const code = await fold.return(input, AGENT).then(
          () => "returned",
          (error: unknown) => (error as { code: string }).code,
        )
        expect(code).toBe(meant.reason === null ? "returned" : "FOLD_ALREADY_COMPLETED")
        if (meant.reason !== null) break
        meant.hasReturned = true
        model.end(meant, meant.isOver ? "budget" : "returned")
        break
      }
      case "pass":
        break
      default:
        step satisfies never
    }
  }
  model.sweep(clock.now())
  await fold.status({}, AGENT)
  const { branches } = await fold.list({ all: true, limit: 1_000 })
  const seen = branches.map(({ id, budgetUsed, endReason }) => ({ id, budgetUsed, endReason }))
  const believed = model.all.map((it) => ({ id: it.id, budgetUsed: it.used, endReason: it.reason }))
  expect(seen.toReversed()).toEqual(believed)
  const returned = model.all.filter((it) => it.hasReturned).map((it) => it.id)
  const completed = branches.filter((it) => it.status === "completed").map((it) => it.id)
  expect(completed.toReversed()).toEqual(returned)
}

test("[FOLD-7] any sequence of charges, returns and deadlines satisfies the rules", async () => {
  await fc.assert(
    fc.asyncProperty(Steps, fc.boolean(), async (steps, isWatched) => {
      const fixture = await foldFixture(store, testClock(), {
        config: { memory_max_items: 0, budget_grace_seconds: GRACE_MS / 1_000 },
      })
      if (isWatched) fixture.fold.watch()
      await play(fixture, steps)
      await fixture.fold.close()
    }),
    fcParameters({ numRuns: 400, nightRuns: 10_000 }),
  )
})

/** Timers that are pending, apart from those of the runner itself. */
function countingWaits(clock: Clock) {
  const seen = { waits: 0, most: 0 }
  return {
    seen,
    clock: {
      ...clock,
      async sleep(ms: number, signal?: AbortSignal) {
        seen.most = Math.max(seen.most, ++seen.waits)
        await clock.sleep(ms, signal).finally(() => seen.waits--)
      },
    },
  }
}

const resources = (kind: string): number =>
  process.getActiveResourcesInfo().filter((it) => it === kind).length

const ROUNDS = isNight() ? 100 : 30
const A_ROUND = 100

test(`after ${ROUNDS * A_ROUND} branches no timer is left, and there was never more than one`, async () => {
  const limits = {
    max_concurrent_branches_per_session: 20_000,
    max_concurrent_branches_per_instance: 20_000,
    branch_creation_rate_limit: 1_000_000,
    memory_max_items: 0,
  }
  const base = await foldFixture(store, testClock(), { config: limits })
  const { clock, seen } = countingWaits(base.clock)
  const fold = base.other({ clock })
  const kinds = [...new Set(process.getActiveResourcesInfo())]
  const before = kinds.map(resources)
  fold.watch()
  for (let round = 0; round < ROUNDS; round++) {
    await base.clock.advance(60_000)
    const opened = await Promise.all(
      Array.from({ length: A_ROUND }, () =>
        fold.branch({ ...TASK, parentBranchId: "root" }, AGENT),
      ),
    )
    await Promise.all(
      opened.map(({ branchId }) => fold.return({ branchId, message: "done" }, AGENT)),
    )
  }
  await base.clock.advance(0)
  expect((await fold.list({ all: true, limit: 1 })).total).toBe(ROUNDS * A_ROUND)
  expect(seen).toEqual({ waits: 0, most: 1 })
  const after = [...new Set(process.getActiveResourcesInfo())].filter((it) => !kinds.includes(it))
  expect(after).toEqual([])
  for (const [at, kind] of kinds.entries()) {
    expect(resources(kind)).toBeLessThanOrEqual(before[at] ?? 0)
  }
})

test("the real timer is cleared when nothing is open and when the room is closed", async () => {
  const fixture = await foldFixture(store, testClock())
  const { clock, seen } = countingWaits(systemClock)
  const fold = fixture.other({ clock })
  fold.watch()
  const { branchId } = await fold.branch(TASK, AGENT)
  await expect.poll(() => seen.waits).toBe(1)
  await fold.return({ branchId, message: "done" }, AGENT)
  await expect.poll(() => seen.waits).toBe(0)
  await fold.branch(TASK, AGENT)
  await expect.poll(() => seen.waits).toBe(1)
  await fold.close()
  expect(seen.waits).toBe(0)
  expect((await fixture.fold.list({})).branches.map((it) => it.endReason)).toEqual([
    "shutdown",
    "returned",
  ])
})
