import { expect, test } from "vitest"
import { AgentEvent } from "#ground/contract"
import { MAX_CONTENT_CHARACTERS, messageOfEvent } from "./event-message.ts"

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
  [
    { event: "context.usage", used: 1, window: 2 },
    "system",
    "1 of 2 tokens used in the context window",
  ],
  [{ event: "context.compacted", trigger: "auto" }, "system", "The host compacted its context"],
  [{ event: "cost", usage: usage(1), isTotal: true }, "system", "Usage so far"],
  [{ event: "mode.changed", mode: "plan", by: "me" }, "system", "Mode set to plan by me"],
  [{ event: "error", message: "broken" }, "error", "broken"],
  [{ event: "text.delta", text: "he" }, "system", "he"],
])("[AGENTS-30] the event %o is shown as text in the transcript", (given, type, content) => {
  expect(messageOfEvent(event(given), "{}")).toMatchObject({ type, content, raw: "{}" })
})

test("[AGENTS-30] a very long output is truncated and stored once", () => {
  const output = "x".repeat(MAX_CONTENT_CHARACTERS + 5)
  const message = messageOfEvent(
    event({ event: "activity.ended", activityId: "a", outcome: "done", output }),
  )
  expect(message.content).toHaveLength(MAX_CONTENT_CHARACTERS)
  expect(message.metadata["event"]).toMatchObject({ output: "" })
})

test("[T6][AGENTS-30] the first message has subtype init and the working directory", () => {
  const started = event({ event: "session.started", sessionId: "s", cwd: "/x" })
  expect(messageOfEvent(started).metadata).toMatchObject({ subtype: "init", cwd: "/x" })
  expect(messageOfEvent(event({ event: "turn.started" })).metadata).not.toHaveProperty("subtype")
})
