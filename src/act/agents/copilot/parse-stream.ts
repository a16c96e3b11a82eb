import type { ActivityKind } from "#ground/contract"
import type { EventEmitter } from "../wire/event-emitter.ts"
import { type MessageParser, parseWith } from "../wire/parse-with.ts"
import { inputText, textField, titleLine } from "../wire/tool-text.ts"
import {
  AssistantMessage,
  Compacted,
  MessageDelta,
  ShellOutput,
  ToolComplete,
  ToolStart,
  Words,
} from "./schema.ts"

export type ParserState = {
  readonly emitter: EventEmitter
  lastText: string
  lastError: string | undefined
  denials: number
}

const SILENT =
  /^(?:session\.(?!error|warning|compaction_complete)|model\.|hook\.|permission\.|subagent\.|user\.|pending_|system\.message|external_tool\.|assistant\.(?!message$|message_delta$)|tool\.(?:execution_partial_result|execution_progress|user_requested))/

type HostEvent = { readonly data: unknown; readonly raw: string }
type EventParser = MessageParser<ParserState, HostEvent>

export function parseEvent(state: ParserState, type: string, it: HostEvent): void {
  const parse = PARSERS[type]
  const isParsed = parse === undefined ? SILENT.test(type) : parse(state, it.data, it)
  if (!isParsed) state.emitter.reportUnknown(type, it.raw)
}

const parseWords: EventParser = parseWith(Words, ({ emitter }, { message, content }, { raw }) => {
  const text = message ?? content
  if (text === undefined) return false
  emitter.emit({ event: "message", type: "system", text }, raw)
  return true
})

const PARSERS: Readonly<Record<string, EventParser>> = {
  "assistant.message_delta": parseWith(MessageDelta, ({ emitter }, delta) => {
    const { deltaContent: text, parentToolCallId: parentId } = delta
    emitter.emit({ event: "text.delta", text, parentId })
  }),
  "assistant.message": parseWith(AssistantMessage, (state, message, { raw }) => {
    const { content: text, parentToolCallId: parentId } = message
    if (text === "") return
    if (parentId === undefined) state.lastText = text
    state.emitter.emit({ event: "message", type: "assistant", text, parentId }, raw)
  }),
  "tool.execution_start": parseWith(ToolStart, ({ emitter }, start, { raw }) => {
    const { toolCallId: activityId, toolName: tool, arguments: input, parentToolCallId } = start
    const kind = start.mcpServerName === undefined ? (KINDS[tool] ?? "other") : "mcp"
    const path = textField(input, "path", "file_path")
    const about =
      path ?? textField(input, "description", "command", "pattern", "query", "url", "prompt")
    const title = titleLine(emitter.redact(`${tool} ${about ?? start.toolTitle ?? ""}`))
    const activity = { activityId, parentId: parentToolCallId, kind, tool, title, path }
    emitter.emit({ event: "activity.started", ...activity, input: inputText(input) }, raw)
  }),
  "tool.shell_output": parseWith(ShellOutput, ({ emitter }, { toolCallId, text }) => {
    emitter.emitOutput(toolCallId, text)
  }),
  "tool.execution_complete": parseWith(ToolComplete, (state, complete, { raw }) => {
    const { toolCallId: activityId, success, result, error, toolTelemetry } = complete
    const isDenied = error?.code === "denied"
    if (isDenied) state.denials += 1
    const bad = isDenied ? "denied" : "failed"
    const output = result?.content ?? error?.message ?? ""
    const detail = result?.detailedContent?.trimStart()
    const diff = detail?.startsWith("diff --git ") === true ? detail : undefined
    const outcome = success ? "done" : bad
    state.emitter.emit({ event: "activity.ended", activityId, outcome, output, diff }, raw)
    if (toolTelemetry !== undefined) {
      const { context_current_tokens: used, context_token_limit: window } = toolTelemetry.metrics
      state.emitter.emit({ event: "context.usage", used, window })
    }
  }),
  "session.compaction_complete": parseWith(Compacted, ({ emitter }, compacted, { raw }) => {
    const { preCompactionTokens: tokensBefore, postCompactionTokens: tokensAfter } = compacted
    emitter.emit({ event: "context.compacted", trigger: "auto", tokensBefore, tokensAfter }, raw)
  }),
  "session.error": parseWith(Words, (state, words, { raw }) => {
    const message = words.message ?? words.content
    if (message === undefined) return false
    state.lastError = message
    state.emitter.emit({ event: "error", message }, raw)
    return true
  }),
  "session.warning": parseWords,
  "system.notification": parseWords,
}

const KINDS: Readonly<Record<string, ActivityKind>> = {
  view: "read",
  create: "edit",
  edit: "edit",
  str_replace: "edit",
  apply_patch: "edit",
  bash: "command",
  write_bash: "command",
  read_bash: "command",
  powershell: "command",
  grep: "search",
  glob: "search",
  rg: "search",
  web_fetch: "fetch",
  task: "agent",
  update_todo: "plan",
  exit_plan_mode: "plan",
}
