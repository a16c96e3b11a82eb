import { expect, test } from "vitest"
import type { AgentEvent } from "#ground/contract"
import { createEventEmitter } from "../wire/event-emitter.ts"
import { type ParserState, parseLine } from "./parse-stream.ts"
import { titleOf } from "./tools.ts"

const INIT = { type: "system", subtype: "init", session_id: "s-1", cwd: "/w", model: "m" }

test("activities of a sub-agent have the calling activity as parent", async () => {
  const events = await told([
    INIT,
    assistant([{ type: "tool_use", id: "t1", name: "Agent", input: { description: "look" } }]),
    assistant([{ type: "tool_use", id: "t2", name: "Bash", input: { command: "ls" } }], "t1"),
    user([{ type: "tool_result", tool_use_id: "t2", content: "a.txt" }], "t1"),
    {
      type: "system",
      subtype: "task_notification",
      tool_use_id: "t1",
      usage: { total_tokens: 162, duration_ms: 127 },
    },
    user([{ type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "found" }] }]),
  ])
  expect(events.slice(2)).toMatchObject([
    { event: "activity.started", activityId: "t1", kind: "agent" },
    { event: "activity.started", activityId: "t2", kind: "command", parentId: "t1" },
    { event: "activity.ended", activityId: "t2", outcome: "done", output: "a.txt" },
    { event: "activity.ended", activityId: "t1", output: "found", tokens: 162, durationMs: 127 },
  ])
})

test("an API failure is a failed turn, even when its subtype is `success`", async () => {
  const result = { type: "result", subtype: "success", is_error: true, result: "API Error: 400" }
  const events = await told([INIT, result])
  expect(events.at(-1)).toMatchObject({
    event: "turn.ended",
    outcome: "failed",
    error: "API Error: 400",
  })
})

test("the cost covers the whole session and all its models, and lists each model", async () => {
  const usage = (inputTokens: number, costUSD: number) => ({
    inputTokens,
    outputTokens: 2,
    cacheReadInputTokens: 3,
    cacheCreationInputTokens: 4,
    costUSD,
  })
  const modelUsage = { large: usage(1, 0.5), small: usage(9, 0.1) }
  const events = await told([INIT, { type: "result", modelUsage, result: "done" }])
  expect(events.filter((it) => it.event === "cost")).toEqual([
    {
      event: "cost",
      model: "large",
      usage: { input: 10, output: 4, cacheRead: 6, cacheWrite: 8 },
      isTotal: true,
      reportedUsd: 0.6,
      models: [
        { model: "large", usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 } },
        { model: "small", usage: { input: 9, output: 2, cacheRead: 3, cacheWrite: 4 } },
      ],
    },
  ])
})

test("[AGENTS-34] each model call is emitted once with its usage", async () => {
  const call = (id: string, text: string) => ({
    type: "assistant",
    message: {
      id,
      model: "m",
      role: "assistant",
      content: [{ type: "text", text }],
      usage: { input_tokens: 5, output_tokens: 1, cache_read_input_tokens: 2 },
    },
  })
  const events = await told([INIT, call("a", "one"), call("a", "two"), call("b", "three")])
  const costs = events.filter((it) => it.event === "cost")
  expect(costs).toHaveLength(2)
  expect(costs[0]).toMatchObject({ isTotal: false, usage: { input: 5, cacheRead: 2 } })
})

test("a line whose type is a property name of every object is treated as unknown", async () => {
  const odd = { type: "system", subtype: { toString: false } }
  const events = await told([INIT, { type: "__proto__" }, { type: "constructor" }, odd])
  expect(events.filter((it) => it.event === "message")).toHaveLength(3)
})

test("compaction, retries and unknown lines become events", async () => {
  const events = await told([
    INIT,
    {
      type: "system",
      subtype: "compact_boundary",
      compact_metadata: { trigger: "manual", pre_tokens: 120, post_tokens: 27 },
    },
    {
      type: "system",
      subtype: "api_retry",
      attempt: 1,
      max_retries: 2,
      error_status: 529,
      error: "overloaded",
    },
    { type: "system", subtype: "from_tomorrow" },
    { type: "assistant", message: "not as we know it" },
    { type: "system", subtype: "status" },
  ])
  expect(events.slice(2)).toEqual([
    { event: "context.compacted", trigger: "manual", tokensBefore: 120, tokensAfter: 27 },
    {
      event: "error",
      message: "The model did not respond (overloaded 529); retry 1 of 2 follows.",
      isFatal: false,
    },
    {
      event: "message",
      type: "system",
      text: "Claude Code sent an unknown message: system/from_tomorrow",
    },
    { event: "message", type: "system", text: "Claude Code sent an unknown message: assistant" },
  ])
})

test("an edit has the diff of its patch", async () => {
  const structuredPatch = [
    { oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines: [" one", "-two", "+three"] },
  ]
  const events = await told([
    INIT,
    assistant([{ type: "tool_use", id: "t1", name: "Edit", input: { file_path: "/w/a.txt" } }]),
    {
      ...user([{ type: "tool_result", tool_use_id: "t1", content: "ok" }]),
      tool_use_result: { filePath: "/w/a.txt", originalFile: "one\ntwo\n", structuredPatch },
    },
  ])
  expect(events.at(-1)).toMatchObject({
    diff: "--- a/w/a.txt\n+++ b/w/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n",
  })
})

function assistant(content: readonly object[], parent: string | null = null): object {
  return { type: "assistant", message: { content }, parent_tool_use_id: parent }
}

function user(content: readonly object[], parent: string | null = null): object {
  return { type: "user", message: { content }, parent_tool_use_id: parent }
}

async function told(lines: readonly object[]): Promise<readonly AgentEvent[]> {
  const emitter = createEventEmitter("Claude Code")
  const parser: ParserState = {
    emitter,
    mode: () => "ask",
    isInterrupted: () => false,
    tasks: new Map(),
    lastCall: { id: "" },
  }
  for (const line of lines) parseLine(parser, { ...line }, JSON.stringify(line))
  emitter.emit(END)
  const events: AgentEvent[] = []
  for await (const { event } of emitter.events) {
    if (event.event === "mode.changed") break
    events.push(event)
  }
  return events
}

const END = { event: "mode.changed", mode: "ask", by: "test" } as const

const SECRET = "hunter2".repeat(6)
const redact = (text: string) => text.replaceAll(SECRET, "[redacted]")

test("[AGENTS-30] a secret at the end of a long title is redacted before the title is truncated", () => {
  const command = `${"x".repeat(130)} ${SECRET} and more than fits`
  const title = titleOf("Bash", { command }, redact)
  expect(title).toBe(`Bash ${"x".repeat(130)} [redacted] and more tha…`)
})
