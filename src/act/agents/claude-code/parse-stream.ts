import { isRecord, type JsonRecord } from "#ground/base"
import { type AgentMode, type ContextKind, TokenUsage } from "#ground/contract"
import type { EventEmitter } from "../wire/event-emitter.ts"
import { type MessageParser, parseWith } from "../wire/parse-with.ts"
import { inputText } from "../wire/tool-text.ts"
import {
  type Block,
  Compacted,
  ContextUsage,
  Init,
  Result,
  Retry,
  StreamEvent,
  Task,
  Turn,
  Words,
} from "./schema.ts"
import { diffOf, kindOf, pathOf, titleOf } from "./tools.ts"

export type ParserState = {
  readonly emitter: EventEmitter
  mode(): AgentMode
  isInterrupted(): boolean
  readonly tasks: Map<string, { readonly tokens: number; readonly durationMs: number }>
  readonly lastCall?: { id: string }
}

const SILENT: ReadonlySet<string> = new Set([
  ...[
    "status task_started task_updated hook_started hook_progress hook_response commands_changed",
    "ui_invalidate session_state_changed thinking_tokens background_tasks_changed command_lifecycle",
  ].flatMap((names) => names.split(" ").map((name) => `system/${name}`)),
  ..."command_lifecycle tool_progress rate_limit_event keep_alive".split(" "),
])

export function parseLine(state: ParserState, line: JsonRecord, raw: string): void {
  const name = nameOf(line)
  const parse = Object.hasOwn(PARSERS, name) ? PARSERS[name] : undefined
  const isParsed = parse === undefined ? SILENT.has(name) : parse(state, line, { line, raw })
  if (!isParsed) state.emitter.reportUnknown(name, raw)
}

function nameOf({ type, subtype }: JsonRecord): string {
  if (type === "system") {
    return `system/${typeof subtype === "string" ? subtype : "no subtype"}`
  }
  return typeof type === "string" ? type : "no type"
}

type LineContext = { readonly line: JsonRecord; readonly raw: string }
type LineParser = MessageParser<ParserState, LineContext>

const parseWords: LineParser = parseWith(Words, ({ emitter }, words, { raw }) => {
  const text = words.content ?? words.message ?? words.text
  if (typeof text !== "string") return false
  emitter.emit({ event: "message", type: "system", text }, raw)
  return true
})

function parseTask({ emitter, tasks }: ParserState, line: unknown, { raw }: LineContext): boolean {
  const task = Task.safeParse(line)
  if (!task.success) return true
  const { tool_use_id: activityId, usage, description, subtype } = task.data
  if (usage !== undefined) {
    tasks.set(activityId, { tokens: usage.total_tokens, durationMs: usage.duration_ms })
  }
  if (subtype === "task_progress") {
    emitter.emit({ event: "activity.updated", activityId, title: description }, raw)
  }
  return true
}

const parseTurn: LineParser = parseWith(Turn, (state, turn, context) => {
  for (const block of turn.message.content) emitBlock(state, block, { ...context, turn })
  emitCall(state, turn)
})

const PARSERS: Readonly<Record<string, LineParser>> = {
  "system/init": parseWith(Init, ({ emitter, mode }, init, { raw }) => {
    const { session_id: sessionId, cwd, model, claude_code_version: version, tools } = init
    emitter.emit(
      { event: "session.started", sessionId, cwd, model, version, tools, mode: mode() },
      raw,
    )
    emitter.emit({ event: "turn.started" })
  }),
  "system/compact_boundary": parseWith(Compacted, ({ emitter }, { compact_metadata }, { raw }) => {
    const { trigger, pre_tokens: tokensBefore, post_tokens: tokensAfter } = compact_metadata
    emitter.emit({ event: "context.compacted", trigger, tokensBefore, tokensAfter }, raw)
  }),
  "system/api_retry": parseWith(Retry, ({ emitter }, retry, { raw }) => {
    const { attempt, max_retries: most, error, error_status: status } = retry
    const reason = [error, status].filter((it) => it !== null && it !== undefined).join(" ")
    const message = `The model did not respond (${reason}); retry ${attempt} of ${most} follows.`
    emitter.emit({ event: "error", message }, raw)
  }),
  "system/informational": parseWords,
  "system/notification": parseWords,
  "system/permission_denied": parseWords,
  "system/task_progress": parseTask,
  "system/task_notification": parseTask,
  assistant: parseTurn,
  user: parseTurn,
  stream_event: parseWith(StreamEvent, ({ emitter }, { event, parent_tool_use_id: parent }) => {
    const isText = event.type === "content_block_delta" && event.delta?.type === "text_delta"
    const text = isText ? event.delta?.text : undefined
    if (text !== undefined) {
      emitter.emit({ event: "text.delta", text, parentId: parent ?? undefined })
    }
  }),
  result: parseWith(Result, ({ emitter, isInterrupted }, result, { raw }) => {
    emitCost(emitter, result)
    const text = result.result ?? ""
    // The subtype of an API failure is `success`; only is_error shows it.
    const whole = result.is_error ? "failed" : "completed"
    const outcome = isInterrupted() ? "stopped" : whole
    const error = outcome === "failed" ? (result.errors?.join(" ") ?? text) : undefined
    const durationMs = result.duration_ms === undefined ? undefined : Math.round(result.duration_ms)
    const denials = result.permission_denials.length
    emitter.emit(
      { event: "turn.ended", outcome, text, error, turns: result.num_turns, durationMs, denials },
      raw,
    )
  }),
}

