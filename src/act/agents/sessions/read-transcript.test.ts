import { appendFile, mkdir, symlink, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import fc from "fast-check"
import { expect, test } from "vitest"
import { systemRandom } from "#ground/base"
import { AgentEvent } from "#ground/contract"
import { createSecrets } from "#ground/secrets"
import { fcParameters } from "#test/seed"
import { tempDirectory } from "#test/temp"
import { checkTranscriptResumable } from "./find-sessions.ts"
import { readHead } from "./list-sessions.ts"
import { type ReadOptions, readTranscript, type TranscriptPage } from "./read-transcript.ts"

const PLAIN = { redact: (text: string) => text, redactJson: (value: unknown) => value }
const ID = "11111111-1111-4111-8111-111111111111"

/** Lines as Claude Code 2.1 writes them; texts and ids are ours. */
const place = { sessionId: ID, cwd: "/w", version: "2.1.0", isSidechain: false }
const at = (second: number) => ({
  timestamp: new Date(1_700_000_000_000 + second * 1_000).toISOString(),
})
const prompt = (text: string, more: object = {}) => ({
  ...place,
  type: "user",
  message: { role: "user", content: text },
  ...at(1),
  ...more,
})
const answer = (block: object, stop: string, more: object = {}) => ({
  ...place,
  type: "assistant",
  message: {
    id: "msg_1",
    model: "some-model",
    content: [block],
    stop_reason: stop,
    usage: { input_tokens: 7, output_tokens: 3, cache_read_input_tokens: 2 },
  },
  ...at(2),
  ...more,
})
const words = (text: string, stop = "end_turn") => answer({ type: "text", text }, stop)
const call = (id: string, name: string, input: object) =>
  answer({ type: "tool_use", id, name, input }, "tool_use")
const result = (id: string, content: string, more: object = {}) => ({
  ...place,
  type: "user",
  message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] },
  ...at(3),
  ...more,
})

async function transcript(
  folder: string,
  lines: readonly unknown[],
  host = "claude-code" as const,
) {
  const file = join(folder, `${ID}.jsonl`)
  await writeFile(file, textOf(lines))
  return { host, sessionId: ID, file }
}

function textOf(lines: readonly unknown[]): string {
  return lines.map((it) => `${typeof it === "string" ? it : JSON.stringify(it)}\n`).join("")
}

type ReadTranscriptInput = Parameters<typeof readTranscript>[0]

async function pagesOf(
  it: ReadTranscriptInput,
  options: Partial<ReadOptions> = {},
): Promise<readonly TranscriptPage[]> {
  return all(readTranscript(it, { ...PLAIN, ...options }))
}

const eventsOf = (pages: readonly TranscriptPage[]) =>
  pages.flatMap((page) => page.messages.map((it) => it.message.metadata["event"] as AgentEvent))
const namesOf = (pages: readonly TranscriptPage[]) => eventsOf(pages).map((it) => it.event)
const lastOf = (pages: readonly TranscriptPage[]): TranscriptPage => {
  const page = pages.at(-1)
  if (page === undefined) throw new Error("there is always a last page")
  return page
}

