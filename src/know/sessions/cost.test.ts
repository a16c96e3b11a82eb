import { describe, expect, test } from "vitest"
import type { CostByType } from "#ground/contract"
import { sql } from "#ground/store"
import { needs } from "#test/needs"
import { startPostgres } from "#test/postgres"
import { CALL, sessionsFixture } from "#test/sessions-room"
import {
  claudeAnswer,
  claudeFile,
  claudePrompt,
  claudeResult,
  codexFile,
  codexLine,
  codexStart,
  codexUsage,
  sessionIdOf,
  writeLines,
} from "#test/transcripts"

const DAY_MS = 86_400_000
/** The test clock starts here. */
const TODAY = Date.UTC(2026, 0, 1)
const CWD = "/w/shop"
const text = (words: string) => ({ type: "text", text: words })

/**
 * In US dollars per million tokens (input, output, cache read, write, write for an hour):
 * sonnet-4-5 3, 15, 0.30, 3.75, 6; opus-4-5 5, 25, 0.50; haiku-4-5 1, 5, 0.10, 1.25;
 * gpt-5-codex 1.25, 10, 0.125.
 *
 * A1 sonnet  1,000 × 3 + 2,000 × 15 + 100,000 × 0.30 + 20,000 × 3.75 + 10,000 × 6 = 198,000  $0.19800
 * A2 opus      200 × 5 + 1,000 × 25 + 50,000 × 0.50                               =  51,000  $0.05100
 * A3 haiku   5,000 × 1 + 1,000 × 5 + 8,000 × 1.25                                 =  20,000  $0.02000
 * A4 nova-9  500 input + 200 output, no price
 * C1 codex   4,000 × 1.25 + 6,000 × 0.125 + 500 × 10                              =  10,750  $0.01075
 * C2 codex   2,000 × 1.25 + 18,000 × 0.125 + 1,000 × 10                           =  14,750  $0.01475
 *                                                                                   294,500  $0.29450
 */
async function sheet(location?: Parameters<typeof sessionsFixture>[0]) {
  const fixture = await sessionsFixture(location)
  const claude = sessionIdOf("sheet")
  const codex = sessionIdOf("sheet of codex")
  const yesterday = TODAY - DAY_MS + 1_000
  const at = { cwd: CWD, sessionId: claude, at: TODAY - 2 * DAY_MS + 1_000 }
  const later = { ...at, at: yesterday + 7_000 }
  const usage = {
    input: 1_000,
    output: 2_000,
    cacheRead: 100_000,
    cacheWrite: 20_000,
    cacheWriteHour: 10_000,
  }
  const main = [
    claudePrompt("Round the quotes", at),
    ...claudeAnswer(
      {
        id: "a1",
        model: "claude-sonnet-4-5-20250929",
        usage,
        blocks: [
          text("First"),
          text("Second"),
          { type: "tool_use", id: "u1", name: "Read", input: { file_path: "/w/shop/a.ts" } },
        ],
      },
      at,
    ),
    ...claudeAnswer(
      {
        id: "a2",
        model: "claude-opus-4-5",
        usage: { input: 200, output: 1_000, cacheRead: 50_000 },
        blocks: [text("Done")],
      },
      later,
    ),
    ...claudeAnswer(
      { id: "a4", model: "nova-9", usage: { input: 500, output: 200 }, blocks: [text("Other")] },
      later,
    ),
    ...claudeAnswer(
      {
        id: "a5",
        model: "<synthetic>",
        usage: { input: 9_999, output: 9_999 },
        blocks: [text("Error")],
      },
      later,
    ),
  ]
  await writeLines(claudeFile(fixture.home, CWD, claude), main)
  const inner = { ...later, isSidechain: true }
  const agent = claudeFile(fixture.home, CWD, claude).replace(".jsonl", "/subagents/agent-x1.jsonl")
  await writeLines(
    agent,
    claudeAnswer(
      {
        id: "a3",
        model: "claude-haiku-4-5",
        usage: { input: 5_000, output: 1_000, cacheWrite: 8_000 },
        blocks: [text("Found")],
      },
      inner,
    ),
  )
  await writeLines(agent.replace(".jsonl", ".meta.json"), [{ agentType: "Explore" }])
  await writeLines(codexFile(fixture.home, codex, yesterday), [
    ...codexStart({ id: codex, cwd: "/w/other", model: "gpt-5-codex", at: yesterday }),
    codexLine("event_msg", { type: "user_message", message: "Fix the pier" }, yesterday),
    codexUsage({ input: 10_000, cacheRead: 6_000, output: 500 }, yesterday),
    codexUsage({ input: 10_000, cacheRead: 6_000, output: 500 }, yesterday),
    codexUsage({ input: 30_000, cacheRead: 24_000, output: 1_500 }, yesterday + 1_000, {
      input: 20_000,
      cacheRead: 18_000,
      output: 1_000,
    }),
  ])
  await fixture.index.import({ scope: "machine" }, CALL)
  return { fixture, claude, codex }
}