type TurnContext = LineContext & { readonly turn: Turn }

function emitBlock(state: ParserState, block: Block, context: TurnContext): void {
  const { emitter } = state
  const { turn, line, raw } = context
  const parentId = turn.parent_tool_use_id ?? undefined
  switch (block.type) {
    case "text": {
      const type = line["type"] === "assistant" ? "assistant" : "user"
      return emitter.emit({ event: "message", type, text: block.text, parentId }, raw)
    }
    case "tool_use": {
      const { id: activityId, name: tool } = block
      const title = titleOf(tool, block.input, emitter.redact)
      const about = { kind: kindOf(tool), title, path: pathOf(block.input) }
      const input = inputText(block.input)
      return emitter.emit(
        { event: "activity.started", activityId, parentId, tool, ...about, input },
        raw,
      )
    }
    case "tool_result":
      return emitToolResult(state, block, context)
    default:
      return block satisfies never
  }
}

function emitToolResult(
  { emitter, tasks }: ParserState,
  block: Extract<Block, { type: "tool_result" }>,
  { turn, raw }: TurnContext,
): void {
  const activityId = block.tool_use_id
  const meta = turn.tool_result_meta?.find((it) => it.id === activityId)
  const isDenied = meta?.permission_decision?.decision === "reject"
  const bad = isDenied ? "denied" : "failed"
  const outcome = block.is_error === true ? bad : "done"
  const task = tasks.get(activityId)
  tasks.delete(activityId)
  const output = resultText(block.content)
  const diff = diffOf(turn.tool_use_result)
  emitter.emit({ event: "activity.ended", activityId, outcome, output, diff, ...task }, raw)
}

function resultText(content: unknown): string {
  if (!Array.isArray(content)) return inputText(content)
  const texts = content.map((it: unknown) =>
    isRecord(it) && typeof it["text"] === "string" ? it["text"] : "",
  )
  return texts.filter((it) => it !== "").join("\n")
}

/**
 * Emits the usage of one model call, so that a budget stops before the next; the total in the
 * result replaces it. A message of several blocks comes as several lines with the same usage.
 */
function emitCall({ emitter, lastCall }: ParserState, { message }: Turn): void {
  const { id, usage, model } = message
  if (lastCall === undefined || usage === undefined || id === undefined) return
  if (id === lastCall.id) return
  lastCall.id = id
  emitter.emit({
    event: "cost",
    isTotal: false,
    model,
    usage: {
      input: usage.input_tokens,
      output: usage.output_tokens,
      cacheRead: usage.cache_read_input_tokens,
      cacheWrite: usage.cache_creation_input_tokens,
    },
  })
}

function emitCost(emitter: EventEmitter, { modelUsage }: Result): void {
  const all = Object.entries(modelUsage).map(([model, it]) => ({
    model,
    reportedUsd: it.costUSD,
    usage: TokenUsage.parse({
      input: it.inputTokens,
      output: it.outputTokens,
      cacheRead: it.cacheReadInputTokens,
      cacheWrite: it.cacheCreationInputTokens,
    }),
  }))
  const [dearest] = all.toSorted((a, b) => (b.reportedUsd ?? 0) - (a.reportedUsd ?? 0))
  if (dearest === undefined) return
  const sum = (part: keyof TokenUsage) => all.reduce((total, it) => total + it.usage[part], 0)
  emitter.emit({
    event: "cost",
    model: dearest.model,
    isTotal: true,
    usage: {
      input: sum("input"),
      output: sum("output"),
      cacheRead: sum("cacheRead"),
      cacheWrite: sum("cacheWrite"),
    },
    reportedUsd: all.reduce((total, it) => total + (it.reportedUsd ?? 0), 0),
    models: all.map(({ model, usage }) => ({ model, usage })),
  })
}

const CONTEXT_KINDS: Readonly<Record<string, ContextKind>> = {
  system_prompt: "system",
  memory_files: "instructions",
  custom_agents: "agents",
  mcp_tools: "mcp",
  system_tools: "tools",
  skills: "skills",
  messages: "history",
}

export function emitContextUsage(emitter: EventEmitter, response: unknown): boolean {
  const usage = ContextUsage.safeParse(response)
  if (!usage.success) return false
  const { totalTokens: used, maxTokens: window, categories } = usage.data
  const tokens = new Map<ContextKind, number>()
  for (const category of categories.filter((category) => category.kind === "used")) {
    const kind = CONTEXT_KINDS[category.id ?? ""] ?? "system"
    tokens.set(kind, (tokens.get(kind) ?? 0) + category.tokens)
  }
  const kinds = [...tokens].map(([kind, count]) => ({ kind, tokens: count }))
  emitter.emit({ event: "context.usage", used, window, kinds })
  return true
}
