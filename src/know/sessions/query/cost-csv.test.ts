import { expect, test } from "vitest"
import type { SessionsCost, Spend } from "#ground/contract"
import { costCsv } from "./cost-csv.ts"

const costs = { input: 0, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0, output: 0 }

function aSpend(usd: number | null, unpricedTokens = 0): Spend {
  const tokens = { input: 1, cacheRead: 2, cacheWrite: 3, cacheWriteHour: 4, output: 5 }
  return { usd, price: usd === null ? "unknown" : "known", unpricedTokens, calls: 6, tokens }
}

function aCost(cost: Partial<SessionsCost>): SessionsCost {
  return {
    by: "model",
    since: 0,
    until: 1,
    before: { since: 0, until: 0 },
    rows: [],
    tools: [],
    total: aSpend(1),
    costs,
    change: { beforeUsd: 0, percent: null },
    unpricedModels: [],
    priceTable: "2026-11-17",
    budgets: [],
    month: { since: 0, until: 1, spend: aSpend(1), forecastUsd: null },
    planWindows: [],
    import: { setting: "ask", isRunning: false, waitingFiles: 0, waitingBytes: 0 },
    ...cost,
  }
}

const row = (label: string, spend: Spend) => ({ key: `key of ${label}`, label, spend, costs })

const SPEND_HEAD =
  "calls,input_tokens,cache_read_tokens,cache_write_tokens,cache_write_1h_tokens,output_tokens,cost_usd,unpriced_tokens"

test("[SESSIONS-24] days have a line for each model, with exact money and unknown as a word", () => {
  const models = [
    // The sum of these floats is 0.30000000000000004.
    { model: "opus", spend: aSpend(0.1 + 0.2) },
    { model: "haiku", spend: aSpend(0.000_000_125) },
    { model: "nova-9", spend: aSpend(null, 15) },
  ]
  const rows = [{ ...row("2026-11-14", aSpend(1)), models }]
  expect(costCsv(aCost({ by: "day", rows })).split("\n")).toEqual([
    `day,model,${SPEND_HEAD}`,
    "2026-11-14,opus,6,1,2,3,4,5,0.30,0",
    "2026-11-14,haiku,6,1,2,3,4,5,0.000000125,0",
    "2026-11-14,nova-9,6,1,2,3,4,5,unknown,15",
  ])
})

test("[SESSIONS-24] rows of other groups have the cost of the period before, and no total", () => {
  const rows = [
    { ...row("opus", aSpend(1_234.5)), change: { beforeUsd: 2, percent: 10 } },
    { ...row("nova-9", aSpend(null, 9)), change: { beforeUsd: null, percent: null } },
  ]
  expect(costCsv(aCost({ rows })).split("\n")).toEqual([
    `model,${SPEND_HEAD},cost_before_usd`,
    "opus,6,1,2,3,4,5,1234.50,0,2.00",
    "nova-9,6,1,2,3,4,5,unknown,9,unknown",
  ])
  const tools = [{ tool: "Bash", results: 3, bytes: 4_000, tokens: 1_000 }]
  expect(costCsv(aCost({ by: "tool", tools }))).toBe(
    "tool,results,bytes,tokens_estimated\nBash,3,4000,1000",
  )
})

test.each([
  ["=1+1", "'=1+1"],
  ["+1", "'+1"],
  ["-1", "'-1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["\t=1", "'\t=1"],
  ['=HYPERLINK("x","y")', `"'=HYPERLINK(""x"",""y"")"`],
  ["Fix a, b", '"Fix a, b"'],
  ['Say "no"', '"Say ""no"""'],
  ["two\nlines", '"two\nlines"'],
  ["a-b", "a-b"],
])("[SESSIONS-24] the title %j is no formula and one cell", (title, cell) => {
  const rows = [{ ...row(title, aSpend(1)), key: "s-1" }]
  expect(costCsv(aCost({ by: "session", rows }))).toBe(
    `session,title,${SPEND_HEAD}\ns-1,${cell},6,1,2,3,4,5,1.00,0`,
  )
})