test("a Claude Code turn becomes the events that our adapter would have emitted", async () => {
  await using temp = await tempDirectory()
  const patch = { filePath: "/w/a.txt", content: "one\n", structuredPatch: [], originalFile: null }
  const it = await transcript(temp.path, [
    { type: "queue-operation", operation: "enqueue", content: "write it", sessionId: ID },
    prompt("write it"),
    { ...place, type: "attachment", attachment: { type: "date", date: "2026-01-01" } },
    answer({ type: "thinking", thinking: "hm" }, "end_turn"),
    call("t1", "Write", { file_path: "/w/a.txt", content: "one\n" }),
    result("t1", "made", { toolUseResult: patch }),
    words("It is written."),
    {
      type: "cost-state",
      totalCostUSD: 0.5,
      modelUsage: { m: { inputTokens: 9, outputTokens: 4 } },
    },
  ])
  const pages = await pagesOf(it)
  expect(namesOf(pages)).toEqual([
    "session.started",
    "message",
    "turn.started",
    "activity.started",
    "activity.ended",
    "message",
    "turn.ended",
    "cost",
  ])
  const messages = pages.flatMap((page) => page.messages)
  expect(messages.map((it) => [it.message.type, it.message.content, it.at])).toEqual([
    ["system", `Session ${ID} started`, 1_700_000_001_000],
    ["user", "write it", 1_700_000_001_000],
    ["system", "Turn started", 1_700_000_001_000],
    ["tool", "Write /w/a.txt", 1_700_000_002_000],
    ["tool", "made", 1_700_000_003_000],
    ["assistant", "It is written.", 1_700_000_002_000],
    ["response", "It is written.", 1_700_000_002_000],
    ["system", "Usage so far", 1_700_000_002_000],
  ])
  expect(eventsOf(pages)[4]).toMatchObject({
    outcome: "done",
    diff: expect.stringContaining("+one") as string,
  })
  expect(lastOf(pages)).toMatchObject({
    isFromStart: true,
    facts: {
      sessionId: ID,
      cwd: "/w",
      model: "some-model",
      version: "2.1.0",
      title: "write it",
      usage: { input: 9, output: 4 },
      costUsd: 0.5,
      skipped: 2,
    },
  })
})

test("each model message is counted once, whatever its number of lines", async () => {
  await using temp = await tempDirectory()
  const other = { ...words("again"), message: { ...words("again").message, id: "msg_2" } }
  const it = await transcript(temp.path, [prompt("x"), words("a", "tool_use"), words("b"), other])
  expect(lastOf(await pagesOf(it)).facts.usage).toEqual({
    input: 14,
    output: 6,
    cacheRead: 4,
    cacheWrite: 0,
  })
})

test("[T15][AGENTS-70] a transcript gives the usage of each model and the window of the last request", async () => {
  await using temp = await tempDirectory()
  const by = (model: string, id: string, input_tokens: number) => {
    const line = words("done")
    const usage = { input_tokens, output_tokens: 3, cache_read_input_tokens: 2 }
    return { ...line, message: { ...line.message, id, model, usage } }
  }
  const it = await transcript(temp.path, [
    prompt("x"),
    by("claude-sonnet-4-5", "msg_1", 10),
    prompt("y"),
    by("claude-opus-5-5", "msg_2", 40),
    by("claude-opus-5-5", "msg_2", 40),
  ])
  const pages = await pagesOf(it)
  const { facts } = lastOf(pages)
  expect([...facts.usageByModel].map(([model, usage]) => [model, usage.input])).toEqual([
    ["claude-sonnet-4-5", 10],
    ["claude-opus-5-5", 40],
  ])
  expect(facts.usage).toMatchObject({ input: 50, output: 6, cacheRead: 4 })
  expect(facts.context).toEqual({ used: 42, window: 1_000_000 })
  const windows = eventsOf(pages).filter((one) => one?.event === "context.usage")
  expect(windows).toMatchObject([
    { used: 12, window: 200_000 },
    { used: 42, window: 1_000_000 },
  ])
})

test("denied, failed and unanswered calls end with the matching outcome", async () => {
  await using temp = await tempDirectory()
  const failed = (id: string, more: object = {}) => ({
    ...result(id, "no"),
    message: { content: [{ type: "tool_result", tool_use_id: id, content: "no", is_error: true }] },
    ...more,
  })
  const it = await transcript(temp.path, [
    prompt("one"),
    call("a", "Bash", { command: "x" }),
    failed("a", { permissionDecision: { decision: "reject", source: "user" } }),
    call("b", "Bash", { command: "y" }),
    failed("b"),
    call("c", "Bash", { command: "z" }),
    prompt("two"),
    words("API Error: 529"),
  ])
  const ended = eventsOf(await pagesOf(it)).flatMap((event) =>
    event.event === "activity.ended" || event.event === "turn.ended" ? [event.outcome] : [],
  )
  expect(ended).toEqual(["denied", "failed", "stopped", "stopped", "completed"])
})

