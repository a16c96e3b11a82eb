import fc from "fast-check"
import { afterAll, beforeAll, expect, test } from "vitest"
import { z } from "zod"
import { createFold, createSpool } from "#choose/fold"
import { silentLog, systemRandom } from "#ground/base"
import { Config } from "#ground/contract"
import { createSecrets } from "#ground/secrets"
import { openStore, type Store, sql } from "#ground/store"
import { testClock } from "#test/clock"
import { fcParameters } from "#test/seed"
import { tempDirectory } from "#test/temp"
import { createScreen } from "../terminal/screen.ts"
import { loadPrinters } from "./renderers.fixture.ts"

// Figures of branches as the command line prints them and as they are stored; the console's test sums
// the same fields.

let store: Store
beforeAll(async () => {
  const clock = testClock()
  store = await openStore({
    location: { kind: "memory" },
    clock,
    random: systemRandom,
    log: silentLog,
  })
})
afterAll(() => store.close())

const printers = await loadPrinters()
const screen = createScreen({ isColored: false, columns: 400 })

const Tokens = fc.nat(400)
const Steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constantFrom("open", "return", "end", "wait") }),
    fc.record({ do: fc.constantFrom("tool", "hook", "spool"), tokens: Tokens }),
    fc.record({
      do: fc.constant("usage"),
      input: fc.nat(4_000),
      output: fc.nat(50),
      lag: fc.nat(3),
    }),
    fc.record({ do: fc.constantFrom("folded", "unfolded"), tokens: Tokens }),
  ),
  { minLength: 4, maxLength: 25 },
)
type Step = typeof Steps extends fc.Arbitrary<(infer One)[]> ? One : never

const CALLERS = ["claude-code", "other"].map((client) => ({
  principal: "owner",
  client,
  session: client,
}))
const words = (count: number) => Array.from({ length: count }, (_, at) => `w${at}`).join(" ")
const Charged = z.object({
  id: z.string(),
  budget_used: z.int(),
  tokens: z.int(),
  withheld: z.int(),
  kept_under_handles: z.int(),
})

let fixtures = 0

test("[T8][FOLD-32] shown parts add up to shown totals in the command line and the store", async () => {
  await using temp = await tempDirectory()
  await fc.assert(
    fc.asyncProperty(
      Steps,
      fc.constantFrom(...CALLERS),
      fc.boolean(),
      async (steps, caller, isProxied) => {
        const root = `/figures-${++fixtures}`
        const clock = testClock({ now: 1_000_000 })
        const spool = createSpool({
          stateDirectory: `${temp.path}/${fixtures}`,
          random: systemRandom,
          now: clock.now,
        })
        const config = {
          ...Config.parse({}).context_folding,
          memory_max_items: 0,
          default_budget: 1_000,
          branch_creation_rate_limit: 1_000,
        }
        const secrets = createSecrets({ random: systemRandom })
        const fold = createFold({
          db: async () => store.forRoom("fold"),
          config: () => config,
          root: () => root,
          clock,
          random: systemRandom,
          log: silentLog,
          owner: { pid: 1, startedAt: "1", machine: "here", instance: "a" },
          isAlive: () => true,
          count: async () => (text) => text.split(/\s+/).filter(Boolean).length,
          scale: async () => 1.3,
          secrets: async () => secrets,
          memories: async () => [],
          spool,
          ...(isProxied && {
            wire: async () => ({ kind: "eligible" as const }),
            receiptKey: async () => "k".repeat(64),
          }),
        })
        for (const step of steps) {
          await clock.advance(10)
          await perform(step, { fold, clock, caller, folder: `${temp.path}/${fixtures}` })
        }
        await proveFigures(fold, root)
        await fold.close()
      },
    ),
    fcParameters({ numRuns: 60, nightRuns: 2_000 }),
  )
})

type FigureFixture = {
  readonly fold: ReturnType<typeof createFold>
  readonly clock: ReturnType<typeof testClock>
  readonly caller: (typeof CALLERS)[number]
  readonly folder: string
}

