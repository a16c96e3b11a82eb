import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { AgentEvent } from "#ground/contract"
import { tempDirectory } from "#test/temp"
import { readTranscript } from "./read-transcript.ts"

const PLAIN = { redact: (text: string) => text, redactJson: (value: unknown) => value }

/** Lines as Codex 0.166 writes them; texts and ids are ours. */
const line = (type: string, payload: object) => ({
  timestamp: "2026-01-01T00:00:01.000Z",
  type,
  payload,
})
const META = line("session_meta", { id: "thread-1", cwd: "/w", cli_version: "0.1" })
const event = (type: string, more: object = {}) => line("event_msg", { type, ...more })
const item = (it: object) => event("item_completed", { thread_id: "thread-1", item: it })
const user = (text: string) =>
  item({ type: "UserMessage", id: "u", content: [{ type: "text", text }] })
const agent = (text: string) =>
  item({ type: "AgentMessage", id: "m", content: [{ type: "Text", text }] })
const tokens = (input: number) => ({
  input_tokens: input,
  cached_input_tokens: 10,
  cache_write_input_tokens: 0,
  output_tokens: 20,
  total_tokens: input + 20,
})

async function read(lines: readonly object[]) {
  await using temp = await tempDirectory()
  const file = join(temp.path, "rollout.jsonl")
  await writeFile(file, lines.map((it) => `${JSON.stringify(it)}\n`).join(""))
  const pages = await all(readTranscript({ host: "codex", sessionId: "thread-1", file }, PLAIN))
  const messages = pages.flatMap((it) => it.messages)
  const events = messages.map((it) => it.message.metadata["event"] as AgentEvent)
  return { events, messages, facts: pages.at(-1)?.facts }
}

test("a Codex turn becomes the events that its app-server would have emitted", async () => {
  const { events, facts } = await read([
    META,
    line("turn_context", { model: "some-model", cwd: "/w" }),
    event("task_started", { turn_id: "t1" }),
    user("do it"),
    line("response_item", {
      type: "function_call",
      call_id: "c1",
      name: "exec_command",
      arguments: "{}",
    }),
    item({
      type: "CommandExecution",
      id: "c1",
      command: ["/bin/bash", "-lc", "ls"],
      status: "completed",
      aggregated_output: "a\n",
      exit_code: 0,
      duration: { secs: 1, nanos: 500_000_000 },
    }),
    line("response_item", { type: "function_call_output", call_id: "c1", output: "a" }),
    item({
      type: "FileChange",
      id: "c2",
      status: "completed",
      changes: { "/w/a": { type: "add", content: "one\n" } },
    }),
    event("token_count", {
      info: {
        total_token_usage: tokens(100),
        last_token_usage: tokens(100),
        model_context_window: 1_000,
      },
    }),
    agent("done"),
    event("task_complete", { turn_id: "t1", duration_ms: 12, last_agent_message: "done" }),
  ])
  expect(events).toMatchObject([
    { event: "session.started", sessionId: "thread-1", cwd: "/w", version: "0.1" },
    { event: "turn.started" },
    { event: "message", type: "user" },
    { event: "activity.started", activityId: "c1", kind: "command", title: "ls" },
    { event: "activity.ended", activityId: "c1", outcome: "done", durationMs: 1_500 },
    { event: "activity.started", activityId: "c2", kind: "edit", path: "/w/a" },
    { event: "activity.ended", activityId: "c2", diff: expect.stringContaining("+one") as string },
    { event: "context.usage", used: 120, window: 1_000 },
    { event: "cost", usage: { input: 90, output: 20, cacheRead: 10 }, isTotal: true },
    { event: "message", type: "assistant" },
    { event: "turn.ended", outcome: "completed", durationMs: 12 },
  ])
  expect(facts).toMatchObject({
    sessionId: "thread-1",
    model: "some-model",
    title: "do it",
    usage: { input: 90, output: 20, cacheRead: 10, cacheWrite: 0 },
    costUsd: null,
  })
})

test("a call without an item is shown by its output", async () => {
  const { events, messages } = await read([
    META,
    event("task_started", { turn_id: "t1" }),
    line("response_item", {
      type: "function_call",
      call_id: "c1",
      name: "shell",
      arguments: JSON.stringify({ command: ["bash", "-lc", "make"] }),
    }),
    line("response_item", {
      type: "function_call_output",
      call_id: "c1",
      output: "Exit code: 2\nno rule",
    }),
  ])
  expect(events.slice(2)).toMatchObject([
    { event: "activity.started", kind: "command", tool: "shell", title: "bash -lc 'make'" },
    { event: "activity.ended", outcome: "failed" },
  ])
  expect(messages.at(-1)?.message.content).toContain("no rule")
})

test("an old rollout is read from its messages, a current one from its items", async () => {
  const old = [event("user_message", { message: "hi" }), event("agent_message", { message: "yes" })]
  const kinds = async (lines: readonly object[]) =>
    (await read([META, ...lines])).messages
      .slice(1)
      .map((it) => [it.message.type, it.message.content])
  expect(await kinds(old)).toEqual([
    ["user", "hi"],
    ["assistant", "yes"],
  ])
  expect(await kinds([user("hi"), agent("yes"), ...old])).toEqual([
    ["user", "hi"],
    ["assistant", "yes"],
  ])
})

test("an aborted or unfinished turn is stopped, and a compaction is emitted", async () => {
  const { events } = await read([
    META,
    event("task_started", { turn_id: "t1" }),
    event("task_started", { turn_id: "t2" }),
    line("compacted", { message: "" }),
    event("error", { message: "no answer" }),
    event("turn_aborted", { turn_id: "t2", reason: "interrupted" }),
  ])
  expect(events.slice(1)).toMatchObject([
    { event: "turn.started" },
    { event: "turn.ended", outcome: "stopped" },
    { event: "turn.started" },
    { event: "context.compacted" },
    { event: "error", message: "no answer" },
    { event: "turn.ended", outcome: "stopped" },
  ])
})

test("the host's own prompts are not included", async () => {
  const base = { ...META, payload: { ...META.payload, base_instructions: { text: "PROMPT" } } }
  const { messages } = await read([
    base,
    line("response_item", { type: "message", role: "developer", content: [{ text: "PROMPT" }] }),
    user("x"),
  ])
  expect(JSON.stringify(messages)).not.toContain("PROMPT")
})

/**
 * `Array.fromAsync`, which our oldest supported Node does not have.
 */
async function all<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const found: Value[] = []
  for await (const value of values) found.push(value)
  return found
}