type Cost = Awaited<ReturnType<Awaited<ReturnType<typeof sheet>>["fixture"]["index"]["cost"]>>
const dollars = ({ rows }: Cost) =>
  Object.fromEntries(
    rows.map((it) => [it.label, it.spend.usd === null ? it.spend.price : it.spend.usd.toFixed(5)]),
  )

test("[SESSIONS-9] costs equal a hand-computed sheet, cache prices included, by every group", async () => {
  const { fixture, claude, codex } = await sheet()
  await using it = fixture
  const cost = (by: Parameters<typeof it.index.cost>[0]["by"]) =>
    it.index.cost({ since: "30d", by }, CALL)
  const { total, unpricedModels } = await cost("model")
  expect(total).toEqual({
    usd: expect.closeTo(0.2945, 9),
    price: "partly unknown",
    unpricedTokens: 700,
    calls: 6,
    tokens: {
      input: 1_000 + 200 + 5_000 + 500 + 4_000 + 2_000,
      output: 2_000 + 1_000 + 1_000 + 200 + 500 + 1_000,
      cacheRead: 100_000 + 50_000 + 6_000 + 18_000,
      cacheWrite: 20_000 + 8_000,
      cacheWriteHour: 10_000,
    },
  })
  expect(unpricedModels).toEqual(["nova-9"])
  expect(dollars(await cost("model"))).toEqual({
    "claude-sonnet-4-5-20250929": "0.19800",
    "claude-opus-4-5": "0.05100",
    "gpt-5-codex": "0.02550",
    "claude-haiku-4-5": "0.02000",
    "nova-9": "unknown",
  })
  expect(dollars(await cost("day"))).toEqual({ "2025-12-30": "0.19800", "2025-12-31": "0.09650" })
  const days = (await cost("day")).rows.map((row) =>
    row.models?.map(({ model, spend }) => [model, spend.usd?.toFixed(5) ?? spend.price]),
  )
  expect(days).toEqual([
    [["claude-sonnet-4-5-20250929", "0.19800"]],
    [
      ["claude-opus-4-5", "0.05100"],
      ["gpt-5-codex", "0.02550"],
      ["claude-haiku-4-5", "0.02000"],
      ["nova-9", "unknown"],
    ],
  ])
  expect(dollars(await cost("week"))).toEqual({ "2025-12-29": "0.29450" })
  expect((await cost("week")).rows[0]?.models).toHaveLength(5)
  expect(dollars(await cost("repository"))).toEqual({ "/w/shop": "0.26900", "/w/other": "0.02550" })
  expect(dollars(await cost("agent"))).toEqual({
    "claude-code main": "0.24900",
    "claude-code Explore": "0.02000",
    "codex main": "0.02550",
  })
  expect(dollars(await cost("session"))).toEqual({
    "Round the quotes": "0.26900",
    "Fix the pier": "0.02550",
  })
  expect((await cost("session")).rows.map((row) => row.key)).toEqual([claude, codex])
  expect(dollars(await cost("host"))).toEqual({ "claude-code": "0.26900", codex: "0.02550" })
})

/** The rows of the sheet by column. */
test("[SESSIONS-21] costs by token type equal the sheet and add up to the cost of each row", async () => {
  const { fixture } = await sheet()
  await using it = fixture
  const perMillion = {
    input: 1_000 * 3 + 200 * 5 + 5_000 * 1 + 4_000 * 1.25 + 2_000 * 1.25,
    cacheRead: 100_000 * 0.3 + 50_000 * 0.5 + 6_000 * 0.125 + 18_000 * 0.125,
    cacheWrite: 20_000 * 3.75 + 8_000 * 1.25,
    cacheWriteHour: 10_000 * 6,
    output: 2_000 * 15 + 1_000 * 25 + 1_000 * 5 + 500 * 10 + 1_000 * 10,
  }
  for (const by of COST_GROUPS) {
    const { costs, total, rows } = await it.index.cost({ since: "30d", by }, CALL)
    for (const type of typed(costs)) expect(costs[type]).toBeCloseTo(perMillion[type] / 1e6, 12)
    const sums = [{ spend: total, costs }, ...rows].map((row) =>
      typed(row.costs).reduce((sum, type) => sum + row.costs[type], 0),
    )
    const all = [total, ...rows.map((row) => row.spend)]
    expect(sums.map((sum) => sum.toFixed(9))).toEqual(all.map((one) => (one.usd ?? 0).toFixed(9)))
    const dollars = rows.reduce((sum, row) => sum + (row.spend.usd ?? 0), 0)
    if (by !== "tool") expect(dollars).toBeCloseTo(0.2945, 12)
  }
})

