import { z } from "zod"
import { isRecord, parseJsonRecord } from "#ground/base"
import type { ActivityKind } from "#ground/contract"
import {
  newParserState,
  type ParserState,
  parseNotification,
  usageOf,
} from "../codex/parse-stream.ts"
import type { EventEmitter } from "../wire/event-emitter.ts"
import { inputText, textField, titleLine } from "../wire/tool-text.ts"
import { MOST_OPEN_CALLS } from "./limits.ts"
import { userText } from "./list-sessions.ts"
import { entryOf, type Facts, newFacts, type TranscriptReader } from "./transcript-reader.ts"

type Line = Readonly<Record<string, unknown>>

type State = {
  readonly emitter: EventEmitter
  readonly parser: ParserState
  readonly facts: Facts
  readonly calls: Calls
  /** Rollouts of before tell messages twice in other words; where there are items, these count. */
  hasItems: boolean
}

/** A rollout of Codex, in the words of its app-server: items and turns differ in spelling only. */
export function createCodexReader(emitter: EventEmitter): TranscriptReader {
  const parser = newParserState(emitter)
  const facts = newFacts()
  const calls = createCalls(emitter)
  const state: State = { emitter, parser, facts, calls, hasItems: false }
  return {
    facts,
    line(line, raw) {
      const payload = isRecord(line["payload"]) ? line["payload"] : {}
      const isParsed = entryOf(PARSERS, line["type"])?.(state, payload, raw) ?? false
      if (!isParsed) facts.skipped += 1
    },
    // A sub-agent of Codex has a rollout of its own among the others, under an id of its own.
    childOf: () => undefined,
    childLine() {},
  }
}

/** True when something was told or noted. */
type Parser = (state: State, payload: Line, raw: string) => boolean

const PARSERS: Readonly<Record<string, Parser>> = {
  session_meta: emitSession,
  turn_context: noteTurn,
  event_msg: emitEvent,
  response_item: ({ calls }, payload, raw) => calls.parseNotification(payload, raw),
  compacted: emitCompacted,
}

/** Its line holds the whole base prompt of the host, which is not ours to keep beside it. */
function emitSession({ facts, parser, emitter }: State, payload: Line): boolean {
  const sessionId = textField(payload, "id", "session_id")
  const cwd = textField(payload, "cwd")
  if (facts.sessionId !== null || sessionId === undefined || cwd === undefined) return false
  const version = textField(payload, "cli_version")
  Object.assign(facts, { sessionId, cwd, version: version ?? null })
  parser.threadId = sessionId
  emitter.emit({ event: "session.started", sessionId, cwd, version })
  return true
}

function noteTurn({ facts }: State, payload: Line): boolean {
  facts.model = textField(payload, "model") ?? facts.model
  return facts.model !== null
}

const EVENTS: Readonly<Record<string, Parser>> = {
  task_started: (state, payload, raw) => emitTurn(state, payload, { raw, status: "inProgress" }),
  task_complete: (state, payload, raw) => emitTurn(state, payload, { raw, status: "completed" }),
  turn_aborted: (state, payload, raw) => emitTurn(state, payload, { raw, status: "interrupted" }),
  item_completed: emitItem,
  token_count: emitUsage,
  user_message: (state, payload, raw) => !state.hasItems && emitUser(state, payload, raw),
  agent_message: emitOldWords,
  context_compacted: emitCompacted,
  error: emitError,
  stream_error: emitError,
  warning: emitWords,
  background_event: emitWords,
}

function emitEvent(state: State, payload: Line, raw: string): boolean {
  return entryOf(EVENTS, payload["type"])?.(state, payload, raw) ?? false
}

function emitTurn(
  state: State,
  payload: Line,
  it: { readonly raw: string; readonly status: string },
): boolean {
  const { parser, emitter } = state
  const isStart = it.status === "inProgress"
  // A turn that was begun and not ended ended with its process.
  if (isStart && emitter.isInTurn()) emitter.emit({ event: "turn.ended", outcome: "stopped" })
  if (!isStart && parser.lastText === "") {
    parser.lastText = textField(payload, "last_agent_message") ?? ""
  }
  const duration = payload["duration_ms"]
  const durationMs = typeof duration === "number" && duration >= 0 ? duration : undefined
  const turn = { id: textField(payload, "turn_id") ?? "turn", status: it.status, durationMs }
  pass(state, {
    method: isStart ? "turn/started" : "turn/completed",
    params: { turn },
    raw: it.raw,
  })
  state.calls.forget()
  return true
}

