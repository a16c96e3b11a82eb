import { expect, test } from "vitest"
import type { AgentEvent } from "#ground/contract"
import { createEventEmitter } from "../wire/event-emitter.ts"
import { startedActivity } from "./items.ts"
import { newParserState, parseNotification } from "./parse-stream.ts"
import { Item } from "./schema.ts"

const TURN = { threadId: "th", turn: { id: "tu", status: "inProgress" } }

test("activities of a sub-agent's thread have the call that created it as parent", async () => {
  const call = { type: "collabAgentToolCall", id: "c1", tool: "spawn_agent", status: "inProgress" }
  const command = { type: "commandExecution", id: "c2", command: "/bin/bash -lc 'ls -a'" }
  const events = await told([
    ["turn/started", TURN],
    ["item/started", item({ ...call, receiverThreadIds: ["sub"], prompt: "look" })],
    ["turn/started", { ...TURN, threadId: "sub" }],
    ["item/started", item({ ...command, status: "inProgress" }, "sub")],
    ["item/completed", item({ ...command, status: "failed", aggregatedOutput: "no" }, "sub")],
    ["turn/completed", { threadId: "sub", turn: { id: "x", status: "completed" } }],
    ["item/completed", item({ ...call, status: "completed" })],
  ])
  expect(events.slice(1)).toMatchObject([
    { event: "activity.started", activityId: "c1", kind: "agent" },
    { event: "activity.started", activityId: "c2", parentId: "c1", title: "ls -a" },
    { event: "activity.ended", activityId: "c2", outcome: "failed", output: "no" },
    { event: "activity.ended", activityId: "c1", outcome: "done" },
  ])
})

test("an interrupted turn closes the command that the host left open", async () => {
  const command = { type: "commandExecution", id: "c1", command: "sleep 30", status: "inProgress" }
  const events = await told([
    ["turn/started", TURN],
    ["item/started", item(command)],
    ["turn/completed", { threadId: "th", turn: { id: "tu", status: "interrupted" } }],
  ])
  expect(events.slice(2)).toMatchObject([
    { event: "activity.ended", activityId: "c1", outcome: "stopped" },
    { event: "turn.ended", outcome: "stopped" },
  ])
})

test("[AGENTS-30] a secret split over two chunks of output appears in neither", async () => {
  const command = { type: "commandExecution", id: "c1", command: "env", status: "inProgress" }
  const piece = (delta: string) =>
    ["item/commandExecution/outputDelta", { threadId: "th", itemId: "c1", delta }] as const
  const events = await told([
    ["turn/started", TURN],
    ["item/started", item(command)],
    piece("A=1\nTOKEN=hun"),
    piece("ter2\n"),
    piece("half a li"),
    ["item/completed", item({ ...command, status: "completed", aggregatedOutput: "the whole" })],
  ])
  expect(events.slice(2)).toMatchObject([
    { event: "activity.updated", output: "A=1\n" },
    { event: "activity.updated", output: "TOKEN=[redacted]\n" },
    { event: "activity.ended", output: "the whole" },
  ])
})

test("an error is emitted and its turn ends as failed", async () => {
  const error = { message: "bad thing" }
  const events = await told([
    ["turn/started", TURN],
    ["error", { error, willRetry: false, threadId: "th", turnId: "tu" }],
    ["turn/completed", { threadId: "th", turn: { id: "tu", status: "failed", error } }],
  ])
  expect(events.slice(1)).toMatchObject([
    { event: "error", message: "bad thing", isFatal: false },
    { event: "turn.ended", outcome: "failed", error: "bad thing" },
  ])
})

test("cached tokens are not counted as input", async () => {
  const count = {
    totalTokens: 120,
    inputTokens: 100,
    cachedInputTokens: 60,
    cacheWriteInputTokens: 10,
    outputTokens: 20,
  }
  const tokenUsage = { total: count, last: count, modelContextWindow: null }
  const events = await told([["thread/tokenUsage/updated", { threadId: "th", tokenUsage }]])
  expect(events).toEqual([
    {
      event: "cost",
      usage: { input: 30, output: 20, cacheRead: 60, cacheWrite: 10 },
      isTotal: true,
    },
  ])
})

test("changed, new and deleted files are one diff; an unknown message is shown once", async () => {
  const changes = [
    { path: "/w/a", kind: { type: "update" }, diff: "@@ -1 +1 @@\n-x\n+y" },
    { path: "/w/b", kind: { type: "add" }, diff: "n\n" },
    { path: "/w/c", kind: { type: "delete" }, diff: "o\n" },
  ]
  const patch = { type: "fileChange", id: "p", changes, status: "completed" }
  const events = await told([
    ["turn/started", TURN],
    ["item/completed", item(patch)],
    ["item/completed", item({ type: "from-tomorrow", id: "z" })],
    ["news", {}],
    ["news", {}],
  ])
  expect(events.slice(2)).toEqual([
    {
      event: "activity.ended",
      activityId: "p",
      outcome: "done",
      output: "",
      diff:
        "--- a/w/a\n+++ b/w/a\n@@ -1 +1 @@\n-x\n+y\n" +
        "--- /dev/null\n+++ b/w/b\n@@ -0,0 +1,1 @@\n+n\n" +
        "--- a/w/c\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-o\n",
    },
    { event: "message", type: "system", text: "Codex sent an unknown message: item from-tomorrow" },
    { event: "message", type: "system", text: "Codex sent an unknown message: news" },
  ])
})

function item(it: object, threadId = "th"): object {
  return { threadId, turnId: "tu", item: it }
}

async function told(
  messages: readonly (readonly [string, object])[],
): Promise<readonly AgentEvent[]> {
  const emitter = createEventEmitter("Codex", (text) => text.replaceAll("hunter2", "[redacted]"))
  const parser = newParserState(emitter)
  parser.threadId = "th"
  for (const [method, params] of messages)
    parseNotification(parser, { method, params, raw: method })
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
  const command = `/bin/bash -lc '${"x".repeat(135)} ${SECRET} and more'`
  const item = Item.parse({ type: "commandExecution", id: "c", command, status: "inProgress" })
  if (item.type !== "commandExecution") throw new Error("it is a command")
  const { title, input } = startedActivity(item, redact)
  expect(title).toBe(`${"x".repeat(135)} [redacted] and more`)
  // Rules match the unredacted command; the caller redacts it before storing.
  expect(input).toBe(command)
})
