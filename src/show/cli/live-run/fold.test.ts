import { expect, test } from "vitest"
import type { AgentEvent, Message } from "#ground/contract"
import { createScreen } from "../terminal/screen.ts"
import { drawLine } from "./draw.ts"
import { applyMessage, diffStat, EMPTY_VIEW, nowAtWork } from "./fold.ts"

const screen = createScreen({ isColored: false, columns: 64 })
const clockText = (at: number) => new Date(at).toISOString().slice(11, 19)

type MessageFields = Partial<Message> & { readonly event?: AgentEvent }

/** Messages as the store returns them, a second apart. */
function messagesOf(said: readonly MessageFields[]): Message[] {
  return said.map(({ event, ...message }, i) => ({
    id: `msg_${i}`,
    seq: i + 1,
    type: "system",
    role: "system",
    content: "",
    timestamp: i * 1_000,
    metadata: event === undefined ? {} : { event },
    ...message,
  }))
}

function foldAll(said: readonly MessageFields[]) {
  let view = EMPTY_VIEW
  const rows: string[] = []
  for (const message of messagesOf(said)) {
    const step = applyMessage(view, message)
    view = step.view
    rows.push(...step.lines.flatMap((line) => drawLine(line, screen, clockText)))
  }
  return { view, text: rows.join("\n") }
}

const started = (activityId: string, title: string, more: object = {}): MessageFields => ({
  event: {
    event: "activity.started",
    activityId,
    kind: "read",
    tool: "Read",
    title,
    input: "",
    ...more,
  },
})
const ended = (activityId: string, more: object = {}, content = ""): MessageFields => ({
  content,
  event: { event: "activity.ended", activityId, outcome: "done", output: "", ...more },
})
const text = (content: string, more: object = {}): MessageFields => ({
  type: "assistant",
  content,
  event: { event: "message", type: "assistant", text: "", ...more },
})

test("[CLI-14] a turn is printed as lines: time, mark, one line per activity, nested ones indented, the final text once", () => {
  const { text: shown } = foldAll([
    { type: "user", content: "Mend the total" },
    {
      event: {
        event: "session.started",
        sessionId: "s",
        cwd: "/x",
        model: "m-1",
        mode: "ask",
        tools: [],
      },
    },
    { type: "context", content: "# a", metadata: { contextFileCount: 2 } },
    { event: { event: "turn.started" } },
    {
      content: "CLAUDE.md, instructions",
      event: { event: "context.file", path: "CLAUDE.md", reason: "instructions" },
    },
    text("I **look** first. There is a long sentence here that has to be wrapped at some point."),
    started("r", "Read src/total.ts"),
    ended("r", { durationMs: 40 }),
    started("a", "Find who calls total", { kind: "agent" }),
    started("g", "Grep total(", { parentId: "a" }),
    ended("g"),
    text("One caller.", { parentId: "a" }),
    ended("a", { durationMs: 110, tokens: 1_840 }),
    started("e", "Edit it", { kind: "edit", path: "src/total.ts" }),
    ended("e", { diff: "--- a/src/total.ts\n+++ b/src/total.ts\n@@ -1 +1,2 @@\n-a\n+b\n+c\n" }),
    text("Done."),
    {
      type: "response",
      content: "Done.",
      event: { event: "turn.ended", outcome: "completed", text: "", denials: 0 },
    },
  ])
  expect(shown).toMatchInlineSnapshot(`
    "00:00:00 › Mend the total
    00:00:01 · Session started: m-1, mode ask
    00:00:02 · Context: 2 files
    00:00:04 · CLAUDE.md, instructions
    00:00:05 ● I look first. There is a long sentence here that
               has to be wrapped at some point.
    00:00:07 ✓ Read src/total.ts  40 ms
    00:00:08 ▸ Find who calls total
    00:00:10   ✓ Grep total(  1.0 s
    00:00:11   ● One caller.
    00:00:12 ✓ Find who calls total  110 ms  1.8k tokens
    00:00:14 ✓ Edit it  +2 −1 src/total.ts  1.0 s
    00:00:15 ● Done."
  `)
})