/** To the app-server's own hearer, as if it had come from this thread. */
function pass(
  { parser }: State,
  it: { readonly method: string; readonly params: object; readonly raw: string },
): void {
  parseNotification(parser, { ...it, params: { threadId: parser.threadId ?? "", ...it.params } })
}

function emitItem(state: State, payload: Line, raw: string): boolean {
  state.hasItems = true
  if (userText(payload) !== "") return emitUser(state, payload, raw)
  const item = itemOf(payload["item"])
  if (item === undefined) return false
  state.calls.told(item.id)
  pass(state, { method: "item/completed", params: { item }, raw })
  return true
}

function emitUser({ emitter, facts }: State, payload: Line, raw: string): boolean {
  const text = userText(payload)
  if (text === "") return false
  facts.title ??= text
  emitter.emit({ event: "message", type: "user", text }, raw)
  return true
}

function emitOldWords(state: State, payload: Line, raw: string): boolean {
  const text = textField(payload, "message")
  if (state.hasItems || text === undefined) return false
  const item = { type: "agentMessage", id: "message", text }
  pass(state, { method: "item/completed", params: { item }, raw })
  return true
}

function emitUsage(state: State, payload: Line, raw: string): boolean {
  const tokenUsage = tokenUsageOf(payload["info"])
  if (tokenUsage === undefined) return false
  state.facts.usage = usageOf(tokenUsage.total)
  pass(state, { method: "thread/tokenUsage/updated", params: { tokenUsage }, raw })
  return true
}

function emitCompacted(state: State, _payload: Line, raw: string): boolean {
  pass(state, { method: "thread/compacted", params: {}, raw })
  return true
}

function emitError({ emitter }: State, payload: Line, raw: string): boolean {
  const message = textField(payload, "message")
  if (message !== undefined) emitter.emit({ event: "error", message }, raw)
  return message !== undefined
}

function emitWords({ emitter }: State, payload: Line, raw: string): boolean {
  const text = textField(payload, "message")
  if (text !== undefined) emitter.emit({ event: "message", type: "system", text }, raw)
  return text !== undefined
}

type Payload = Readonly<Record<string, unknown>>

export type Calls = ReturnType<typeof createCalls>

/**
 * The model's calls of tools, for those of which no item tells: hooks deny some before there is one,
 * and rollouts of before have none. What has an item is told by it alone.
 */
export function createCalls(emitter: EventEmitter) {
  const open = new Map<string, Call>()
  return {
    /** True when something was told or noted. */
    parseNotification(payload: Payload, raw: string): boolean {
      const id = textField(payload, "call_id")
      const type = textField(payload, "type") ?? ""
      if (id === undefined) return false
      if (CALLS.has(type) && open.size < MOST_OPEN_CALLS) open.set(id, callOf(payload, emitter))
      if (CALLS.has(type)) return true
      const call = OUTPUTS.has(type) ? open.get(id) : undefined
      open.delete(id)
      if (call === undefined) return false
      const { output, outcome } = outputOf(payload["output"])
      emitter.emit({ event: "activity.started", activityId: id, ...call }, raw)
      emitter.emit({ event: "activity.ended", activityId: id, outcome, output }, raw)
      return true
    },
    told: (id: string): void => void open.delete(id),
    forget: (): void => open.clear(),
  }
}

const CALLS: ReadonlySet<string> = new Set(["function_call", "custom_tool_call"])
const OUTPUTS: ReadonlySet<string> = new Set(["function_call_output", "custom_tool_call_output"])

type Call = {
  readonly kind: ActivityKind
  readonly tool: string
  readonly title: string
  readonly input: string
}

const KINDS: Readonly<Record<string, ActivityKind>> = {
  exec_command: "command",
  shell: "command",
  local_shell: "command",
  apply_patch: "edit",
  update_plan: "plan",
  web_search: "search",
  view_image: "read",
}

function callOf(payload: Payload, { redact }: EventEmitter): Call {
  const tool = textField(payload, "name") ?? "tool"
  const given = inputText(payload["arguments"] ?? payload["input"])
  const fields = parseJsonRecord(given) ?? {}
  const command = textField(fields, "cmd") ?? commandOf(fields["command"])
  const isMcp = (textField(payload, "namespace") ?? "").startsWith("mcp__")
  const kind = isMcp ? "mcp" : (entryOf(KINDS, tool) ?? "other")
  const title = titleLine(redact(command === "" ? `${tool} ${given}` : command))
  return { kind, tool, title, input: given }
}

