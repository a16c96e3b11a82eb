import { z } from "zod"
import { isRecord, type JsonRecord, parseJsonRecord } from "#ground/base"
import type { ActivityKind } from "#ground/contract"
import { userText, withoutInjectedContext } from "#see/hosts"
import {
  newParserState,
  type ParserState,
  parseNotification,
  usageOf,
} from "../codex/parse-stream.ts"
import type { EventEmitter } from "../wire/event-emitter.ts"
import { inputText, textField, titleLine } from "../wire/tool-text.ts"
import { entryOf, newFacts, type SessionFacts, type TranscriptReader } from "./transcript-reader.ts"

type State = {
  readonly emitter: EventEmitter
  readonly parser: ParserState
  readonly facts: SessionFacts
  readonly calls: Calls
  /** Older rollouts contain messages twice, in other events; where there are items, these count. */
  hasItems: boolean
}

/** Items and turns of a Codex rollout differ from the app-server's only in spelling. */
export function createCodexReader(emitter: EventEmitter): TranscriptReader {
  const facts = newFacts()
  const state: State = {
    emitter,
    parser: newParserState(emitter),
    facts,
    calls: createCalls(emitter),
    hasItems: false,
  }
  return {
    facts,
    line(line, raw) {
      const payload = isRecord(line["payload"]) ? line["payload"] : {}
      const isParsed = entryOf(PARSERS, line["type"])?.(state, payload, raw) ?? false
      if (!isParsed) facts.skipped += 1
    },
    // A sub-agent of Codex has its own rollout file.
    endedSubAgent: () => undefined,
    subAgentLine() {},
  }
}

type PayloadParser = (state: State, payload: JsonRecord, raw: string) => boolean

const PARSERS: Readonly<Record<string, PayloadParser>> = {
  session_meta: parseSession,
  turn_context({ facts }, payload) {
    facts.model = textField(payload, "model") ?? facts.model
    return facts.model !== null
  },
  event_msg: (state, payload, raw) =>
    entryOf(EVENT_PARSERS, payload["type"])?.(state, payload, raw) ?? false,
  response_item: ({ calls }, payload, raw) => calls.parse(payload, raw),
  compacted: parseCompacted,
}

const EVENT_PARSERS: Readonly<Record<string, PayloadParser>> = {
  task_started: (state, payload, raw) => parseTurn(state, payload, { raw, status: "inProgress" }),
  task_complete: (state, payload, raw) => parseTurn(state, payload, { raw, status: "completed" }),
  turn_aborted: (state, payload, raw) => parseTurn(state, payload, { raw, status: "interrupted" }),
  item_completed: parseItem,
  token_count: parseUsage,
  user_message: (state, payload, raw) => !state.hasItems && parseUser(state, payload, raw),
  agent_message: parseOldMessage,
  context_compacted: parseCompacted,
  error: parseError,
  stream_error: parseError,
  warning: parseWords,
  background_event: parseWords,
}

/** Leaves out the raw line, which contains the host's whole base prompt. */
function parseSession({ facts, parser, emitter }: State, payload: JsonRecord): boolean {
  const sessionId = textField(payload, "id", "session_id")
  const cwd = textField(payload, "cwd")
  if (facts.sessionId !== null || sessionId === undefined || cwd === undefined) return false
  const version = textField(payload, "cli_version")
  facts.sessionId = sessionId
  facts.cwd = cwd
  facts.version = version ?? null
  parser.threadId = sessionId
  emitter.emit({ event: "session.started", sessionId, cwd, version })
  return true
}

function parseTurn(
  state: State,
  payload: JsonRecord,
  { raw, status }: { readonly raw: string; readonly status: string },
): boolean {
  const { parser, emitter } = state
  const isStart = status === "inProgress"
  // A turn that began and did not end was ended with its process.
  if (isStart && emitter.isInTurn()) emitter.emit({ event: "turn.ended", outcome: "stopped" })
  if (!isStart && parser.lastText === "") {
    parser.lastText = textField(payload, "last_agent_message") ?? ""
  }
  const duration = payload["duration_ms"]
  const durationMs = typeof duration === "number" && duration >= 0 ? duration : undefined
  const turn = { id: textField(payload, "turn_id") ?? "turn", status, durationMs }
  const method = isStart ? "turn/started" : "turn/completed"
  parseAsNotification(state, { method, params: { turn }, raw })
  state.calls.clear()
  return true
}

function parseAsNotification(
  { parser }: State,
  it: { readonly method: string; readonly params: object; readonly raw: string },
): void {
  const params = { threadId: parser.threadId ?? "", ...it.params }
  parseNotification(parser, { ...it, params })
}

function parseItem(state: State, payload: JsonRecord, raw: string): boolean {
  state.hasItems = true
  if (userText(payload) !== "") return parseUser(state, payload, raw)
  const item = itemOf(payload["item"])
  if (item === undefined) return false
  state.calls.drop(item.id)
  parseAsNotification(state, { method: "item/completed", params: { item }, raw })
  return true
}

function parseUser({ emitter, facts }: State, payload: JsonRecord, raw: string): boolean {
  const text = userText(payload)
  if (text === "") return false
  facts.title ??= withoutInjectedContext(text)
  emitter.emit({ event: "message", type: "user", text }, raw)
  return true
}