describe.runIf(needs("SESSIONS-21", "postgres"))("on Postgres", () => {
  test("[SESSIONS-21] costs, changes and trends equal those on SQLite by every group", async () => {
    await using cluster = await startPostgres()
    const { fixture: first } = await sheet()
    await using sqlite = first
    const { fixture: second } = await sheet({
      kind: "postgres",
      url: await cluster.createDatabase(),
    })
    await using postgres = second
    for (const by of COST_GROUPS) {
      const figures = async (it: typeof sqlite) => {
        const { rows, total, costs, change } = await it.index.cost({ since: "30d", by }, CALL)
        return JSON.parse(JSON.stringify({ rows, total, costs, change }), (_, value) =>
          typeof value === "number" ? Number(value.toFixed(9)) : value,
        )
      }
      expect(await figures(postgres)).toEqual(await figures(sqlite))
    }
  })
})

const COST_GROUPS = [
  "day",
  "week",
  "model",
  "repository",
  "agent",
  "session",
  "host",
  "tool",
] as const
const typed = (costs: CostByType) =>
  (["input", "cacheRead", "cacheWrite", "cacheWriteHour", "output"] as const).filter(
    (type) => type in costs,
  )

/**
 * Two days until now, 10:00 on 1 January: 31 December and today; before: 29 December and 30 December
 * until 10:00. Opus 5 and 25 per million tokens, so 100,000 input tokens cost 0.50.
 */
test("[SESSIONS-22] a change compares with the same hours of the period before", async () => {
  await using it = await sessionsFixture()
  await it.clock.advance(10 * 3_600_000)
  const sessionId = sessionIdOf("change")
  const call = (id: string, [model, at, input]: readonly [string, number, number]) =>
    claudeAnswer(
      { id, model, usage: { input, output: 0 }, blocks: [text("Done")] },
      { cwd: CWD, sessionId, at },
    )
  const [opus, haiku] = ["claude-opus-4-5", "claude-haiku-4-5"]
  const hours = 3_600_000
  await writeLines(claudeFile(it.home, CWD, sessionId), [
    ...call("too-early", [opus, TODAY - 3 * DAY_MS - 1, 9_000_000]),
    ...call("before-1", [opus, TODAY - 3 * DAY_MS, 200_000]),
    ...call("before-2", [opus, TODAY - 2 * DAY_MS + 9 * hours, 200_000]),
    ...call("between", [opus, TODAY - 2 * DAY_MS + 11 * hours, 9_000_000]),
    ...call("nova-before", ["nova-9", TODAY - 3 * DAY_MS, 10]),
    ...call("gone", ["gpt-5", TODAY - 3 * DAY_MS, 400_000]),
    ...call("now-1", [opus, TODAY - DAY_MS, 100_000]),
    ...call("now-2", [opus, TODAY + 9 * hours, 200_000]),
    ...call("now-3", [haiku, TODAY + 9 * hours, 500_000]),
    ...call("nova", ["nova-9", TODAY, 10]),
  ])
  await it.index.import({ scope: "machine" }, CALL)
  const { rows, before, change } = await it.index.cost({ since: "2d", by: "model" }, CALL)
  expect(before).toEqual({
    since: TODAY - 3 * DAY_MS,
    until: TODAY - 2 * DAY_MS + 10 * hours + 1,
  })
  expect(Object.fromEntries(rows.map((row) => [row.key, [row.change, row.trend]]))).toEqual({
    [opus]: [
      { beforeUsd: expect.closeTo(2, 9), percent: expect.closeTo(-25, 9) },
      [expect.closeTo(0.5, 9), expect.closeTo(1, 9)],
    ],
    [haiku]: [{ beforeUsd: 0, percent: null }, [0, expect.closeTo(0.5, 9)]],
    "nova-9": [{ beforeUsd: null, percent: null }, [0, null]],
  })
  expect(change).toEqual({ beforeUsd: null, percent: null })
  const days = await it.index.cost({ since: "2d", by: "day" }, CALL)
  expect(days.rows.map((row) => [row.change, row.trend])).toEqual([
    [undefined, undefined],
    [undefined, undefined],
  ])
  const hour = await it.index.cost({ since: "5h", by: "model" }, CALL)
  expect(hour.before).toEqual({ since: hour.since - 5 * hours - 1, until: hour.since })
})

