import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { z } from "zod"
import type { Caller } from "#ground/contract"
import { type Store, sql } from "#ground/store"
import { type TestClock, testClock } from "#test/clock"
import { failAtEveryCall } from "#test/faulty-db"
import { fcParameters } from "#test/seed"
import { type FoldEligibility, TERMINAL } from "./deps.ts"
import {
  AGENT,
  CLAUDE,
  type FoldFixture,
  fakeToken,
  foldFixture,
  openWith,
  TASK,
  type TestGateway,
  testGateway,
  words,
} from "./fold.fixture.ts"
import { foldReceipt, openReceipt } from "./receipt.ts"

let store: Store
beforeAll(async () => {
  store = await openWith({ kind: "memory" })
})
afterAll(() => store.close())

async function makeFixture(options?: Parameters<typeof foldFixture>[2]) {
  const gateway = testGateway()
  const deps = { ...gateway.deps, ...options?.deps }
  return { ...(await foldFixture(store, testClock(), { ...options, deps })), gateway }
}

const no = (why: string): FoldEligibility => ({ kind: "no", why })

const NOT_HERE = expect.stringMatching(/^Not folded here: your sub-agent's work was dropped/)

describe("opening", () => {
  test("[FOLD-29] a branch of a proxied session is opened to be folded, without a package", async () => {
    const { fold, gateway } = await makeFixture()
    const opened = await fold.branch(TASK, CLAUDE)
    const { branchId } = opened
    expect(opened).toMatchObject({
      mode: "wire",
      package: null,
      receipt: openReceipt(gateway.key, branchId),
    })
    expect(opened.next).toBe(
      `Work on the sub-task here, then call return with branch_id ${branchId}. Everything ` +
        "between this answer and your return is then removed from your context; only the " +
        "returned text stays, so include paths, line numbers, decisions, changed files and open " +
        "questions. If it cannot be folded, return says so.",
    )
    expect(gateway.asked).toEqual([undefined])
    expect((await fold.show({ id: branchId })).branch).toMatchObject({
      mode: "wire",
      tokensKeptOut: 0,
    })
  })

  test.each([
    ["is absent", {}],
    ["does not proxy the session", { wire: async () => no("it is recorded only") }],
    ["does not respond", { wire: () => Promise.reject(new Error("no such file")) }],
    [
      "has no key",
      { wire: testGateway().deps.wire, receiptKey: () => Promise.reject(new Error()) },
    ],
    ["was passed without a key", { wire: testGateway().deps.wire }],
  ])("[FOLD-29] with a gateway that %s the answer has no receipt", async (_, deps) => {
    const { fold } = await foldFixture(store, testClock(), { deps })
    const opened = await fold.branch(TASK, CLAUDE)
    expect(opened).toMatchObject({ mode: "sub-agent", receipt: null })
    expect(opened.package).toContain("You work on one sub-task")
    const returned = await fold.return({ branchId: opened.branchId, message: "Done" }, CLAUDE)
    expect(returned).toMatchObject({ mode: "sub-agent", receipt: null, note: NOT_HERE })
  })
})

describe("returning", () => {
  test("[FOLD-30] a branch that is eligible at its return is folded, and the answer states what was removed", async () => {
    const { fold, gateway } = await makeFixture()
    const { branchId } = await fold.branch(TASK, CLAUDE)
    await fold.charge({ tokens: 500 }, CLAUDE)
    // Until the return nothing has been removed from the window.
    expect((await fold.status({}, CLAUDE)).branch).toMatchObject({ mode: "wire", tokensKeptOut: 0 })
    const returned = await fold.return({ branchId, message: "It is in a.ts" }, CLAUDE)
    expect(returned).toMatchObject({
      mode: "wire",
      receipt: foldReceipt(gateway.key, branchId),
      tokensKeptOut: null,
      note:
        "Its turns were removed from this conversation, including files read inside: read them " +
        `again if you need them. Its trail is stored: read_handle with handle ${branchId} ` +
        "returns slices of it or searches it.",
    })
    expect(gateway.asked).toEqual([undefined, branchId])
    expect((await fold.list({})).branches).toMatchObject([{ mode: "wire", tokensKeptOut: 496 }])
  })

  test.each([
    ["no longer proxied", no("the gateway has ended"), "the gateway has ended"],
    ["of a gateway that does not respond", new Error("broken"), "the gateway did not respond"],
  ])(
    "[FOLD-30] a session that is %s is not folded, and the answer states why",
    async (...given) => {
      const [, eligibility, why] = given
      const { fold, gateway } = await makeFixture()
      const { branchId } = await fold.branch(TASK, CLAUDE)
      gateway.eligibility = eligibility
      await fold.charge({ tokens: 500 }, CLAUDE)
      const returned = await fold.return({ branchId, message: "Done" }, CLAUDE)
      const note = `Not folded: ${why}. The work inside stays in this conversation.`
      // No sub-agent was used: the work is in the window, except for texts under handles.
      expect(returned).toMatchObject({ mode: "handle", receipt: null, note, tokensKeptOut: 0 })
      expect((await fold.show({ id: branchId })).branch.mode).toBe("handle")
    },
  )

  test("[FOLD-30] the reason for not folding is scrubbed, truncated and free of hidden characters", async () => {
    const token = fakeToken()
    const { fold, gateway } = await makeFixture()
    const { branchId } = await fold.branch(TASK, CLAUDE)
    gateway.eligibility = no(`\u200b${token} ${"x".repeat(500)}`)
    const { note } = await fold.return({ branchId, message: "Done" }, CLAUDE)
    expect(note).toMatch(/^Not folded: [^\u200b]{1,200}\. The work inside/)
    expect(note).not.toContain(token)
  })

  test("[FOLD-30] an unfolded branch of a terminal has mode `none`, not `handles`", async () => {
    const { fold, gateway } = await makeFixture()
    const { branchId } = await fold.branch(TASK, TERMINAL)
    gateway.eligibility = no("it is over")
    expect(await fold.return({ branchId, message: "Done" }, TERMINAL)).toMatchObject({
      mode: "none",
    })
  })

  test("[FOLD-30] a branch opened without the gateway is not folded by a gateway that started later", async () => {
    const { fold, gateway } = await makeFixture()
    gateway.eligibility = no("not yet")
    const { branchId } = await fold.branch(TASK, CLAUDE)
    gateway.eligibility = { kind: "eligible" }
    expect(await fold.return({ branchId, message: "Done" }, CLAUDE)).toMatchObject({
      mode: "sub-agent",
      receipt: null,
      note: expect.stringMatching(/^Not folded/),
    })
    expect(gateway.asked).toEqual([undefined])
  })

  test("[FOLD-30] a branch ended by force is not folded, and neither are its descendants", async () => {
    const { fold, clock } = await makeFixture()
    const top = await fold.branch({ ...TASK, timeoutSeconds: 10 }, CLAUDE)
    const below = await fold.branch({ ...TASK, timeoutSeconds: 100 }, CLAUDE)
    await clock.advance(11_000)
    const { branches } = await fold.list({})
    expect(branches.map(({ id, mode, endReason }) => [id, mode, endReason])).toEqual([
      [below.branchId, "handle", "parent-returned"],
      [top.branchId, "handle", "timeout"],
    ])
  })

  test("[FOLD-30] of two crossing branches neither is folded; an enclosed and an enclosing one are", async () => {
    const { fold, clock } = await makeFixture()
    const open = async () => {
      await clock.advance(1)
      return (await fold.branch({ ...TASK, parentBranchId: "root" }, CLAUDE)).branchId
    }
    const close = async (branchId: string) => {
      await clock.advance(1)
      const { mode, note } = await fold.return({ branchId, message: "Done" }, CLAUDE)
      return [mode, note.slice(0, 40)]
    }
    const [outer, inner] = [await open(), await open()]
    expect(await close(inner)).toMatchObject(["wire", expect.any(String)])
    expect(await close(outer)).toMatchObject(["wire", expect.any(String)])
    const crossed = ["handle", "Not folded: another branch overlaps it. "]
    const [first, second] = [await open(), await open()]
    expect(await close(first)).toEqual(crossed)
    expect(await close(second)).toEqual(crossed)
    expect((await close(await open()))[0]).toBe("wire")
  })

  test("[FOLD-30] ancestors and descendants opened at the same moment do not cross a branch", async () => {
    const { fold } = await makeFixture()
    const ids: string[] = []
    for (let depth = 0; depth < 3; depth++) {
      const parentBranchId = ids.at(-1) ?? "root"
      ids.push((await fold.branch({ ...TASK, parentBranchId }, CLAUDE)).branchId)
    }
    for (const branchId of [ids[1] ?? "", ids[0] ?? ""]) {
      const returned = await fold.return({ branchId, message: "Done" }, CLAUDE)
      expect(returned.mode).toBe("wire")
    }
  })

  test("[FOLD-30] branches of another session or principal do not cross", async () => {
    const { fold } = await makeFixture()
    const other: Caller = { ...CLAUDE, session: "s2" }
    const { branchId } = await fold.branch(TASK, CLAUDE)
    await fold.branch(TASK, other)
    await fold.branch(TASK, { ...CLAUDE, principal: "someone" })
    expect(await fold.return({ branchId, message: "Done" }, CLAUDE)).toMatchObject({ mode: "wire" })
  })

  test("[FOLD-30] a return that fails at any call leaves the branch as it was opened", async () => {
    const it = await makeFixture()
    const { branchId } = await it.fold.branch(TASK, CLAUDE)
    const before = await it.fold.show({ id: branchId })
    await failAtEveryCall(store.forRoom("fold"), {
      write: async (db) => {
        await it.other({ db: async () => db }).return({ branchId, message: "Done" }, CLAUDE)
      },
      afterFailure: async () => expect(await it.fold.show({ id: branchId })).toEqual(before),
    })
    expect((await it.fold.show({ id: branchId })).branch.mode).toBe("wire")
  })
})

type Step =
  | { readonly do: "open"; readonly atRoot: boolean }
  | { readonly do: "return"; readonly which: number }
  | { readonly do: "gateway"; readonly eligibility: FoldEligibility | Error }
  | { readonly do: "repeat"; readonly which: number }

const Steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constant("open" as const), atRoot: fc.boolean() }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("return" as const), which: fc.nat(4) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant("gateway" as const),
        eligibility: fc.constantFrom<FoldEligibility | Error>(
          { kind: "eligible" },
          no("gone"),
          new Error("x"),
        ),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("repeat" as const), which: fc.nat(9) }) },
  ),
  { minLength: 4, maxLength: 16 },
)