test("[CLI-14] a failed activity prints its first lines; approvals, compactions, errors and unknown messages print one line", () => {
  const { text: shown, view } = foldAll([
    started("x", "npm test", { kind: "command" }),
    ended("x", { outcome: "failed" }, "one\n\ntwo\nthree\nfour\nfive"),
    ended("unknown", { outcome: "stopped" }),
    {
      event: {
        event: "approval.requested",
        approvalId: "h1",
        tool: "Edit",
        title: "Edit a.ts",
        input: "",
      },
    },
    { event: { event: "approval.resolved", approvalId: "h1", decision: "deny", by: "a person" } },
    { event: { event: "approval.resolved", approvalId: "h2", decision: "allow", by: "a rule" } },
    {
      event: {
        event: "context.compacted",
        trigger: "auto",
        tokensBefore: 191_000,
        tokensAfter: 24_500,
      },
    },
    { event: { event: "context.compacted", trigger: "auto" } },
    { event: { event: "context.usage", used: 5, window: 10, kinds: [] } },
    {
      content: "Mode auto, by request",
      event: { event: "mode.changed", mode: "auto", by: "request" },
    },
    {
      type: "error",
      content: "Try again.",
      event: { event: "error", message: "", isFatal: false },
    },
    {
      type: "error",
      content: "It is over.",
      event: { event: "error", message: "", isFatal: true },
    },
    { content: "Budget nearly spent: $0.80 of $1.00" },
    { content: "An unknown line" },
    {
      type: "error",
      content: "The provider is overloaded.",
      event: { event: "turn.ended", outcome: "failed", text: "", denials: 0 },
    },
    {
      type: "response",
      content: "Half.",
      event: { event: "turn.ended", outcome: "stopped", text: "", denials: 0 },
    },
    { type: "assistant", content: "From another version" },
    { type: "error", content: "Plain error" },
    { type: "context", content: "# a" },
    text("To the sub-agent", { type: "user" }),
    text("Noise", { type: "system" }),
    { event: { event: "activity.updated", activityId: "x", output: "" } },
    { event: { event: "session.started", sessionId: "s", cwd: "/x", tools: [] } },
  ])
  expect(shown).toMatchInlineSnapshot(`
    "00:00:01 ✗ npm test  1.0 s
               one
               two
               three
               and 2 lines more
    00:00:02 ■ Earlier activity
    00:00:04 ⊘ Denied: Edit a.ts  a person
    00:00:05 ✓ Allowed: the question  a rule
    00:00:06 ! The host compacted its context: 191.0k before, 24.5k…
    00:00:07 ! The host compacted its context
    00:00:09 · Mode auto, by request
    00:00:10 ! Try again.
    00:00:11 ✗ It is over.
    00:00:12 ! Budget nearly spent: $0.80 of $1.00
    00:00:13 · An unknown line
    00:00:14 ✗ The provider is overloaded.
    00:00:15 ● Half.
    00:00:15 ■ The turn was stopped
    00:00:16 ● From another version
    00:00:17 ✗ Plain error
    00:00:18 · Context
    00:00:19 › To the sub-agent
    00:00:20 · Noise
    00:00:22 · Session started"
  `)
  expect(view.context).toMatchObject({ used: 5, window: 10 })
})

test("[CLI-14] a turn names its context parts; a long line of a host is truncated", () => {
  const parts = [
    { label: "date and state", tokens: 12 },
    { label: "memories", tokens: 1 },
  ]
  const { text: shown } = foldAll([
    { type: "user", content: "x", metadata: { parts } },
    { type: "user", content: "y", metadata: { parts: [] } },
    { content: "The window is 81 % full; hand the work off." },
    { content: `${"z".repeat(300)}\nmore` },
  ])
  expect(shown).toContain("› x\n           Added in front: date and state (12 tokens), memories…")
  expect(shown).toContain("00:00:01 › y\n00:00:02 ! The window is 81 % full")
  expect(shown.match(/z/g)).toHaveLength(239)
  expect(shown).not.toContain("more")
})

test("[CLI-14] the current activity is the newest open one; a cycle of parents is harmless", () => {
  const { view } = foldAll([
    started("a", "Outer", { kind: "agent", parentId: "b" }),
    started("b", "Inner", { kind: "agent", parentId: "a" }),
    started("c", "Innermost", { parentId: "b" }),
  ])
  expect(nowAtWork(view)).toBe("Innermost")
  expect(applyMessage(view, messagesOf([ended("c")])[0] ?? never()).view.open.size).toBe(2)
  expect(nowAtWork(EMPTY_VIEW)).toBeUndefined()
})

function never(): never {
  throw new Error("there is one message")
}

test("[CLI-14] a diff is printed as added and removed lines, with its path unless the title has it", () => {
  const one =
    "--- a/x.ts\n+++ b/x.ts\n@@ -1,2 +1,2 @@\n-old\n--- not a header\n+new\n+++ nor this\n"
  expect(diffStat(one, "Change things")).toBe("+2 −2 x.ts")
  expect(diffStat(one, "Edit x.ts")).toBe("+2 −2")
  const two =
    "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@\n+a\ndiff --git a/y b/y\n--- a/y\n+++ b/y\n@@\n-b\n"
  expect(diffStat(two, "Edit")).toBe("+1 −1 2 files")
  expect(diffStat("", "Edit")).toBe("+0 −0")
})
