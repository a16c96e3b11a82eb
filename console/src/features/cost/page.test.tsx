import { QueryClient } from "@tanstack/react-query"
import { describe, expect, it } from "vitest"
import type { CostChange, SessionsCost, Spend, WasteFinding, WasteFix } from "../../contract.ts"
import { keys } from "../../data/keys.ts"
import { costParams } from "../../data/paths.ts"
import { failedQuery, renderPage, textOf } from "../../test-page.tsx"
import { smooth } from "./breakdown.tsx"
import { CostPage, daysBetween, modelsIn, seriesOf, ticksOf } from "./page.tsx"

const NOW = Date.UTC(2026, 10, 15, 8, 16)
const DAY = 86_400_000

function aSpend(overrides: Partial<Spend> = {}): Spend {
  return {
    usd: 3.5,
    price: "known",
    unpricedTokens: 0,
    calls: 40,
    tokens: {
      input: 5_000,
      cacheRead: 900_000,
      cacheWrite: 60_000,
      cacheWriteHour: 0,
      output: 12_000,
    },
    ...overrides,
  }
}

const MONTH_END = Date.UTC(2026, 11, 1)
const COSTS = { input: 0.1, cacheRead: 2, cacheWrite: 0.9, cacheWriteHour: 0, output: 0.5 }

function aCost(overrides: Partial<SessionsCost> = {}): SessionsCost {
  return {
    by: "day",
    since: NOW - 29 * DAY,
    until: NOW,
    before: { since: NOW - 59 * DAY, until: NOW - 30 * DAY },
    rows: [
      {
        key: "2026-11-14",
        label: "2026-11-14",
        spend: aSpend(),
        costs: COSTS,
        models: [
          { model: "sonnet", spend: aSpend({ usd: 1 }) },
          { model: "opus", spend: aSpend({ usd: 2.5 }) },
        ],
      },
    ],
    tools: [],
    total: aSpend(),
    costs: COSTS,
    change: { beforeUsd: 2.8, percent: 25 },
    unpricedModels: [],
    priceTable: "2026-11-01",
    planWindows: [],
    budgets: [],
    month: { since: Date.UTC(2026, 10, 1), until: MONTH_END, spend: aSpend(), forecastUsd: null },
    import: { setting: "ask", isRunning: false, waitingFiles: 0, waitingBytes: 0 },
    ...overrides,
  }
}

const DAYS = keys.operation("sessions.cost", { since: "30d", by: "day" })
const render = (queries: QueryClient, address = "") =>
  textOf(
    renderPage(
      queries,
      <CostPage now={NOW} params={costParams.parse(address)} onParams={() => undefined} />,
    ),
  )

function page(cost: SessionsCost, groups: Partial<SessionsCost> = {}, address = ""): string {
  const queries = new QueryClient()
  const { by } = costParams.parse(address)
  queries.setQueryData(DAYS, cost)
  queries.setQueryData(keys.operation("sessions.cost", { since: "30d", by }), aCost(groups))
  return render(queries, address)
}