test("a model error ends its turn as failed, and an interrupt as stopped", async () => {
  await using temp = await tempDirectory()
  const error = { ...words("API Error: 529"), isApiErrorMessage: true }
  const it = await transcript(temp.path, [
    prompt("one"),
    error,
    prompt("two"),
    prompt("[Request interrupted by user]"),
  ])
  const ended = eventsOf(await pagesOf(it)).filter((event) => event.event === "turn.ended")
  expect(ended).toMatchObject([
    { outcome: "failed", error: "API Error: 529" },
    { outcome: "stopped" },
  ])
})

test("lines that the host inserted are not user turns", async () => {
  await using temp = await tempDirectory()
  const it = await transcript(temp.path, [
    prompt("caveat", { isMeta: true }),
    prompt("<command-name>/compact</command-name>"),
    prompt("a summary of before", { isCompactSummary: true }),
    prompt("of a sub-agent", { isSidechain: true }),
    {
      ...place,
      type: "system",
      subtype: "compact_boundary",
      compactMetadata: { trigger: "auto", preTokens: 9 },
    },
    { type: "news", content: "something for people" },
    { type: "news", hash: "0" },
    { type: "ai-title", aiTitle: "By the host" },
    { type: "custom-title", customTitle: "By a person" },
    { type: "ai-title", aiTitle: "By the host, later" },
  ])
  const pages = await pagesOf(it)
  const told = pages.flatMap((page) =>
    page.messages.map((it) => [it.message.type, it.message.content]),
  )
  expect(told).toEqual([
    ["system", `Session ${ID} started`],
    ["system", "<command-name>/compact</command-name>"],
    ["system", "a summary of before"],
    ["system", "The host compacted its context"],
    ["system", "something for people"],
  ])
  expect(lastOf(pages).facts).toMatchObject({ title: "By a person", skipped: 3 })
})

test("a sub-agent's lines are placed below its call, once", async () => {
  await using temp = await tempDirectory()
  const notice = `<task-notification>\n<task-id>a1</task-id>\n<tool-use-id>t1</tool-use-id>\n</task-notification>`
  const ended = prompt(notice, { origin: { kind: "task-notification" } })
  const it = await transcript(temp.path, [
    prompt("ask another"),
    call("t1", "Agent", { description: "look" }),
    result("t1", "sent", { toolUseResult: { agentId: "a1", status: "async_launched" } }),
    words("I wait."),
    ended,
    words("Thanks."),
    ended,
    call("t2", "Agent", { description: "again" }),
    result("t2", "done", { toolUseResult: { agentId: "a2", status: "completed" } }),
  ])
  const folder = join(temp.path, ID, "subagents")
  await mkdir(folder, { recursive: true })
  const inner = { isSidechain: true }
  const child = [
    { ...prompt("look"), ...inner },
    { ...call("i1", "Grep", { pattern: "x" }), ...inner },
    { ...result("i1", "found"), ...inner },
    { ...words("It is there."), ...inner },
  ]
  await writeFile(join(folder, "agent-a1.jsonl"), textOf(child))
  await symlink(join(folder, "agent-a1.jsonl"), join(folder, "agent-a2.jsonl"))
  const pages = await pagesOf(it)
  const below = eventsOf(pages).filter((event) => "parentId" in event && event.parentId === "t1")
  expect(below).toMatchObject([
    { event: "activity.started", activityId: "i1", kind: "search" },
    { event: "message", type: "assistant" },
  ])
  // Links are not followed.
  expect(eventsOf(pages).some((it) => "parentId" in it && it.parentId === "t2")).toBe(false)
})