test("[SESSIONS-9] a period, a host and a repository limit the sum", async () => {
  const { fixture } = await sheet()
  await using it = fixture
  const usd = async (input: Partial<Parameters<typeof it.index.cost>[0]>) =>
    (await it.index.cost({ since: "30d", by: "day", ...input }, CALL)).total.usd?.toFixed(5)
  expect(await usd({ since: "2d" })).toBe("0.09650")
  expect(await usd({ since: "2025-12-31" })).toBe("0.09650")
  expect(await usd({ host: "codex" })).toBe("0.02550")
  expect(await usd({ repository: "/w/shop" })).toBe("0.26900")
  expect(await usd({ since: "1d" })).toBe("0.00000")
})

test("[SESSIONS-10] a call that two transcripts contain counts once in the cost", async () => {
  const { fixture } = await sheet()
  await using it = fixture
  const fork = sessionIdOf("fork")
  const at = { cwd: CWD, sessionId: fork, at: TODAY - DAY_MS }
  const copied = claudeAnswer(
    {
      id: "a2",
      model: "claude-opus-4-5",
      usage: { input: 200, output: 1_000, cacheRead: 50_000 },
      blocks: [text("Done")],
    },
    at,
  )
  await writeLines(claudeFile(it.home, CWD, fork), [claudePrompt("Go on", at), ...copied])
  await it.index.import({ scope: "machine" }, CALL)
  const { total } = await it.index.cost({ since: "30d", by: "day" }, CALL)
  expect(total.usd).toBeCloseTo(0.2945, 9)
})

test("[SESSIONS-11] prices are computed again when the price table changed", async () => {
  const { fixture } = await sheet()
  await using it = fixture
  await it.db.run(sql`UPDATE session_calls SET usd = 99, prices = 'old'`)
  const { total } = await it.index.cost({ since: "30d", by: "day" }, CALL)
  expect(total.usd).toBeCloseTo(0.2945, 9)
})

test("[SESSIONS-12] a budget is below, near or over its limit for this day, week and month", async () => {
  const { fixture } = await sheet()
  await using it = fixture
  const states = async (dayBudget: number, weekBudget: number, monthBudget = 0) => {
    Object.assign(it.settings, { dayBudget, weekBudget, monthBudget })
    const { budgets } = await it.index.cost({ since: "30d", by: "day" }, CALL)
    return budgets.map((budget) => `${budget.period} ${budget.state}`)
  }
  expect(await states(0, 0)).toEqual([])
  expect(await states(1, 0.2945)).toEqual(["day below", "week over"])
  expect(await states(0, 0.3)).toEqual(["week near"])
  expect(await states(0, 10)).toEqual(["week below"])
  // The calls were in the month before.
  expect(await states(0, 0, 0.01)).toEqual(["month below"])
})

/**
 * Sonnet 4.5 above 200,000 tokens of prompt: 6, 22.50, 0.60, 7.50, 12 for the whole request.
 *
 * L1   2,000 × 3 + 500 × 15 + 178,000 × 0.30 + 20,000 × 3.75         =   141,900  $0.1419
 * L2   2,001 × 6 + 500 × 22.50 + 178,000 × 0.60 + 20,000 × 7.50      =   280,056  $0.280056
 * L3 500,000 × 6 + 4,000 × 22.50 + 10,000 × 12                       = 3,210,000  $3.21
 * L4 500,000 × 3 + 4,000 × 15 (Sonnet 4.6 has no price of its own)   = 1,560,000  $1.56
 */