type ExpectedBranch = {
  readonly id: string
  readonly parent: string | null
  readonly openedAt: number
  readonly isProxied: boolean
  endedAt?: number
  answer?: string
}

type FoldFixtureWithGateway = FoldFixture<TestClock> & { readonly gateway: TestGateway }

/** Plays steps and predicts, from their numbers alone, which branch may be folded. */
function createPlay({ fold, clock, gateway }: FoldFixtureWithGateway) {
  const all: ExpectedBranch[] = []
  const folded: string[] = []
  const open = () => all.filter((it) => it.endedAt === undefined)
  const isBelow = (it: ExpectedBranch, id: string): boolean =>
    it.parent === id || all.some((one) => one.id === it.parent && isBelow(one, id))
  const isEligible = () =>
    !(gateway.eligibility instanceof Error) && gateway.eligibility.kind === "eligible"
  const isCrossing = (it: ExpectedBranch, row: ExpectedBranch): boolean =>
    it.openedAt > row.openedAt ? it.endedAt === undefined : (it.endedAt ?? -1) > row.openedAt
  const answerTo = (id: string) =>
    fold.return({ branchId: id, message: `of ${id}`, idempotencyKey: id }, CLAUDE)

  async function opens(at: number, atRoot: boolean): Promise<void> {
    const parent = atRoot ? null : (open().at(-1)?.id ?? null)
    const input = { ...TASK, ...(atRoot && { parentBranchId: "root" }) }
    const { branchId, mode } = await fold.branch(input, CLAUDE)
    expect(mode === "wire").toBe(isEligible())
    all.push({ id: branchId, parent, openedAt: at, isProxied: isEligible() })
  }

  async function returns(at: number, row: ExpectedBranch): Promise<void> {
    for (const it of open().filter((one) => isBelow(one, row.id))) it.endedAt = at
    row.endedAt = at
    const isCrossed = all.some((it) => it !== row && isCrossing(it, row))
    const isFolded = row.isProxied && isEligible() && !isCrossed
    const answer = await answerTo(row.id)
    expect(answer.mode === "wire").toBe(isFolded)
    expect(answer.receipt).toBe(isFolded ? foldReceipt(gateway.key, row.id) : null)
    if (isFolded) folded.push(row.id)
    row.answer = JSON.stringify(answer)
  }

  async function take(step: Step, at: number): Promise<void> {
    await clock.advance(1)
    if (step.do === "gateway") gateway.eligibility = step.eligibility
    if (step.do === "open") await opens(at, step.atRoot)
    const row = step.do === "return" ? open()[step.which % Math.max(1, open().length)] : undefined
    if (row !== undefined) await returns(at, row)
    const past = all.filter((it) => it.answer !== undefined)
    const again = step.do === "repeat" ? past[step.which % Math.max(1, past.length)] : undefined
    if (again !== undefined) expect(JSON.stringify(await answerTo(again.id))).toBe(again.answer)
  }
  return { take, folded }
}

