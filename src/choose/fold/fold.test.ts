import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Random, systemRandom } from "#ground/base"
import type { Caller, MemoryInjected } from "#ground/contract"
import type { Store } from "#ground/store"
import { testClock } from "#test/clock"
import { failAtEveryCall } from "#test/faulty-db"
import { needs } from "#test/needs"
import { type PostgresCluster, startPostgres } from "#test/postgres"
import { clean, TRAIL_TEXT_LIFE_MS } from "./branch/create.ts"
import {
  AGENT,
  CLAUDE,
  type FoldFixture,
  fakeToken,
  foldFixture,
  openWith,
  TASK,
  testGateway,
  words,
} from "./fold.fixture.ts"
import { HANDLE_LIFE_MS } from "./rows.ts"

const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "no error",
    (error: unknown) => (error instanceof Error && "code" in error ? error.code : error),
  )

/** Old branches are deleted at random, and failures there are ignored. */
const NEVER_CLEANS: Random = {
  bytes: (count) => (count === 2 ? Uint8Array.of(0, 1) : systemRandom.bytes(count)),
}

const liveIds = async ({ fold }: FoldFixture): Promise<readonly string[]> =>
  (await fold.list({ all: true })).branches
    .filter((it) => it.status === "created" || it.status === "active")
    .map((it) => it.id)

