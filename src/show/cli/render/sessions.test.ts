import { expect, test } from "vitest"
import type { IndexedSession, SessionsCost, SessionsList } from "#ground/contract"
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

test("[CLI-23] the cost of sessions names the title and the start of the id, within 80 columns", () => {
  const cost: SessionsCost = {
    by: "session",
    since: 1_699_000_000_000,
    until: 1_700_000_000_000,
    total: spend,
    rows: [{ key: session.id, label: session.title, spend }],
    tools: [],
    budgets: [],
    planWindows: [],
    unpricedModels: [],
    priceTable: "2026-11-17",
    import: ended,
  }
  expect(render("sessions.cost", cost)).toMatchInlineSnapshot(`
    "$2.19 since 2023-11-03 08:26 UTC, 67 model calls
    List prices of 2026-11-17

    Session               Cost   Input  Cache read  Cache write  1 h write  Output
    14482870 Round the …  $2.19  804    4.8M        120.6k       0          20.1k"
  `)
})