test("reading a transcript in chunks, split anywhere, gives the same as in one go", async () => {
  await using temp = await tempDirectory()
  const lines = [
    prompt("one"),
    call("a", "Bash", { command: "x" }),
    result("a", "out"),
    words("first"),
    prompt("zwei — ✓"),
    words("second"),
  ]
  const whole = Buffer.from(textOf(lines))
  const it = await transcript(temp.path, lines)
  const wanted = (await pagesOf(it)).flatMap((page) => page.messages)
  for (let cut = 1; cut < whole.length; cut += 7) {
    await writeFile(it.file, whole.subarray(0, cut))
    const before = await pagesOf(it)
    await appendFile(it.file, whole.subarray(cut))
    const { until: after } = lastOf(before)
    const rest = await pagesOf(it, { after })
    const both = [...before, ...rest].flatMap((page) => page.messages)
    expect(both).toEqual(wanted)
    expect(lastOf(rest).isFromStart).toBe(after.offset === 0)
  }
  const again = await pagesOf(it, { after: lastOf(await pagesOf(it)).until })
  expect(again).toMatchObject([{ messages: [], isFromStart: false, facts: { sessionId: ID } }])
})

test.each([
  ["shrank", [prompt("one")]],
  [
    // Same length as before, so that only the first line differs.
    "begins otherwise",
    [prompt("two"), words("word"), prompt("three")],
  ],
])("a file that %s is read from its start, and the result says so", async (_, lines) => {
  await using temp = await tempDirectory()
  const it = await transcript(temp.path, [prompt("one"), words("word")])
  const { until: after } = lastOf(await pagesOf(it))
  await writeFile(it.file, textOf(lines))
  const pages = await pagesOf(it, { after })
  expect(lastOf(pages).isFromStart).toBe(true)
  expect(namesOf(pages)[0]).toBe("session.started")
})

test("a long transcript is returned in pages, each with its read position", async () => {
  await using temp = await tempDirectory()
  const lines = Array.from({ length: 300 }, (_, n) => [prompt(`turn ${n}`), words("yes")]).flat()
  const it = await transcript(temp.path, lines)
  const pages = await pagesOf(it)
  expect(pages.length).toBeGreaterThan(3)
  expect(pages.map((page) => page.isFromStart)).toEqual(pages.map((_, at) => at === 0))
  const [first] = pages
  const rest = await pagesOf(it, { after: first?.until })
  expect(rest.flatMap((page) => page.messages)).toEqual(
    pages.slice(1).flatMap((page) => page.messages),
  )
})

test("F5: secrets of a transcript are not in the result", async () => {
  await using temp = await tempDirectory()
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
  const tail = Array.from(systemRandom.bytes(36), (it) => letters[it % letters.length]).join("")
  const canary = `ghp_${tail}`
  const secrets = createSecrets({ random: systemRandom })
  const text = `here: ${canary}`
  const patch = { filePath: "/w/a", content: `${text}\n`, structuredPatch: [], originalFile: null }
  const it = await transcript(temp.path, [
    { type: "custom-title", customTitle: text },
    prompt(text),
    call("a", "Bash", { command: `curl -H ${text}`, description: text }),
    result("a", `${"x".repeat(199_990)} ${canary}`, { toolUseResult: patch }),
    words(text),
    { type: "news", content: text },
  ])
  const pages = await pagesOf(it, {
    redact: (given) => secrets.redact(given).text,
    redactJson: (given) => secrets.redactJson(given).value,
  })
  const kept = JSON.stringify(pages)
  expect(namesOf(pages)).toContain("turn.ended")
  expect(kept).not.toContain(tail.slice(0, 10))
  expect(kept).toContain("[redacted: ")
})

test("anything but a regular file gives an error that says so", async () => {
  await using temp = await tempDirectory()
  const file = join(temp.path, "gone.jsonl")
  const it = { host: "claude-code", sessionId: ID, file } as const
  await expect(pagesOf(it)).rejects.toMatchObject({ code: "AGENTS_TRANSCRIPT_UNREADABLE" })
  await writeFile(join(dirname(file), "real.jsonl"), "")
  await symlink(join(temp.path, "real.jsonl"), file)
  await expect(pagesOf(it)).rejects.toMatchObject({ code: "AGENTS_TRANSCRIPT_UNREADABLE" })
})