function foldSuite(store: () => Store): void {
  const makeFixture = (options?: Parameters<typeof foldFixture>[2]) =>
    foldFixture(store(), testClock(), options)

  test("[FOLD-4] a branch is stored as active with all its options", async () => {
    const { fold, clock, eventNames } = await makeFixture()
    const given = { ...TASK, budget: 100, timeoutSeconds: 60, scope: ["src/"] }
    const opened = await fold.branch(given, AGENT)
    expect(opened.branchId).toMatch(/^br_[0-9a-f]{32}$/)
    expect(opened).toMatchObject({ budgetAllocated: 100, timeoutSeconds: 60, depth: 0 })
    const { branch } = await fold.status({ branchId: opened.branchId }, AGENT)
    expect(branch).toMatchObject({
      ...TASK,
      id: opened.branchId,
      sessionId: "s1",
      parentId: null,
      scope: ["src"],
      status: "active",
      budgetTotal: 100,
      budgetUsed: 0,
      isLowerBound: true,
      deadlineAt: clock.now() + 60_000,
      isPartial: false,
    })
    expect(await eventNames()).toEqual(["fold.branch-created"])
  })

  test("[FOLD-4] a store that fails at any call leaves no open branch", async () => {
    const it = await makeFixture({ deps: { memories: async () => [memory("m1", 5)] } })
    const after: number[] = []
    await failAtEveryCall(store().forRoom("fold"), {
      write: async (db) => {
        await it.other({ db: async () => db, random: NEVER_CLEANS }).branch(TASK, AGENT)
      },
      afterFailure: async () => {
        after.push((await liveIds(it)).length)
        const { branches } = await it.fold.list({ all: true })
        expect(branches.every((branch) => branch.injectedMemoryIds.length === 0)).toBe(true)
      },
    })
    expect(new Set(after)).toEqual(new Set([0]))
    expect(await liveIds(it)).toHaveLength(1)
  })

  test("[T7][FOLD-6] work over the budget counts, and the branch can still return its result", async () => {
    const { fold, eventNames } = await makeFixture()
    const { branchId } = await fold.branch({ ...TASK, budget: 100 }, AGENT)
    const charge = (tokens: number) => fold.charge({ tokens }, AGENT)
    expect(await charge(79)).toMatchObject({ outcome: "charged", budgetUsed: 79 })
    expect(await charge(1)).toMatchObject({ outcome: "warned", budgetUsed: 80 })
    expect(await charge(20)).toMatchObject({ outcome: "charged", budgetUsed: 100 })
    expect(await charge(0)).toMatchObject({ outcome: "charged", budgetUsed: 100 })
    const over = { branchId, budgetUsed: 101, budgetTotal: 100 }
    expect(await charge(1)).toEqual({ outcome: "exhausted", ...over })
    expect(await charge(9)).toMatchObject({ outcome: "charged", budgetUsed: 110 })
    const { branch } = await fold.status({ branchId }, AGENT)
    expect(branch).toMatchObject({ status: "active", isExhausted: true, budgetUsed: 110 })
    const returned = await fold.return({ branchId, message: "found it" }, AGENT)
    expect(returned).toMatchObject({ status: "completed", message: "found it", budgetUsed: 110 })
    const after = (await fold.status({ branchId }, AGENT)).branch
    expect(after).toMatchObject({ endReason: "budget", isPartial: false, result: "found it" })
    expect((await fold.status({ branchId: "root" }, AGENT)).pending).toEqual([])
    expect(await eventNames()).toEqual([
      "fold.branch-created",
      "fold.budget-warned",
      "fold.budget-exhausted",
      "fold.returned",
      "fold.ended",
    ])
  })

  test("[FOLD-6] a branch over its budget that does not return in time ends by force", async () => {
    const { fold, clock, eventNames } = await makeFixture({ config: { budget_grace_seconds: 60 } })
    const { branchId } = await fold.branch({ ...TASK, budget: 100 }, AGENT)
    await fold.charge({ tokens: 101 }, AGENT)
    await clock.advance(59_000)
    // Work in the grace period renews it: the model may not have heard yet.
    await fold.charge({ tokens: 5 }, AGENT)
    await clock.advance(59_000)
    expect((await fold.status({ branchId }, AGENT)).branch?.status).toBe("active")
    await clock.advance(1_000)
    const { branch } = await fold.status({ branchId }, AGENT)
    expect(branch).toMatchObject({ status: "failed", endReason: "budget", isPartial: true })
    expect(branch?.result).toContain("was used up and it did not return in time. Used 106 of 100")
    expect(await eventNames()).not.toContain("fold.timed-out")
  })

  test("[FOLD-6] the grace period never exceeds the time limit", async () => {
    const { fold, clock } = await makeFixture()
    const { branchId } = await fold.branch({ ...TASK, budget: 10, timeoutSeconds: 20 }, AGENT)
    await fold.charge({ tokens: 11 }, AGENT)
    await clock.advance(20_000)
    const { branch } = await fold.status({ branchId }, AGENT)
    expect(branch).toMatchObject({ status: "timeout", endReason: "timeout" })
  })

  test("[FOLD-7] concurrent results of our tools never exceed the budget, and none is applied in part", async () => {
    const it = await makeFixture()
    const { branchId } = await it.fold.branch({ ...TASK, budget: 100 }, AGENT)
    const folds = [it.fold, it.other({}), it.other({})]
    const call = { caller: AGENT, tool: "search", input: "q", text: words(6), label: "x" }
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, (_, at) =>
        folds[at % 3]!.meter(call).then(
          ({ notice }) => (notice === undefined ? "charged" : "warned"),
          (error: unknown) => (error as { code: string }).code,
        ),
      ),
    )
    const { branch, trail } = await it.fold.show({ id: branchId })
    expect(branch).toMatchObject({ budgetUsed: 98, status: "active", isExhausted: true })
    expect(branch.charges).toEqual([{ source: "tool", charges: 14, tokens: 98 }])
    expect(outcomes.filter((one) => one === "charged")).toHaveLength(13)
    expect(outcomes.filter((one) => one === "warned")).toHaveLength(1)
    expect(outcomes.filter((one) => one === "FOLD_BUDGET_EXHAUSTED")).toHaveLength(46)
    expect(trail.reduce((sum, step) => sum + step.tokens, 0)).toBe(98)
    expect(trail.map((step) => step.seq)).toEqual(trail.map((_, at) => at + 1))
  })

  test("[FOLD-7] a charge that fails at any call leaves budget, trail and journal unchanged", async () => {
    const it = await makeFixture()
    const { branchId } = await it.fold.branch({ ...TASK, budget: 100 }, AGENT)
    const before = await it.fold.show({ id: branchId })
    await failAtEveryCall(store().forRoom("fold"), {
      write: async (db) => {
        const charge = { tokens: 85, tool: "Read", paths: ["a.ts"] }
        await it.other({ db: async () => db }).charge(charge, AGENT)
      },
      afterFailure: async () => {
        expect(await it.fold.show({ id: branchId })).toEqual(before)
        expect(await it.eventNames()).toEqual(["fold.branch-created"])
      },
    })
    const { branch } = await it.fold.show({ id: branchId })
    expect(branch).toMatchObject({ budgetUsed: 85, touchedPaths: ["a.ts"] })
    expect(await it.eventNames()).toEqual(["fold.branch-created", "fold.budget-warned"])
  })

  test("[FOLD-9] a return that fails at any call changes nothing", async () => {
    const it = await makeFixture()
    const parent = await it.fold.branch(TASK, AGENT)
    const child = await it.fold.branch(TASK, AGENT)
    const before = await it.fold.list({})
    await failAtEveryCall(store().forRoom("fold"), {
      write: async (db) => {
        const input = { branchId: parent.branchId, message: "Done" }
        await it.other({ db: async () => db }).return(input, AGENT)
      },
      afterFailure: async () => expect(await it.fold.list({})).toEqual(before),
    })
    const { branches } = await it.fold.list({})
    expect(branches.map(({ id, status }) => [id, status])).toEqual([
      [child.branchId, "cancelled"],
      [parent.branchId, "completed"],
    ])
  })

  test("[FOLD-31] steps removed by the gateway precede the result in the trail", async () => {
    const { fold, clock } = await makeFixture({ deps: testGateway().deps })
    const [outer, inner] = [await fold.branch(TASK, CLAUDE), await fold.branch(TASK, CLAUDE)]
    await clock.advance(1)
    const innerReturn = { branchId: inner.branchId, message: "Inner" }
    expect(await fold.return(innerReturn, CLAUDE)).toMatchObject({ mode: "wire" })
    const outerReturn = { branchId: outer.branchId, message: "Outer" }
    expect(await fold.return(outerReturn, CLAUDE)).toMatchObject({ mode: "wire" })
    const taken = [
      { tool: null, text: "half a pair \uD800 and \0", tokens: 5 },
      { tool: "Read", text: words(2_500), tokens: 2_500 },
    ]
    await fold.keepTrail(outer.branchId, taken)
    const { trail } = await fold.show({ id: outer.branchId })
    expect(trail.map(({ seq, kind }) => [seq, kind])).toEqual([
      [1, "prompt"],
      [2, "wire"],
      [3, "wire"],
      [4, "result"],
    ])
    expect(trail[1]?.text).toBe("half a pair \uD800 and \0")
    const { matches } = await fold.read({ handle: outer.branchId, query: "w2499" }, CLAUDE)
    expect(matches.length).toBeGreaterThan(0)
  })

  test("[FOLD-9] active children are ended deepest first, then the branch completes", async () => {
    const { fold, events } = await makeFixture()
    const top = await fold.branch(TASK, AGENT)
    const left = await fold.branch({ ...TASK, parentBranchId: top.branchId }, AGENT)
    const right = await fold.branch({ ...TASK, parentBranchId: top.branchId }, AGENT)
    const deep = await fold.branch({ ...TASK, parentBranchId: left.branchId }, AGENT)
    const returned = await fold.return({ branchId: top.branchId, message: "All" }, AGENT)
    expect(returned.endedChildren[0]).toBe(deep.branchId)
    expect(returned.endedChildren.toSorted()).toEqual(
      [left, right, deep].map((it) => it.branchId).toSorted(),
    )
    const ended = (await events()).filter((it) => it.name === "fold.ended").map((it) => it.body)
    expect(ended.map((it) => it.id)).toEqual([...returned.endedChildren, top.branchId])
    expect(ended.map((it) => it.reason)).toEqual([
      "parent-returned",
      "parent-returned",
      "parent-returned",
      "returned",
    ])
  })

  test("[FOLD-9] a repeated return with the same key gives the same answer, immediately or later", async () => {
    const it = await makeFixture()
    const { branchId } = await it.fold.branch({ ...TASK, budget: 500 }, CLAUDE)
    await it.fold.charge({ tokens: 40, paths: ["src/a.ts"] }, CLAUDE)
    const input = {
      branchId,
      message: "It is in half()",
      evidence: ["half.ts:3"],
      files: ["src/bill/half.ts"],
      openQuestions: ["Since when?"],
      extractMemory: true,
      idempotencyKey: "k1",
    }
    const several = await Promise.all(
      [it.fold, it.other({}), it.fold].map((fold) => fold.return(input, CLAUDE)),
    )
    await it.fold.finishDistillation(branchId, CLAUDE)
    const later = await it.fold.return({ ...input, message: "Another" }, CLAUDE)
    const unnamed = await it.fold.return({ ...input, branchId: "" }, CLAUDE)
    for (const one of [...several, later, unnamed]) expect(one).toEqual(several[0])
    expect(several[0]).toMatchObject({ status: "completed", budgetUsed: 40, tokensKeptOut: 36 })
    const names = await it.eventNames()
    expect(names.filter((name) => name === "fold.returned")).toHaveLength(1)
    expect(await codeOf(it.fold.return({ ...input, idempotencyKey: "k2" }, CLAUDE))).toBe(
      "FOLD_ALREADY_COMPLETED",
    )
  })

  test("[FOLD-8] a branch that times out ends with a partial result, and the parent is notified", async () => {
    const { fold, clock, events } = await makeFixture()
    const { branchId } = await fold.branch({ ...TASK, timeoutSeconds: 10 }, AGENT)
    await fold.charge({ tokens: 30, paths: ["src/a.ts", "src/a.ts"] }, AGENT)
    await fold.status({ progress: "half is read" }, AGENT)
    await clock.advance(10_000)
    const { branch, pending, active } = await fold.status({ branchId }, AGENT)
    expect(branch).toMatchObject({ status: "timeout", endReason: "timeout", isPartial: true })
    expect(branch?.result).toBe(
      "Partial result: ended because its time limit of 10 seconds was reached. Used 30 of 32,768 tokens.\n" +
        "Last progress note: half is read\nTouched files: src/a.ts",
    )
    expect(active).toEqual([])
    expect(pending).toEqual([])
    const root = await fold.status({}, AGENT)
    expect(root).toMatchObject({ branch: null, pending: [{ branchId, endReason: "timeout" }] })
    expect((await events()).at(-2)).toMatchObject({ name: "fold.timed-out", body: { seconds: 10 } })
  })

  test("[FOLD-11] a start after a crash ends the branches of dead processes and no others", async () => {
    const it = await makeFixture()
    const ours = await it.fold.branch(TASK, AGENT)
    const owner = { pid: 77, startedAt: "2.boot", machine: "here", instance: "b" }
    const dead = await it.other({ owner }).branch({ ...TASK, parentBranchId: "root" }, AGENT)
    const living = { ...owner, pid: 78 }
    const alive = await it
      .other({ owner: living })
      .branch({ ...TASK, parentBranchId: "root" }, AGENT)
    const far = { ...owner, machine: "there" }
    const away = await it.other({ owner: far }).branch({ ...TASK, parentBranchId: "root" }, AGENT)
    const restarted = it.other({ isAlive: ({ pid }) => pid === 78 })
    expect(await restarted.recover()).toBe(1)
    expect(await it.fold.show({ id: dead.branchId })).toMatchObject({
      branch: { status: "cancelled", endReason: "shutdown" },
    })
    const left = [ours, alive, away].map((one) => one.branchId)
    expect((await liveIds(it)).toSorted()).toEqual(left.toSorted())
    await it.clock.advance(300_000)
    await it.fold.status({}, AGENT)
    expect(await liveIds(it)).toEqual([])
  })

  test("[FOLD-14] a foreign, guessed, expired or nonexistent id gives the same error", async () => {
    const it = await makeFixture()
    const { branchId } = await it.fold.branch(TASK, AGENT)
    const { handle = "" } = await it.fold.meter(large(AGENT))
    const elsewhere = it.other({ root: () => "/another" })
    const strangers: readonly [typeof it.fold, Caller][] = [
      [it.fold, { ...AGENT, principal: "client:other" }],
      [it.fold, { ...AGENT, session: "s2" }],
      [elsewhere, AGENT],
    ]
    const said = new Set<string>()
    const ask = async (call: Promise<unknown>): Promise<void> => {
      const error = await call.then(
        () => "no error",
        (thrown: unknown) => thrown,
      )
      said.add(JSON.stringify({ ...(error as object), message: (error as Error).message }))
    }
    for (const [fold, caller] of strangers) {
      await ask(fold.read({ handle }, caller))
      await ask(fold.read({ handle: branchId }, caller))
      await ask(fold.status({ branchId }, caller))
      await ask(fold.return({ branchId, message: "mine" }, caller))
      await ask(fold.branch({ ...TASK, parentBranchId: branchId }, caller))
    }
    for (const guess of [
      `br_${"0".repeat(32)}`,
      `rh_${"f".repeat(32)}`,
      "x",
      "\0",
      "' OR 1=1 --",
    ]) {
      await ask(it.fold.read({ handle: guess }, AGENT))
      await ask(it.fold.status({ branchId: guess }, AGENT))
      await ask(it.fold.return({ branchId: guess, message: "mine" }, AGENT))
    }
    await it.clock.advance(HANDLE_LIFE_MS)
    await ask(it.fold.read({ handle }, AGENT))
    expect([...said]).toHaveLength(1)
    expect([...said][0]).toContain("FOLD_NOT_FOUND")
  })

  test("NUL, lone surrogates and non-Latin scripts are returned unchanged", async () => {
    const { fold } = await makeFixture()
    const odd = "NUL \u0000, half \ud800, 世界, \u200d"
    const { branchId } = await fold.branch({ description: odd, prompt: odd }, AGENT)
    await fold.status({ progress: odd }, AGENT)
    await fold.charge({ tokens: 1, text: odd, tool: odd, paths: [odd] }, AGENT)
    const returned = await fold.return({ branchId, message: odd, evidence: [odd] }, AGENT)
    expect(returned).toMatchObject({ message: odd, evidence: [odd], redactions: 0 })
    const { branch, trail } = await fold.show({ id: branchId })
    expect(branch).toMatchObject({ description: odd, prompt: odd, progress: odd, result: odd })
    expect(trail.map((it) => it.text)).toEqual([`${odd}\n\n${odd}`, odd, odd, odd])
    const sessions = ["a\0b", "x".repeat(201), "\udc00"]
    for (const sessionId of sessions) {
      expect(await codeOf(fold.branch({ ...TASK, sessionId }, AGENT))).toBe("FOLD_INVALID_INPUT")
    }
  })

  test("[FOLD-10] a planted secret is in no row, event or answer, wherever it was put", async () => {
    const it = await makeFixture()
    const token = fakeToken()
    const dirty = `before ${token} after`
    const answers: unknown[] = []
    const caller = { ...AGENT, client: dirty }
    const given = { description: dirty, prompt: dirty, scope: [dirty], sessionId: dirty }
    const opened = await it.fold.branch(given, caller)
    answers.push(opened)
    const { branchId } = opened
    answers.push(await it.fold.status({ branchId, progress: dirty, sessionId: dirty }, caller))
    const charge = { tokens: 1, text: dirty, tool: token, paths: [`src/${token}.ts`] }
    answers.push(await it.fold.charge({ ...charge, sessionId: dirty }, caller))
    const call = { caller, sessionId: dirty, tool: "search", input: dirty, label: dirty }
    answers.push(
      await it.fold.meter({ ...call, text: `${dirty}\n${words(3_000)}`, paths: [dirty] }),
    )
    const said = { message: dirty, evidence: [dirty], files: [dirty], openQuestions: [dirty] }
    answers.push(
      await it.fold.return({ branchId, ...said, idempotencyKey: dirty, sessionId: dirty }, caller),
    )
    answers.push(await it.fold.show({ id: branchId }), await it.fold.restore({ id: branchId }))
    answers.push(await it.fold.tree({}), await it.events())
    expect(JSON.stringify(answers)).not.toContain(token)
    expect(JSON.stringify(await it.fold.show({ id: branchId }))).toContain("[redacted: ")
    expect((await it.fold.search({ words: token })).found).toEqual([])
    const { branch } = await it.fold.show({ id: branchId })
    expect(branch.redactions).toBeGreaterThanOrEqual(12)
  })

  test("the oldest finished branches are deleted with their trails, and so are expired handles", async () => {
    const it = await makeFixture()
    const ids: string[] = []
    for (let at = 0; at < 5; at++) {
      const { branchId } = await it.fold.branch({ ...TASK, parentBranchId: "root" }, AGENT)
      await it.fold.meter(large(AGENT))
      if (at !== 1) await it.fold.return({ branchId, message: "ok" }, AGENT)
      await it.clock.advance(1_000)
      ids.push(branchId)
    }
    const loose = await it.fold.meter(large({ ...AGENT, session: "none" }))
    await clean(it.deps, 2)
    const kept = (await it.fold.list({ all: true })).branches.map((branch) => branch.id)
    expect(kept.toSorted()).toEqual([ids[1]!, ids[3]!, ids[4]!].toSorted())
    expect(await codeOf(it.fold.show({ id: ids[0]! }))).toBe("FOLD_NOT_FOUND")
    await it.clock.advance(HANDLE_LIFE_MS)
    await clean(it.deps, 2)
    expect((await it.fold.restore({ id: ids[4]! })).text).toContain("w2999")
    await it.clock.advance(TRAIL_TEXT_LIFE_MS)
    await clean(it.deps, 2)
    expect((await it.fold.restore({ id: ids[4]! })).text).not.toContain("w1500")
    expect(loose.handle).toMatch(/^rh_/)
  })

  test("[FOLD-24] a session that has read external text is marked", async () => {
    const { fold } = await makeFixture()
    expect(await fold.hasReadUntrusted("s1")).toBe(false)
    await fold.charge({ tokens: 1, tool: "Read" }, AGENT)
    await fold.charge({ tokens: 1, tool: "mcp__qm__search" }, AGENT)
    expect(await fold.hasReadUntrusted("s1")).toBe(false)
    await fold.charge({ tokens: 1, tool: "WebFetch" }, AGENT)
    await fold.charge({ tokens: 1, tool: "WebFetch" }, AGENT)
    const small = { tool: "t", input: "", text: "x", label: "l", isUntrusted: true }
    await fold.meter({ ...small, caller: { ...AGENT, session: "s2" } })
    await fold.charge({ tokens: 1, tool: "mcp__github__get_issue", sessionId: "s3" }, AGENT)
    for (const session of ["s1", "s2", "s3"]) {
      expect(await fold.hasReadUntrusted(session)).toBe(true)
    }
    expect(await fold.hasReadUntrusted("s4")).toBe(false)
  })
}

function large(caller: Caller) {
  return { caller, tool: "search", input: "q", text: words(3_000), label: "Found lines" }
}

function memory(id: string, tokens: number): MemoryInjected {
  const shape = { kind: "fix", title: id, text: `note ${id}`, state: "confirmed", why: [] } as const
  return { ...shape, id, tokens, confidence: 0.9, why: [] }
}

describe("[FOLD-4] SQLite", () => {
  let store: Store
  beforeAll(async () => {
    store = await openWith({ kind: "memory" })
  })
  afterAll(() => store.close())
  foldSuite(() => store)
})

describe.runIf(needs("FOLD-4", "postgres"))("[FOLD-4] Postgres", () => {
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
  foldSuite(() => store)
})