test("[FOLD-30] in any order, mode `wire` is reported only when all conditions hold, and repeats give the same bytes", async () => {
  let folded = 0
  const config = { max_depth: 20, max_concurrent_branches_per_session: 20 }
  const property = fc.asyncProperty(Steps, async (steps) => {
    const play = createPlay(await makeFixture({ config }))
    for (const [at, step] of steps.entries()) await play.take(step, at)
    folded += play.folded.length
  })
  await fc.assert(property, fcParameters({ numRuns: 60 }))
  expect(folded).toBeGreaterThan(0)
})

describe("steps removed by the gateway", () => {
  const step = (tool: string | null, text: string, tokens = 10) => ({ tool, text, tokens })
  const folded = async (it: FoldFixtureWithGateway): Promise<string> => {
    await it.clock.advance(1)
    const { branchId } = await it.fold.branch(TASK, CLAUDE)
    await it.fold.return({ branchId, message: "It is in a.ts" }, CLAUDE)
    return branchId
  }
  const trailOf = async ({ fold }: Pick<FoldFixture, "fold">, id: string) =>
    (await fold.show({ id })).trail.map(({ kind, tool, text }) => [kind, tool, text])

  test("[FOLD-31] they precede the result in the trail, once", async () => {
    const it = await makeFixture()
    const branchId = await folded(it)
    await it.fold.keepTrail(branchId, [step(null, "I look at a.ts"), step("Read", "const a = 1")])
    const trail = [
      ["prompt", null, `${TASK.description}\n\n${TASK.prompt}`],
      ["wire", null, "I look at a.ts"],
      ["wire", "Read", "const a = 1"],
      ["result", null, "It is in a.ts"],
    ]
    expect(await trailOf(it, branchId)).toEqual(trail)
    await it.other({}).keepTrail(branchId, [step("Read", "again")])
    expect(await trailOf(it, branchId)).toEqual(trail)
    const seqs = (await it.fold.show({ id: branchId })).trail.map(({ seq }) => seq)
    expect(seqs).toEqual([1, 2, 3, 4])
  })

  test("[FOLD-30] when the provider refuses the fold, the branch says so, and a repeated return does not change", async () => {
    const it = await makeFixture()
    const { branchId } = await it.fold.branch(TASK, CLAUDE)
    const input = { branchId, message: "Done", idempotencyKey: "once" }
    const returned = await it.fold.return(input, CLAUDE)
    expect(returned.mode).toBe("wire")
    await it.fold.unfold(branchId)
    await it.fold.unfold("br_nothing")
    expect((await it.fold.show({ id: branchId })).branch).toMatchObject({
      mode: "handle",
      tokensKeptOut: 0,
    })
    expect(await it.fold.return(input, CLAUDE)).toEqual(returned)
  })

  test("[FOLD-31] a large trail is read in slices, searched and restored within a budget", async () => {
    const it = await makeFixture()
    const branchId = await folded(it)
    const lines = words(3_000).replaceAll(" ", "\n")
    const file = lines.replace("w1500\n", "needle in a haystack\n")
    await it.fold.keepTrail(branchId, [step("Read", file, 3_003), step("Grep", "few")])
    const { trail } = await it.fold.show({ id: branchId })
    const handle = trail[1]?.handle ?? ""
    expect(trail[1]?.text).toContain(`Read, folded out: `)
    expect(trail[1]?.text).not.toContain("needle")
    const found = await it.fold.read({ handle: branchId, query: "needle haystack" }, CLAUDE)
    expect(found.matches).toMatchObject([{ text: "needle in a haystack" }])
    const whole = await it.fold.read({ handle, query: "needle" }, CLAUDE)
    expect(whole).toMatchObject({ totalTokens: 3_003, label: "Read, folded out" })
    expect(whole.matches).toHaveLength(1)
    expect((await it.fold.search({ words: "needle" })).found).toMatchObject([
      { branchId, seq: 2, kind: "wire", tool: "Read", line: "needle in a haystack" },
    ])
    expect((await it.fold.restore({ id: branchId })).text).toContain("needle in a haystack")
    const little = await it.fold.restore({ id: branchId, budget: 300 })
    expect(little.text).toContain("few")
    expect(little.text).not.toContain("needle")
    // Like any handle it is bound to its session.
    await expect(it.fold.read({ handle }, { ...CLAUDE, session: "s2" })).rejects.toMatchObject({
      code: "FOLD_NOT_FOUND",
    })
  })

  test("[FOLD-31] an agent that reads the trail at once gets what the gateway stores a moment later", async () => {
    const it = await makeFixture()
    const branchId = await folded(it)
    const reading = it.fold.read({ handle: branchId }, CLAUDE)
    await it.fold.keepTrail(branchId, [step("Read", "needle", 3)])
    await it.clock.advance(1_000)
    expect((await reading).text).toContain("needle")
  })

  test("[FOLD-31] it is scrubbed; when that fails nothing is stored, and it can be sent again", async () => {
    const token = fakeToken()
    const it = await makeFixture()
    const branchId = await folded(it)
    const before = await it.fold.show({ id: branchId })
    const taken = [step(`Read ${token}`, `key ${token}`), step("Grep", `big ${token}`, 9_000)]
    const failing = {
      redact: () => {
        throw new Error("broken")
      },
    }
    const broken = [async () => failing, () => Promise.reject(new Error("x"))]
    for (const secrets of broken) {
      expect(await it.other({ secrets }).keepTrail(branchId, taken)).toBe(false)
    }
    expect(await it.fold.show({ id: branchId })).toEqual(before)
    expect(await it.fold.keepTrail(branchId, taken)).toBe(true)
    const { text } = await it.fold.restore({ id: branchId })
    expect(text).toContain("key ")
    expect(text).toContain("big ")
    expect(text).not.toContain(token)
    const sum = taken.reduce((all, one) => all + one.tokens, 0)
    const { tokensInWindow, tokensKeptOut, branches } = await it.fold.list({})
    expect(tokensInWindow).toBe(branches[0]?.resultTokens)
    expect(tokensInWindow + tokensKeptOut).toBe(sum)
    expect(branches[0]).toMatchObject({ budgetUsed: sum, isLowerBound: false })
  })

  test("[FOLD-31] metered calls of our own tools are not repeated", async () => {
    const it = await makeFixture()
    const { branchId } = await it.fold.branch(TASK, CLAUDE)
    const call = { caller: CLAUDE, tool: "search", input: "q", text: "found", label: "Found" }
    await it.fold.meter(call)
    await it.fold.return({ branchId, message: "Done" }, CLAUDE)
    await it.fold.keepTrail(branchId, [
      step("mcp__other__search", "of another server"),
      step("mcp__qm__search", '{"text":"found"}'),
      step("mcp__plugin_quartermaster_qm__search", "one more than was metered"),
      step("mcp__qm__return", "of a branch below"),
      step("mcp__qm__return", `{"branch_id":"${branchId}"}`),
      step("search", "a tool of the host"),
    ])
    expect((await trailOf(it, branchId)).map(([kind, tool]) => [kind, tool])).toEqual([
      ["prompt", null],
      ["call", "search"],
      ["wire", "mcp__other__search"],
      ["wire", "mcp__plugin_quartermaster_qm__search"],
      ["wire", "mcp__qm__return"],
      ["wire", "search"],
      ["result", null],
    ])
  })

  test("[FOLD-31] beyond 2,000 steps or 40 million characters the trail states how many are missing", async () => {
    const it = await makeFixture()
    const [many, long] = [await folded(it), await folded(it)]
    await it.fold.keepTrail(
      many,
      Array.from({ length: 2_100 }, (_, at) => step("Read", `n${at}`)),
    )
    const trail = await trailOf(it, many)
    expect(trail).toHaveLength(2_001)
    expect(trail.slice(-2)).toEqual([
      ["wire", null, "[102 more steps folded out and not stored]"],
      ["result", null, "It is in a.ts"],
    ])
    const huge = " ".repeat(20_000_000)
    await it.fold.keepTrail(long, [step("Read", huge), step("Read", huge), step("Read", "x")])
    expect((await trailOf(it, long)).at(-2)?.[2]).toBe("[1 more step folded out and not stored]")
  })

  test("[FOLD-31] a branch that is open, not folded or unknown accepts no steps", async () => {
    const it = await makeFixture()
    const open = (await it.fold.branch(TASK, CLAUDE)).branchId
    it.gateway.eligibility = no("gone")
    const other = { ...CLAUDE, session: "s2" }
    const plain = (await it.fold.branch(TASK, other)).branchId
    await it.fold.return({ branchId: plain, message: "Done" }, other)
    const before = [await it.fold.show({ id: open }), await it.fold.show({ id: plain })]
    const unknown = [`br_${"0".repeat(32)}`, "root", "", "\0", "x".repeat(10_000)]
    for (const id of [open, plain, ...unknown]) await it.fold.keepTrail(id, [step("Read", "x")])
    expect([await it.fold.show({ id: open }), await it.fold.show({ id: plain })]).toEqual(before)
    const elsewhere = await makeFixture()
    const branchId = await folded(elsewhere)
    await it.fold.keepTrail(branchId, [step("Read", "x")])
    expect(await trailOf(elsewhere, branchId)).toHaveLength(2)
  })

  test("[FOLD-31] a store that fails at any call leaves the trail unchanged", async () => {
    const it = await makeFixture()
    const branchId = await folded(it)
    const before = await it.fold.show({ id: branchId })
    const taken = [step(null, "so"), step("Read", words(2_500), 2_500)]
    await failAtEveryCall(store.forRoom("fold"), {
      write: async (db) => void (await it.other({ db: async () => db }).keepTrail(branchId, taken)),
      afterFailure: async () => expect(await it.fold.show({ id: branchId })).toEqual(before),
    })
    expect(await trailOf(it, branchId)).toHaveLength(4)
  })

  test("[FOLD-31] two concurrent writes of the same steps store them once", async () => {
    const it = await makeFixture()
    const branchId = await folded(it)
    const taken = [step("Read", "a"), step("Read", "b")]
    await Promise.all([it.fold.keepTrail(branchId, taken), it.other({}).keepTrail(branchId, taken)])
    expect(await trailOf(it, branchId)).toHaveLength(4)
  })
})

test("[FOLD-20] rows from before the gateway are read unchanged", async () => {
  const it = await makeFixture()
  it.gateway.eligibility = no("not yet")
  const { branchId } = await it.fold.branch(TASK, AGENT)
  const db = store.forRoom("fold")
  const query = sql`SELECT state FROM fold_branches WHERE id = ${branchId}`
  const { state = "" } = (await db.get(z.object({ state: z.string() }), query)) ?? {}
  const { ending: _, isWireKept: __, foldedTokens: ___, ...old } = JSON.parse(state)
  await db.transaction((tx) =>
    tx.run(sql`UPDATE fold_branches SET state = ${JSON.stringify(old)} WHERE id = ${branchId}`),
  )
  expect((await it.fold.show({ id: branchId })).branch.mode).toBe("handle")
  expect(await it.fold.return({ branchId, message: "Done" }, AGENT)).toMatchObject({
    mode: "handle",
    receipt: null,
    note: expect.stringMatching(/^Not folded/),
  })
})