test("[SESSIONS-9] a long prompt of Sonnet 4.5 has the higher prices of its whole request", async () => {
  await using it = await sessionsFixture()
  const sessionId = sessionIdOf("long prompts")
  const at = { cwd: CWD, sessionId, at: TODAY - 1_000 }
  const call = (id: string, model: string, usage: Parameters<typeof claudeAnswer>[0]["usage"]) =>
    claudeAnswer({ id, model, usage, blocks: [text("Read")] }, at)
  const sonnet = "claude-sonnet-4-5-20250929"
  const cached = { output: 500, cacheRead: 178_000, cacheWrite: 20_000 }
  const long = { input: 500_000, output: 4_000 }
  const models = async (lines: readonly object[]) => {
    await writeLines(claudeFile(it.home, CWD, sessionId), lines)
    await it.index.import({ scope: "machine" }, CALL)
    const { rows } = await it.index.cost({ since: "7d", by: "model" }, CALL)
    return Object.fromEntries(rows.map(({ key, spend }) => [key, spend.usd]))
  }
  expect(await models(call("l1", sonnet, { input: 2_000, ...cached }))).toEqual({
    [sonnet]: expect.closeTo(0.1419, 9),
  })
  const all = [
    ...call("l2", sonnet, { input: 2_001, ...cached }),
    ...call("l3", sonnet, { ...long, cacheWriteHour: 10_000 }),
    ...call("l4", "claude-sonnet-4-6", long),
  ]
  expect(await models(all)).toEqual({
    [sonnet]: expect.closeTo(0.280056 + 3.21, 9),
    "claude-sonnet-4-6": expect.closeTo(1.56, 9),
  })
  const { costs } = await it.index.cost({ since: "7d", by: "model" }, CALL)
  expect(costs).toEqual({
    input: expect.closeTo(0.012006 + 3 + 1.5, 9),
    cacheRead: expect.closeTo(0.1068, 9),
    cacheWrite: expect.closeTo(0.15, 9),
    cacheWriteHour: expect.closeTo(0.12, 9),
    output: expect.closeTo(0.01125 + 0.09 + 0.06, 9),
  })
})

test("[SESSIONS-13] tool results are added up by tool", async () => {
  await using it = await sessionsFixture()
  const sessionId = sessionIdOf("tools")
  const at = { cwd: CWD, sessionId, at: TODAY - 1_000 }
  const use = (id: string, name: string) =>
    claudeAnswer(
      {
        id,
        model: "claude-opus-4-5",
        usage: { input: 1, output: 1 },
        blocks: [{ type: "tool_use", id, name, input: {} }],
      },
      at,
    )
  await writeLines(claudeFile(it.home, CWD, sessionId), [
    claudePrompt("Look", at),
    ...use("u1", "Read"),
    claudeResult("u1", "x".repeat(5_000), at),
    ...use("u2", "Read"),
    claudeResult("u2", "short", at),
    ...use("u3", "Bash"),
    claudeResult("u3", "ok", at),
  ])
  await it.index.import({ scope: "machine" }, CALL)
  const { tools } = await it.index.cost({ since: "7d", by: "tool" }, CALL)
  expect(tools.map(({ tool, results, bytes }) => [tool, results, bytes])).toEqual([
    ["Read", 2, 5_005],
    ["Bash", 1, 2],
  ])
})

test("[SESSIONS-20] windows of a subscription come from the newest transcript, until they reset", async () => {
  await using fixture = await sessionsFixture()
  const now = fixture.clock.now()
  const report = (at: number, limits: object) =>
    codexLine("event_msg", { type: "token_count", info: null, rate_limits: limits }, at)
  const write = (name: string, at: number, limits: object) => {
    const id = sessionIdOf(name)
    const start = codexStart({ id, cwd: CWD, model: "gpt-5-codex", at })
    return writeLines(codexFile(fixture.home, id, at), [...start, report(at, limits)])
  }
  await write("older", now - DAY_MS, { primary: { used_percent: 99, window_minutes: 300 } })
  await write("newer", now - 1_000, {
    limit_id: "codex",
    limit_name: null,
    primary: { used_percent: 41.5, window_minutes: 300, resets_at: now / 1_000 + 60 },
    secondary: { used_percent: 12, window_minutes: 10_080, resets_at: now / 1_000 + 3_600 },
    credits: null,
    individual_limit: null,
    plan_type: "plus",
    rate_limit_reached_type: null,
  })
  await fixture.index.import({ scope: "machine" }, CALL)
  const { planWindows } = await fixture.index.cost({ since: "7d", by: "day" }, CALL)
  expect(planWindows).toEqual([
    {
      host: "codex",
      windowMinutes: 300,
      usedPercent: 41.5,
      resetsAt: now + 60_000,
      at: now - 1_000,
    },
    {
      host: "codex",
      windowMinutes: 10_080,
      usedPercent: 12,
      resetsAt: now + 3_600_000,
      at: now - 1_000,
    },
  ])
  await fixture.clock.advance(61_000)
  const later = await fixture.index.cost({ since: "7d", by: "day" }, CALL)
  expect(later.planWindows.map((it) => it.windowMinutes)).toEqual([10_080])
})