async function perform(step: Step, { fold, clock, caller }: FigureFixture): Promise<void> {
  const active = (await fold.status({}, caller)).branch
  const listed = (await fold.list({ all: true })).branches
  const quietly = (work: Promise<unknown>) =>
    work.catch((error: unknown) => expect(error).toHaveProperty("code"))
  if (step.do === "open") await quietly(fold.branch({ description: "d", prompt: "p" }, caller))
  if (step.do === "return" && active !== null) {
    await quietly(fold.return({ branchId: active.id, message: words(7) }, caller))
  }
  if (step.do === "end") await fold.end("", caller)
  if (step.do === "wait") await clock.advance(45_000)
  if (step.do === "tool" && "tokens" in step) {
    // Large texts are stored under a handle.
    const text = words(step.tokens > 300 ? 3_000 : step.tokens)
    await quietly(fold.meter({ caller, tool: "search", input: "q", text, label: "x" }))
  }
  if ((step.do === "hook" || step.do === "spool") && "tokens" in step) {
    await fold.charge({ tokens: step.tokens, tool: "Read" }, caller)
  }
  if (step.do === "usage" && "input" in step) {
    const report = { session: caller.session, agent: "", sentAt: clock.now() - step.lag * 10 }
    await fold.chargeUsage({ ...report, inputTokens: step.input, outputTokens: step.output })
  }
  for (const branch of listed.slice(0, 1)) {
    if (step.do === "folded" && "tokens" in step) {
      await fold.keepTrail(branch.id, [{ tool: "Read", text: "x", tokens: step.tokens * 5 }])
    }
    if (step.do === "unfolded") await fold.unfold(branch.id)
  }
}

async function proveFigures(fold: FigureFixture["fold"], root: string): Promise<void> {
  const tree = await fold.tree({ all: true })
  const list = await fold.list({ all: true, limit: 1_000 })
  const branches = tree.sessions.flatMap((it) => it.branches)
  const sum = (figures: readonly number[]) => figures.reduce((all, it) => all + it, 0)
  const stored = await store.forRoom("fold").all(
    Charged,
    sql`SELECT b.id, b.budget_used, b.kept_under_handles,
      CAST(coalesce(sum(c.tokens), 0) AS BIGINT) AS tokens,
      CAST(coalesce(sum(c.withheld), 0) AS BIGINT) AS withheld
      FROM fold_branches b LEFT JOIN fold_charges c ON c.branch = b.id
      WHERE b.root = ${root} GROUP BY b.id, b.budget_used, b.kept_under_handles`,
  )
  for (const row of stored) {
    const branch = branches.find((it) => it.id === row.id)
    expect([row.tokens, row.withheld]).toEqual([row.budget_used, row.kept_under_handles])
    expect(branch?.budgetUsed).toBe(row.tokens)
    expect(sum(branch?.charges.map((it) => it.tokens) ?? [])).toBe(row.tokens)
    const whole = (branch?.tokensInWindow ?? 0) + (branch?.tokensKeptOut ?? 0)
    expect(whole).toBe(Math.max(row.tokens + row.withheld, branch?.tokensInWindow ?? 0))
    const shown = (await fold.show({ id: row.id })).branch
    expect(shown).toEqual(branch)
  }
  const kept = sum(branches.map((it) => it.tokensKeptOut))
  const inWindow = sum(branches.map((it) => it.tokensInWindow))
  expect([list.tokensKeptOut, list.tokensInWindow]).toEqual([kept, inWindow])
  if (branches.length > 0) provePrinted(tree, list)
}

const figure = (text: string | undefined) => Number((text ?? "").replaceAll(",", ""))

/** The figures are read from the printed text. */
function provePrinted(tree: object, list: object): void {
  const printed = printers["fold.tree"]?.text(tree, screen) ?? ""
  const heads = [
    ...printed.matchAll(/^([\d,]+) tokens saved, ([\d,]+) in the window, ([\d,]+) used/gm),
  ]
  const total = (part: number) => heads.reduce((all, it) => all + figure(it[part]), 0)
  const used = [...printed.matchAll(/([\d,]+)\+? of [\d,]+ tokens/g)].map((it) => figure(it[1]))
  expect(used.reduce((all, it) => all + it, 0)).toBe(total(3))
  const table = printers["fold.list"]?.text(list, screen) ?? ""
  const [, saved, , inWindow] =
    /^([\d,]+) tokens saved by (\d+) \w+, ([\d,]+) in the window/.exec(table) ?? []
  expect([figure(saved), figure(inWindow)]).toEqual([total(1), total(2)])
  const rows = [...table.matchAll(/^br_\S+ .*? ([\d,]+)\+? +([\d,]+) +([\d,]+) +d$/gm)]
  const column = (part: number) => rows.reduce((all, it) => all + figure(it[part]), 0)
  expect([column(1), column(2), column(3)]).toEqual([total(3), total(2), total(1)])
}
