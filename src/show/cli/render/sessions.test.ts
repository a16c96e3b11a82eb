import { expect, test } from "vitest"
import type { CostChange, IndexedSession, SessionsCost, SessionsList } from "#ground/contract"
import { createScreen, visibleDeep } from "../terminal/screen.ts"
import { loadPrinters } from "./renderers.fixture.ts"

const renderers = await loadPrinters()

const screen = createScreen({ isColored: false, columns: 80 })
const render = (name: string, output: SessionsList | SessionsCost) =>
  renderers[name]?.text(visibleDeep(output), screen) ?? ""

const TOKENS = { input: 804, cacheRead: 4_800_000, cacheWrite: 120_600, output: 20_100 }
const spend = {
  usd: 2.19,
  price: "known",
  unpricedTokens: 0,
  calls: 67,
  tokens: { ...TOKENS, cacheWriteHour: 0 },
} as const

const costs = { input: 0.01, cacheRead: 1.44, cacheWrite: 0.45, cacheWriteHour: 0, output: 0.3 }

const session: IndexedSession = {
  id: "14482870-ead9-4426-8ef1-02e21929afd0",
  host: "claude-code",
  title: "Round the quotes of the harbour tariff half to even, in every line",
  cwd: "/w/shop",
  repository: "/w/shop",
  branch: "fix/rounding",
  version: "2.1.325",
  models: ["claude-sonnet-4-5"],
  startedAt: 1_700_000_000_000,
  endedAt: 1_700_000_000_000,
  turns: 9,
  peakTokens: 132_600,
  windowTokens: 200_000,
  compactions: 0,
  subAgents: 0,
  files: 40,
  context: [],
  spend,
}
const ended = { setting: "machine", isRunning: false, waitingFiles: 0, waitingBytes: 0 } as const

test("[CLI-23] sessions are listed by title, with figures, host, model, repository and branch", () => {
  const other = {
    ...session,
    id: "x",
    host: "codex",
    title: "Fix the pier",
    repository: null,
  } as const
  const unknown = { ...other, branch: null, models: [], files: 0, peakTokens: null, endedAt: null }
  const list = { sessions: [session, unknown], total: 2, import: ended }
  expect(render("sessions.list", list)).toMatchInlineSnapshot(`
    "Id        Session                    Peak    Turns  Cost   Last (UTC)
    14482870  Round the quotes of the …  132.6k  9      $2.19  2023-11-14 22:13
              Claude Code, claude-sonnet-4-5, shop, fix/rounding, 40 files
    x         Fix the pier                       9      $2.19
              Codex"
  `)
})

const month: SessionsCost["month"] = {
  since: Date.UTC(2023, 10, 1),
  until: Date.UTC(2023, 11, 1),
  spend,
  forecastUsd: null,
}

test("[CLI-23] the cost of sessions names the title and the start of the id, within 80 columns", () => {
  const cost: SessionsCost = {
    by: "session",
    since: 1_699_000_000_000,
    until: 1_700_000_000_000,
    before: { since: 1_698_000_000_000, until: 1_699_000_000_000 },
    total: spend,
    costs,
    change: { beforeUsd: 2, percent: 9.5 },
    rows: [
      {
        key: session.id,
        label: session.title,
        spend,
        costs,
      },
    ],
    tools: [],
    budgets: [],
    month,
    planWindows: [],
    unpricedModels: [],
    priceTable: "2026-11-17",
    import: ended,
  }
  expect(render("sessions.cost", cost)).toMatchInlineSnapshot(`
    "$2.19 since 2023-11-03 08:26 UTC, 67 model calls
    +10 % against $2.00 from 2023-10-22 18:40 to 2023-11-03 08:26 UTC
    List prices of 2026-11-17

    Session                         Cost   Input  Cache read  Cache write  Output
    14482870 Round the quotes of …  $2.19  804    4.8M        120.6k       20.1k

    By token type 4
      Token type   Tokens  Cost   Share
      Fresh input  804     $0.01  0 %
      Cache read   4.8M    $1.44  66 %
      Cache write  120.6k  $0.45  21 %
      Output       20.1k   $0.30  14 %"
  `)
})

test("[CLI-23] the cost of models names the change against the period before, within 80 columns", () => {
  const row = (key: string, change: CostChange) => ({ key, label: key, spend, costs, change })
  const cost: SessionsCost = {
    by: "model",
    since: 1_699_000_000_000,
    until: 1_700_000_000_000,
    before: { since: 1_698_000_000_000, until: 1_699_000_000_000 },
    total: { ...spend, usd: 1_234.5, price: "partly unknown", unpricedTokens: 700 },
    costs,
    change: { beforeUsd: 2, percent: null },
    rows: [
      row("claude-sonnet-4-5-20250929", { beforeUsd: 2, percent: 9.5 }),
      row("claude-opus-5", { beforeUsd: 400, percent: -99.4 }),
      row("claude-haiku-4-5", { beforeUsd: 2.18, percent: 0.4 }),
      row("gpt-5-codex", { beforeUsd: 0, percent: null }),
      row("nova-9", { beforeUsd: null, percent: null }),
      row("gpt-5", { beforeUsd: 0.1, percent: 2_090 }),
    ],
    tools: [],
    budgets: [],
    month,
    planWindows: [],
    unpricedModels: ["nova-9"],
    priceTable: "2026-11-17",
    import: ended,
  }
  expect(render("sessions.cost", cost)).toMatchInlineSnapshot(`
    "$1,234.50+ since 2023-11-03 08:26 UTC, 67 model calls, plus 700 tokens with
      unknown price (nova-9)
    Unknown change against $2.00 from 2023-10-22 18:40 to 2023-11-03 08:26 UTC
    List prices of 2026-11-17

    Model                  Cost   Change    Input  Cache read  Cache write  Output
    claude-sonnet-4-5-20…  $2.19  +10 %     804    4.8M        120.6k       20.1k
    claude-opus-5          $2.19  −99 %     804    4.8M        120.6k       20.1k
    claude-haiku-4-5       $2.19  0 %       804    4.8M        120.6k       20.1k
    gpt-5-codex            $2.19  new       804    4.8M        120.6k       20.1k
    nova-9                 $2.19  unknown   804    4.8M        120.6k       20.1k
    gpt-5                  $2.19  +2,090 %  804    4.8M        120.6k       20.1k

    By token type 4
      Token type   Tokens  Cost   Share
      Fresh input  804     $0.01  0 %
      Cache read   4.8M    $1.44  0 %
      Cache write  120.6k  $0.45  0 %
      Output       20.1k   $0.30  0 %"
  `)
})

test("[CLI-23] the cost names this month's forecast, and the format csv prints only its lines", () => {
  const cost: SessionsCost = {
    by: "day",
    since: 1_699_000_000_000,
    until: 1_700_000_000_000,
    before: { since: 1_698_000_000_000, until: 1_699_000_000_000 },
    total: spend,
    costs,
    change: { beforeUsd: 0, percent: null },
    rows: [],
    tools: [],
    budgets: [{ period: "month", limitUsd: 300, spentUsd: 2.19, state: "below" }],
    month: { ...month, forecastUsd: 314.6 },
    planWindows: [],
    unpricedModels: [],
    priceTable: "2026-11-17",
    import: ended,
  }
  const text = render("sessions.cost", cost)
  expect(text).toContain("Budget of this month: $2.19 of $300.00\n")
  expect(text).toContain("This month $2.19, about $315 by 30 November, $15 over\n")
  const csv = `day,${"model,".repeat(40)}`
  expect(render("sessions.cost", { ...cost, csv })).toBe(csv)
})