/** A text, or a record that holds one; a code other than 0 in its first lines means it failed. */
function outputOf(given: unknown): { output: string; outcome: "done" | "failed" } {
  const inner = isRecord(given) ? (given["content"] ?? given["output"] ?? given) : given
  const output = inputText(inner)
  const isFailed = /(?:exited with code|exit code:?) -?[1-9]/i.test(
    output.slice(0, HEAD_CHARACTERS),
  )
  return { output, outcome: isFailed ? "failed" : "done" }
}

const HEAD_CHARACTERS = 300

type Loose = { readonly type: string; readonly id: string } & Readonly<Record<string, unknown>>

/** An item of a rollout as the app-server spells it; seen on 0.166.0. */
export function itemOf(item: unknown): Loose | undefined {
  const type = textField(item, "type")
  const id = textField(item, "id")
  if (!isRecord(item) || type === undefined || id === undefined) return undefined
  const named = Object.entries(item).map(([key, value]) => [camelCase(key), value] as const)
  const plain = { ...Object.fromEntries(named), type: lowerFirst(type), id }
  return { ...plain, ...entryOf(RESPELLED, type)?.(item) }
}

function camelCase(key: string): string {
  return key.replace(/_(?<letter>[a-z])/g, (_, letter: string) => letter.toUpperCase())
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1)
}

type Respelling = (item: Readonly<Record<string, unknown>>) => object

const RESPELLED: Readonly<Record<string, Respelling>> = {
  AgentMessage: (item) => ({ text: textsOf(item["content"]) }),
  CommandExecution: (item) => ({
    command: commandOf(item["command"]),
    durationMs: millisecondsOf(item["duration"]),
  }),
  McpToolCall: (item) => ({ durationMs: millisecondsOf(item["duration"]) }),
  FileChange: (item) => ({ changes: changesOf(item["changes"]) }),
}

function textsOf(content: unknown): string {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : []
  return blocks.flatMap((it) => textField(it, "text") ?? []).join("\n")
}

/** Program and arguments; the last of a shell's is the command itself. */
export function commandOf(command: unknown): string {
  if (typeof command === "string") return command
  const words: readonly unknown[] = Array.isArray(command) ? command : []
  const [shell = "", flag, script] = words.map(String)
  const isShell = words.length === 3 && shell.endsWith("sh") && /^-l?c$/.test(flag ?? "")
  return isShell ? `${shell} ${flag} '${script}'` : words.map(String).join(" ")
}

const Duration = z.object({ secs: z.number().nonnegative(), nanos: z.number().nonnegative() })

function millisecondsOf(duration: unknown): number | undefined {
  const parsed = Duration.safeParse(duration)
  return parsed.success ? parsed.data.secs * 1_000 + parsed.data.nanos / 1_000_000 : undefined
}

/** By path in a rollout, one after the other in the app-server. */
function changesOf(changes: unknown): readonly object[] {
  if (!isRecord(changes)) return []
  return Object.entries(changes).map(([path, change]) => ({
    path,
    kind: { type: textField(change, "type") ?? "update" },
    diff: textField(change, "unified_diff", "content") ?? "",
  }))
}

const Tokens = z.int().nonnegative().catch(0)
const Breakdown = z
  .object({
    total_tokens: Tokens,
    input_tokens: Tokens,
    cached_input_tokens: Tokens,
    cache_write_input_tokens: Tokens,
    output_tokens: Tokens,
  })
  .transform((it) => ({
    totalTokens: it.total_tokens,
    inputTokens: it.input_tokens,
    cachedInputTokens: it.cached_input_tokens,
    cacheWriteInputTokens: it.cache_write_input_tokens,
    outputTokens: it.output_tokens,
  }))

const TokenInfo = z.object({
  total_token_usage: Breakdown,
  last_token_usage: Breakdown,
  model_context_window: z.int().positive().nullish().catch(undefined),
})

/** Of the thread so far, and of its last call. */
export function tokenUsageOf(info: unknown) {
  const parsed = TokenInfo.safeParse(info)
  if (!parsed.success) return undefined
  const { total_token_usage: total, last_token_usage: last } = parsed.data
  return { total, last, modelContextWindow: parsed.data.model_context_window }
}