function parseOldMessage(state: State, payload: JsonRecord, raw: string): boolean {
  const text = textField(payload, "message")
  if (state.hasItems || text === undefined) return false
  const item = { type: "agentMessage", id: "message", text }
  parseAsNotification(state, { method: "item/completed", params: { item }, raw })
  return true
}

function parseUsage(state: State, payload: JsonRecord, raw: string): boolean {
  const info = TokenInfo.safeParse(payload["info"])
  if (!info.success) return false
  const { total_token_usage: total, last_token_usage: last } = info.data
  const tokenUsage = { total, last, modelContextWindow: info.data.model_context_window }
  const window = tokenUsage.modelContextWindow
  state.facts.usage = usageOf(total)
  state.facts.usageByModel = new Map([[state.facts.model ?? "", state.facts.usage]])
  if (typeof window === "number") state.facts.context = { used: last.totalTokens, window }
  parseAsNotification(state, { method: "thread/tokenUsage/updated", params: { tokenUsage }, raw })
  return true
}

function parseCompacted(state: State, _payload: JsonRecord, raw: string): boolean {
  parseAsNotification(state, { method: "thread/compacted", params: {}, raw })
  return true
}

function parseError({ emitter }: State, payload: JsonRecord, raw: string): boolean {
  const message = textField(payload, "message")
  if (message !== undefined) emitter.emit({ event: "error", message }, raw)
  return message !== undefined
}

function parseWords({ emitter }: State, payload: JsonRecord, raw: string): boolean {
  const text = textField(payload, "message")
  if (text !== undefined) emitter.emit({ event: "message", type: "system", text }, raw)
  return text !== undefined
}

type Calls = ReturnType<typeof createCalls>

/**
 * Tool calls without an item: hooks deny some before there is one, and older rollouts have none.
 */
function createCalls(emitter: EventEmitter) {
  const open = new Map<string, ReturnType<typeof callOf>>()
  return {
    parse(payload: JsonRecord, raw: string): boolean {
      const id = textField(payload, "call_id")
      const type = textField(payload, "type") ?? ""
      if (id === undefined) return false
      if (type === "function_call" || type === "custom_tool_call") {
        if (open.size < 1_000) open.set(id, callOf(payload, emitter))
        return true
      }
      const isOutput = type === "function_call_output" || type === "custom_tool_call_output"
      const call = isOutput ? open.get(id) : undefined
      open.delete(id)
      if (call === undefined) return false
      const { output, outcome } = outputOf(payload["output"])
      emitter.emit({ event: "activity.started", activityId: id, ...call }, raw)
      emitter.emit({ event: "activity.ended", activityId: id, outcome, output }, raw)
      return true
    },
    drop: (id: string): void => void open.delete(id),
    clear: (): void => open.clear(),
  }
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

function callOf(payload: JsonRecord, { redact }: EventEmitter) {
  const tool = textField(payload, "name") ?? "tool"
  const input = inputText(payload["arguments"] ?? payload["input"])
  const fields = parseJsonRecord(input) ?? {}
  const command = textField(fields, "cmd") ?? commandOf(fields["command"])
  const isMcp = (textField(payload, "namespace") ?? "").startsWith("mcp__")
  const kind: ActivityKind = isMcp ? "mcp" : (entryOf(KINDS, tool) ?? "other")
  return { kind, tool, title: titleLine(redact(command || `${tool} ${input}`)), input }
}

/**
 * A text, or a record that contains one; an exit code other than 0 in its first lines is a failure.
 */
function outputOf(value: unknown): { output: string; outcome: "done" | "failed" } {
  const inner = isRecord(value) ? (value["content"] ?? value["output"] ?? value) : value
  const output = inputText(inner)
  const isFailed = /(?:exited with code|exit code:?) -?[1-9]/i.test(output.slice(0, 300))
  return { output, outcome: isFailed ? "failed" : "done" }
}

/** Converts a rollout item to the app-server's spelling; seen on 0.166.0. */
function itemOf(item: unknown) {
  const type = textField(item, "type")
  const id = textField(item, "id")
  if (!isRecord(item) || type === undefined || id === undefined) return undefined
  const named = Object.entries(item).map(([key, value]) => [camelCase(key), value] as const)
  const lowerType = type.slice(0, 1).toLowerCase() + type.slice(1)
  return {
    ...Object.fromEntries(named),
    type: lowerType,
    id,
    ...entryOf(RESPELLED, type)?.(item),
  }
}

function camelCase(key: string): string {
  return key.replace(/_(?<letter>[a-z])/g, (_, letter: string) => letter.toUpperCase())
}

const RESPELLED: Readonly<Record<string, (item: JsonRecord) => object>> = {
  AgentMessage: ({ content }) => ({
    text: (Array.isArray(content) ? content : [])
      .flatMap((it: unknown) => textField(it, "text") ?? [])
      .join("\n"),
  }),
  CommandExecution: (item) => ({
    command: commandOf(item["command"]),
    durationMs: millisecondsOf(item["duration"]),
  }),
  McpToolCall: (item) => ({ durationMs: millisecondsOf(item["duration"]) }),
  FileChange: ({ changes }) => ({
    changes: Object.entries(isRecord(changes) ? changes : {}).map(([path, change]) => ({
      path,
      kind: { type: textField(change, "type") ?? "update" },
      diff: textField(change, "unified_diff", "content") ?? "",
    })),
  }),
}

function commandOf(command: unknown): string {
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
