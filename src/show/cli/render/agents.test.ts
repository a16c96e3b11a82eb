import { expect, test } from "vitest"
import type { Run } from "#ground/contract"
import { createScreen } from "../terminal/screen.ts"
import { loadPrinters } from "./renderers.fixture.ts"

const renderers = await loadPrinters()

const screen = createScreen({ isColored: false, columns: 100 })
const render = (name: string, output: unknown) => renderers[name]?.text(output, screen) ?? ""

const RUN: Run = {
  id: "run_1",
  type: "synthetic",
  title: "Mend the total",
  isTitleOwn: false,
  prompt: "Mend the total",
  status: "completed",
  cwd: "/x",
  model: "m",
  mode: "ask",
  sessionId: null,
  hostVersion: null,
  createdAt: 0,
  startedAt: 0,
  endedAt: 0,
  updatedAt: 0,
  lastSeq: 3,
  turns: 1,
  error: null,
  cost: {
    usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
    reportedUsd: 0.05,
    computedUsd: null,
  },
  budgetUsd: null,
  budgetTokens: null,
  contextUsed: 11_800,
  contextWindow: 200_000,
  labels: [],
  workflow: "in progress",
  isArchived: false,
  origin: "started",
  startedBy: null,
  openApprovals: 0,
  queuedTurns: 0,
}

test("[CLI-13] runs, messages and approvals are printed, and empty lists have their own text", () => {
  expect(render("agents.list", { runs: [] })).toContain("No runs yet.")
  expect(render("agents.list", { runs: [RUN] })).toBe(
    "Run    State      Agent      Started (UTC)     Cost              Title\n" +
      "run_1  completed  synthetic  1970-01-01 00:00  $0.05 (scripted)  Mend the total",
  )
  expect(render("agents.show", RUN)).toContain("Context    11.8k of 200.0k tokens")
  const failed: Run = {
    ...RUN,
    type: "codex",
    status: "failed",
    error: "It broke.",
    openApprovals: 2,
    contextUsed: null,
    model: null,
    cost: { ...RUN.cost, reportedUsd: null },
  }
  const shown = render("agents.show", failed)
  expect(shown).toMatch(
    /Context +unknown[\s\S]+Cost +unknown[\s\S]+It broke\.[\s\S]+2 approvals; list with `qm approvals`/,
  )
  const unpaid = { ...failed, type: "synthetic" }
  expect(render("agents.show", unpaid)).toMatch(/Cost +no cost/)
  const message = { id: "m", timestamp: 0, metadata: {}, role: "user" }
  const messages = [
    { ...message, seq: 1, type: "user", content: "two\nlines" },
    { ...message, seq: 2, type: "tool", content: "first\nsecond" },
  ]
  expect(render("agents.messages", { messages })).toBe(
    "   1  user      two\nlines\n   2  tool      first",
  )
  expect(render("agents.messages", { messages: [] })).toContain("No messages yet.")
  expect(render("agents.approvals", { approvals: [] })).toContain("No approvals are pending.")
  const approval = {
    id: "apr_1",
    runId: "run_1",
    tool: "Bash",
    title: "Run rm",
    input: "rm",
    digest: "d",
    status: "open",
    requestedAt: 0,
    expiresAt: 0,
    answeredAt: null,
    answeredBy: null,
    note: null,
  }
  expect(render("agents.approvals", { approvals: [approval] })).toContain(
    "\napr_1     run_1  Bash  Run rm",
  )
})
