import { expect, test } from "vitest"
import { AgentEvent, type RunStatus } from "#ground/contract"
import { draftOf } from "./event-message.ts"
import { LONGEST_CONTENT_CHARACTERS } from "./limits.ts"
import { budgetState } from "./runs/work/budget.ts"
import { type Progress, progressAfter } from "./runs/work/progress.ts"
import { statusAfter } from "./status.ts"

const event = (given: object) => AgentEvent.parse(given)
const usage = (input: number) => ({ input, output: 0, cacheRead: 0, cacheWrite: 0 })

test.each([
  [
    { event: "session.started", sessionId: "s", cwd: "/x", model: "m" },
    "system",
    "Session s started with m",
  ],
  [{ event: "turn.started" }, "system", "Turn started"],
  [{ event: "message", type: "assistant", text: "hello" }, "assistant", "hello"],
  [{ event: "message", type: "response", text: "done" }, "response", "done"],
  [{ event: "turn.ended", outcome: "completed", text: "all" }, "response", "all"],
  [{ event: "turn.ended", outcome: "failed", error: "no" }, "error", "no"],
  [{ event: "turn.ended", outcome: "failed" }, "error", "The turn failed."],
  [
    { event: "activity.started", activityId: "a", kind: "read", tool: "Read", title: "Read x" },
    "tool",
    "Read x",
  ],
  [{ event: "activity.updated", activityId: "a", output: "part" }, "tool", "part"],
  [{ event: "activity.ended", activityId: "a", outcome: "done", output: "out" }, "tool", "out"],
  [
    { event: "approval.requested", approvalId: "p", tool: "Bash", title: "Run it", input: "" },
    "system",
    "Run it",
  ],
  [
    { event: "approval.resolved", approvalId: "p", decision: "deny", by: "rule" },
    "system",
    "Denied by rule",
  ],
  [
    { event: "approval.resolved", approvalId: "p", decision: "allow", by: "me" },
    "system",
    "Allowed by me",
  ],
  [{ event: "context.file", path: "a.md", reason: "import" }, "system", "a.md, import"],
  [{ event: "context.usage", used: 1, window: 2 }, "system", "1 of 2 tokens in the window"],
  [{ event: "context.compacted", trigger: "auto" }, "system", "The host compacted its context"],
  [{ event: "cost", usage: usage(1), isTotal: true }, "system", "Usage so far"],
  [{ event: "mode.changed", mode: "plan", by: "me" }, "system", "Mode plan, by me"],
  [{ event: "error", message: "broken" }, "error", "broken"],
  [{ event: "text.delta", text: "he" }, "system", "he"],
])("[AGENTS-30] %o stands in the transcript in words", (given, type, content) => {
  expect(draftOf(event(given), "{}")).toMatchObject({ type, content, raw: "{}" })
})

test("[AGENTS-30] a very long output is cut, and kept once", () => {
  const output = "x".repeat(LONGEST_CONTENT_CHARACTERS + 5)
  const draft = draftOf(
    event({ event: "activity.ended", activityId: "a", outcome: "done", output }),
  )
  expect(draft.content).toHaveLength(LONGEST_CONTENT_CHARACTERS + 1)
  expect(draft.metadata["event"]).toMatchObject({ output: "" })
})

test("[AGENTS-36] a run that is over stays so; a question makes it wait until the last is answered", () => {
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

const NEW: Progress = {
  status: "running",
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

test("[AGENTS-34] usage adds up, or replaces what was known, as the host counts it", () => {
  const after = (events: readonly object[]) =>
    events.reduce<Progress>(
      (it, next) =>
        progressAfter(it, event(next), (used, model) => (model === "m" ? used.input : undefined)),
      NEW,
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

test("[AGENTS-34] the dearer of two figures counts against a budget", () => {
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