/**
 * `Array.fromAsync`, which our oldest supported Node does not have.
 */
async function all<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const found: Value[] = []
  for await (const value of values) found.push(value)
  return found
}

const PLAIN_SCRUB = { redact: (text: string) => text, redactJson: (value: unknown) => value }

/** Words with a meaning for a reader, and some with a meaning in JavaScript. */
const WORDS = (
  "user assistant system attachment cost-state summary session_meta event_msg response_item " +
  "turn_context compacted item_completed task_started task_complete turn_aborted token_count " +
  "function_call function_call_output tool_use tool_result text type message content payload item id " +
  "call_id name input arguments output subtype compact_boundary compactMetadata modelUsage info " +
  "toolUseResult agentId permissionDecision decision changes command duration timestamp sessionId cwd " +
  "AgentMessage CommandExecution FileChange UserMessage McpToolCall structuredPatch filePath usage " +
  "origin stop_reason end_turn isMeta __proto__ constructor toString __defineGetter__ hasOwnProperty"
).split(" ")

const word = fc.constantFrom(...WORDS)
const leaf = fc.oneof(word, fc.string(), fc.double(), fc.boolean(), fc.constant(null))
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof({ weight: 9, arbitrary: word }, { weight: 1, arbitrary: fc.string() }),
      tie("value"),
      { maxKeys: 8 },
    ),
  ),
}))
const typed = fc.tuple(word, word, value).map(([type, inner, it]) => {
  const fields = typeof it === "object" && it !== null ? it : { content: it }
  return { payload: { type: inner, ...fields }, message: fields, ...fields, type }
})
const line = fc.oneof(
  { weight: 6, arbitrary: typed.map((it) => JSON.stringify(it)) },
  { weight: 2, arbitrary: value.map((it) => JSON.stringify(it)) },
  { weight: 1, arbitrary: fc.string() },
)
const structured = fc.array(line, { maxLength: 30 }).map((it) => Buffer.from(`${it.join("\n")}\n`))
const bytes = fc.uint8Array({ maxLength: 2_000 }).map((it) => Buffer.from(it))

for (const host of ["claude-code", "codex"] as const) {
  test(`F1: no bytes make reading ${host} throw or hang, and every event is valid`, async () => {
    await using temp = await tempDirectory()
    const file = join(temp.path, "session.jsonl")
    const it = { host, sessionId: "s", file }
    const property = fc.asyncProperty(fc.oneof(structured, bytes), async (given) => {
      await writeFile(file, given)
      const pages = await readAll(readTranscript(it, PLAIN_SCRUB))
      for (const { message } of pages.flatMap((page) => page.messages)) {
        expect(AgentEvent.safeParse(message.metadata["event"]).success).toBe(true)
        expect(message.content.isWellFormed()).toBe(true)
      }
      const until = pages.at(-1)?.until
      expect(until?.offset).toBe(given.lastIndexOf(0x0a) + 1)
      const again = await readAll(readTranscript(it, { ...PLAIN, after: until }))
      expect(again.flatMap((page) => page.messages)).toEqual([])
      await readHead(it, PLAIN_SCRUB.redact)
      expect(await checkTranscriptResumable(host, file)).toBeTypeOf("boolean")
    })
    await fc.assert(property, fcParameters({ numRuns: 1_500, nightRuns: 20_000 }))
  })
}

/**
 * `Array.fromAsync`, which our oldest supported Node does not have.
 */
async function readAll<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const found: Value[] = []
  for await (const value of values) found.push(value)
  return found
}

test("the title of an imported session is the user's prompt, without our context before it", async () => {
  await using temp = await tempDirectory()
  const injected = '<context label="memories">\nnothing\n</context>\n\nfix the tax'
  const it = await transcript(temp.path, [prompt(injected)])
  expect(lastOf(await pagesOf(it))).toMatchObject({ facts: { title: "fix the tax" } })
})