describe("page Cost", () => {
  it("[CONSOLE-69] shows the sum, the day by kind of token, and rows with cache reads and writes apart", () => {
    const change = { beforeUsd: 5, percent: -50 }
    const trend = [0, 1, 1.5]
    const rows = [{ key: "opus", label: "opus", spend: aSpend({ usd: 2.5 }), costs: COSTS }].map(
      (row) => ({ ...row, change, trend }),
    )
    const text = page(aCost(), { rows })
    expect(text).toContain("$3.50 in 30 days, at list prices; 977.0k tokens in 40 calls")
    expect(text).toContain("93 % from the cache")
    expect(text).toMatch(
      /Sat 14 November 40 calls Token type Tokens Cost Cache read 900\.0k \$2\.00 Cache write 60\.0k \$0\.90 Fresh input 5\.0k \$0\.10 Output 12\.0k \$0\.50 Total 977\.0k \$3\.50/,
    )
    expect(text).toMatch(/opus 40 900\.0k 60\.0k 93 % \$2\.50 −50 % Total/)
    expect(text).toContain("+25 %, $2.80 in the 30 days before")
  })

  it("[CONSOLE-15] no cost, an unknown price and a failure have different texts", async () => {
    const none = aCost({ rows: [], total: aSpend({ calls: 0, usd: 0 }) })
    expect(page(none)).toContain("$ qm sessions import")
    const unknown = page(
      aCost({
        total: aSpend({ price: "partly unknown", unpricedTokens: 2_100_000 }),
        unpricedModels: ["nova-9"],
      }),
    )
    expect(unknown).toContain("No price is known for nova-9; 2.1M tokens are not in the sum.")
    expect(unknown).toContain("$3.50+")
    const failed = render(await failedQuery(DAYS))
    expect(failed).toMatch(/The disk is full.*Try again/)
  })

  it("[CONSOLE-69] budgets show what is spent, also an unknown sum", () => {
    const text = page(
      aCost({
        budgets: [
          { period: "day", limitUsd: 20, spentUsd: 21.5, state: "over" },
          { period: "week", limitUsd: 100, spentUsd: null, state: "unknown" },
        ],
      }),
    )
    expect(text).toContain("$21.50 of $20.00 this day")
    expect(text).toContain("unknown of $100.00 this week")
  })

  it("[CONSOLE-69] this month has a forecast, and names what is over its budget", () => {
    const month = { ...aCost().month, spend: aSpend({ usd: 166.84 }), forecastUsd: 314.6 }
    const limit = { period: "month", limitUsd: 300, spentUsd: 166.84, state: "below" } as const
    const text = page(aCost({ month, budgets: [limit] }))
    expect(text).toContain("$166.84 of $300.00 in November about $315 by 30 November, $15 over")
    expect(page(aCost({ month }))).toContain("$166.84 in November about $315 by 30 November")
    const young = { ...month, forecastUsd: null }
    expect(page(aCost({ month: young, budgets: [limit] }))).toContain("in November no forecast yet")
    expect(page(aCost({ month: young }))).not.toContain("in November")
  })

  it("[CONSOLE-69] tools show the size of their results and no price", () => {
    const tools = [{ tool: "Bash", results: 3, bytes: 4_000, tokens: 1_000 }]
    const text = page(aCost(), { tools, by: "tool" }, "?by=tool")
    expect(text).toMatch(/Tool Results Size Tokens, est\. Bash 3 4\.0 kB 1\.0k/)
  })

  it("[CONSOLE-70] a finding shows its tokens, the change and Apply; an applied one what it saved", () => {
    const finding: WasteFinding = {
      id: "3fa09b12",
      kind: "idle-rule",
      title: "Delete the rule old.md",
      evidence: "It never loads.",
      tokens: 2_300,
      per: "session",
      fix: "Delete it.",
      change: {
        file: ".claude/rules/old.md",
        action: "delete",
        added: [],
        removed: ["Old rules."],
      },
      sessions: [],
    }
    const fix: WasteFix = {
      id: "00000001",
      kind: "unused-server",
      title: "Disable the figma server",
      file: ".claude/settings.local.json",
      appliedAt: NOW - DAY,
      promisedTokens: 11_200,
      realisedTokens: 4_000,
      sessionsAfter: 3,
    }
    const queries = new QueryClient()
    queries.setQueryData(DAYS, aCost())
    queries.setQueryData(keys.operation("sessions.waste", { since: "30d" }), {
      since: NOW,
      sessions: 9,
      findings: [finding],
      applied: [fix, { ...fix, id: "00000002", realisedTokens: null }],
      dismissed: [{ ...finding, id: "00000003", title: "Repair an import" }],
      problems: [],
    })
    const text = render(queries)
    expect(text).toMatch(/Delete the rule old\.md 2\.3k tokens a session/)
    expect(text).toMatch(/delete \.claude\/rules\/old\.md − Old rules\. Apply Dismiss/)
    expect(text).toContain("1 open, 2 applied, 1 dismissed")
    expect(text, "closed at first").toMatch(/Dismissed 1 $/)
    expect(text).toContain("Estimated saving: 11.2k tokens a session saved 4.0k")
    expect(text).toContain("waiting for the next session")
  })

  it("[CONSOLE-69] a change is unknown or new in words, and a trend is the mean of seven days", () => {
    const row = (key: string, change: CostChange) => ({
      key,
      label: key,
      spend: aSpend(),
      costs: COSTS,
      change,
      trend: [null],
    })
    const text = page(aCost({ change: { beforeUsd: null, percent: null } }), {
      rows: [
        row("nova-9", { beforeUsd: null, percent: null }),
        row("haiku", { beforeUsd: 0, percent: null }),
      ],
    })
    expect(text).toContain("change unknown, a cost that is partly unknown in the 30 days before")
    expect(text).toMatch(/nova-9 .* unknown haiku .* new Total/)
    expect(smooth([7, 0, null, 0, 0, 0, 0, 7])).toEqual([7, 3.5, 7 / 3, 1.75, 1.4, 7 / 6, 1, 1])
    expect(smooth([1, null, 3])).toEqual([1, 0, 3])
  })

  it("models of one vendor have one hue, and their own shade", () => {
    const models = ["claude-opus-5", "gpt-5-codex", "claude-haiku-5", "nova-9", "qwen3-coder"]
    expect(seriesOf(models).map((it) => [it.family, it.shade])).toEqual([
      [0, 0],
      [1, 0],
      [0, 1],
      [2, 0],
      [3, 0],
    ])
  })

  it("[CONSOLE-69] the axis names Mondays, the picked day, the months and today", () => {
    const days = daysBetween(NOW - 20 * DAY, NOW)
    const named = (picked: string) => ticksOf(days, picked).filter((it) => it !== "")
    expect(named("")).toEqual(["26", "2", "9"])
    expect(named("2026-11-03"), "Monday 2 is beside it").toEqual(["26", "3", "9"])
    expect(ticksOf(days.slice(0, 3), "")).toEqual(["26", "27", "28"])
    expect(page(aCost())).toMatch(/October November today so far/)
  })

  it("[CONSOLE-69] a hit rate below 65 % is marked", () => {
    const tokens = { ...aSpend().tokens, cacheRead: 10_000 }
    const rows = [{ key: "opus", label: "opus", spend: aSpend({ tokens }), costs: COSTS }]
    const queries = new QueryClient()
    queries.setQueryData(DAYS, aCost())
    const group = keys.operation("sessions.cost", { since: "30d", by: "model" })
    queries.setQueryData(group, aCost({ rows }))
    const params = costParams.parse("")
    const html = renderPage(
      queries,
      <CostPage now={NOW} params={params} onParams={() => undefined} />,
    )
    const meters = html.match(/data-state="\w+" role="meter" aria-label="Cache hit rate"/g)
    expect(meters?.map((it) => it.slice(12, 16))).toEqual(["warn", "neut"])
  })

  it("days without cost have a bar, and models have one order", () => {
    expect(daysBetween(NOW - 2 * DAY, NOW)).toEqual(["2026-11-13", "2026-11-14", "2026-11-15"])
    expect(modelsIn(aCost().rows)).toEqual(["opus", "sonnet"])
  })
})
