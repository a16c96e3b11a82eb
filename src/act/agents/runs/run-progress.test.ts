import { expect, test } from "vitest"
import { AgentEvent, type RunStatus } from "#ground/contract"
import { budgetState, type Progress, progressAfter, statusAfter } from "./run-progress.ts"

const usage = (input: number) => ({ input, output: 0, cacheRead: 0, cacheWrite: 0 })
const cost = (input: number, usd: number, more: object = {}): AgentEvent => ({
  event: "cost",
  model: "dear",
  usage: usage(input),
  isTotal: true,
  reportedUsd: usd,
  ...more,
})
const started = (sessionId: string): AgentEvent => ({
  event: "session.started",
  sessionId,
  cwd: "/repo",
  tools: [],
})

const FIRST: Progress = {
  status: "starting",
  sessionId: null,
  model: null,
  hostVersion: null,
  mode: "ask",
  turns: 0,
  error: null,
  cost: { usage: usage(0), reportedUsd: null, computedUsd: null },
  contextUsed: null,
  contextWindow: null,
  open: new Set(),
}

const after = (...events: AgentEvent[]) =>
  events.reduce((it, event) => progressAfter(it, event, priceOf), FIRST).cost

/** Two dollars per token for the expensive model, one for the cheap; no other is known. */
const priceOf = ({ input }: { readonly input: number }, model: string): number | undefined =>
  ({ dear: input * 2, cheap: input })[model]

test("[AGENTS-34] a host's total replaces the previous total, and a single call is added", () => {
  expect(after(started("a"), cost(5, 1), cost(8, 2))).toMatchObject({ reportedUsd: 2 })
  const single = { isTotal: false }
  expect(after(started("a"), cost(5, 1, single), cost(8, 2, single))).toMatchObject({
    usage: { input: 13 },
    reportedUsd: 3,
    computedUsd: 26,
  })
})

test("[AGENTS-34] the cost of a replaced session stays, and a resumed session is not counted twice", () => {
  const resumed = after(started("a"), cost(5, 1), started("a"), cost(8, 2))
  expect(resumed).toMatchObject({ usage: { input: 8 }, reportedUsd: 2, computedUsd: 16 })
  const replaced = after(started("a"), cost(5, 1), started("b"), cost(8, 2), cost(9, 3))
  expect(replaced).toMatchObject({ usage: { input: 14 }, reportedUsd: 4, computedUsd: 28 })
})

test("[AGENTS-34] each model is priced separately, and one model without a price makes the cost unknown", () => {
  const models = (...names: string[]) => ({
    models: names.map((model) => ({ model, usage: usage(4) })),
  })
  expect(after(cost(8, 2, models("dear", "cheap")))).toMatchObject({ computedUsd: 12 })
  expect(after(cost(8, 2, models("dear", "other")))).toMatchObject({
    computedUsd: null,
    reportedUsd: 2,
  })
})

const event = (given: object) => AgentEvent.parse(given)

test("[AGENTS-36] an ended run stays ended; a run waits until its last open approval is answered", () => {
  const asked = event({
    event: "approval.requested",
    approvalId: "p",
    tool: "t",
    title: "",
    input: "",
  })
  const resolved = event({
    event: "approval.resolved",
    approvalId: "p",
    decision: "allow",
    by: "me",
  })
  const started = event({ event: "turn.started" })
  const ended: readonly RunStatus[] = ["completed", "failed", "stopped", "interrupted"]
  expect(ended.map((it) => statusAfter(it, started, 0))).toEqual(ended)
  expect(statusAfter("running", asked, 1)).toBe("waiting")
  expect(statusAfter("waiting", resolved, 1)).toBe("waiting")
  expect(statusAfter("waiting", resolved, 0)).toBe("running")
  expect(statusAfter("starting", event({ event: "message", type: "system", text: "" }), 0)).toBe(
    "running",
  )
  expect(statusAfter("running", event({ event: "error", message: "", isFatal: true }), 0)).toBe(
    "failed",
  )
})

test("[AGENTS-34] usage is added or replaced, as the host counts it", () => {
  const after = (events: readonly object[]) =>
    events.reduce<Progress>(
      (it, next) =>
        progressAfter(it, event(next), (used, model) => (model === "m" ? used.input : undefined)),
      { ...FIRST, status: "running" },
    )
  const step = { event: "cost", usage: usage(5), isTotal: false, reportedUsd: 1, model: "m" }
  expect(after([step, step]).cost).toEqual({ usage: usage(10), reportedUsd: 2, computedUsd: 10 })
  const total = { ...step, isTotal: true, reportedUsd: undefined, model: "other" }
  expect(after([step, total]).cost).toEqual({ usage: usage(5), reportedUsd: 1, computedUsd: null })
  const rest = after([
    { event: "session.started", sessionId: "s", cwd: "/x", model: "m", version: "1" },
    { event: "context.usage", used: 8, window: 10 },
    { event: "context.compacted", trigger: "auto", tokensAfter: 3 },
    { event: "mode.changed", mode: "plan", by: "me" },
    { event: "error", message: "a warning" },
    { event: "turn.ended", outcome: "failed", error: "no" },
  ])
  expect(rest).toMatchObject({
    sessionId: "s",
    hostVersion: "1",
    contextUsed: 3,
    contextWindow: 10,
    mode: "plan",
    turns: 1,
    error: "no",
    status: "paused",
  })
})

test("[AGENTS-34] the higher of two costs counts against a budget", () => {
  const cost = (reportedUsd: number | null, computedUsd: number | null) => ({
    usage: usage(50),
    reportedUsd,
    computedUsd,
  })
  expect(budgetState(cost(9, null), { usd: null, tokens: null })).toEqual({ kind: "free" })
  expect(budgetState(cost(0.1, 0.9), { usd: 1, tokens: null })).toEqual({
    kind: "warned",
    says: "$0.90 of $1.00",
  })
  expect(budgetState(cost(2, null), { usd: 1, tokens: 1_000 })).toMatchObject({ kind: "spent" })
  expect(budgetState(cost(null, null), { usd: null, tokens: 50 })).toEqual({
    kind: "spent",
    says: "50 of 50 tokens",
  })
})
