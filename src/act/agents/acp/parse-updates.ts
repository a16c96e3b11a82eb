import { isRecord } from "#ground/base"
import type { ActivityKind } from "#ground/contract"
import type { EventEmitter } from "../wire/event-emitter.ts"
import { type MessageParser, parseWith } from "../wire/parse-with.ts"
import { inputText, textField, titleLine } from "../wire/tool-text.ts"
import { changedDiff } from "../wire/unified-diff.ts"
import {
  Compaction,
  MessageChunk,
  Notice,
  SessionUpdate,
  ToolCall,
  type ToolContent,
  UsageUpdate,
} from "./schema.ts"

/** A message is one text; more than this is emitted as further messages. */
const MAX_MESSAGE_CHARACTERS = 1024 * 1024
/** Tool calls of one turn that are remembered; real turns have a few hundred. */
const MAX_TOOL_CALLS = 10_000

export type ParserState = {
  readonly emitter: EventEmitter
  sessionId: string | undefined
  /** `session/load` replays the conversation, which the run already has. */
  isReplay: boolean
  readonly calls: Map<string, ToolCall>
  readonly denied: Set<string>
  message: string
  messageId: string | undefined
  lastText: string
  denials: number
  reportedUsd: number | undefined
  countedUsd: number
  terminalOutput(terminalId: string): string
}

export function newParserState(
  emitter: EventEmitter,
  terminalOutput: ParserState["terminalOutput"],
): ParserState {
  return {
    emitter,
    sessionId: undefined,
    isReplay: false,
    calls: new Map(),
    denied: new Set(),
    message: "",
    messageId: undefined,
    lastText: "",
    denials: 0,
    reportedUsd: undefined,
    countedUsd: 0,
    terminalOutput,
  }
}

type Update = { readonly raw: string }
type UpdateParser = MessageParser<ParserState, Update>

/** Returns false if the update is not of the protocol. */
export function parseUpdate(state: ParserState, params: unknown, raw: string): boolean {
  const parsed = SessionUpdate.safeParse(params)
  if (!parsed.success) return false
  const { sessionId, update } = parsed.data
  // A child session of another agent has its own conversation.
  if (state.isReplay || (state.sessionId !== undefined && sessionId !== state.sessionId))
    return true
  const kind = update.sessionUpdate
  const parse = Object.hasOwn(PARSERS, kind) ? PARSERS[kind] : undefined
  const isParsed = parse === undefined ? QUIET.has(kind) : parse(state, update, { raw })
  if (!isParsed) state.emitter.reportUnknown(`session/update ${kind}`, raw)
  return true
}

const QUIET: ReadonlySet<string> = new Set([
  "user_message_chunk",
  "agent_thought_chunk",
  "plan",
  "available_commands_update",
  "current_mode_update",
  "config_option_update",
  "session_info_update",
  "compaction_summary_chunk",
])

const parseCall: UpdateParser = parseWith(ToolCall, (state, call, { raw }) => {
  flushMessage(state)
  const before = state.calls.get(call.toolCallId)
  if (before === undefined && state.calls.size >= MAX_TOOL_CALLS) return
  const merged = before === undefined ? call : mergeCalls(before, call)
  state.calls.set(call.toolCallId, merged)
  emitCall(state, merged, raw)
})

const PARSERS: Readonly<Record<string, UpdateParser>> = {
  agent_message_chunk: parseWith(MessageChunk, (state, { content, messageId }) => {
    // Gemini CLI 0.61 announces a change of mode as a message before the first turn.
    if (!state.emitter.isInTurn()) return
    const id = messageId ?? undefined
    const isFull = state.message.length + content.text.length > MAX_MESSAGE_CHARACTERS
    if (id !== state.messageId || isFull) flushMessage(state)
    state.messageId = id
    state.message += content.text
    state.emitter.emit({ event: "text.delta", text: content.text })
  }),
  tool_call: parseCall,
  tool_call_update: parseCall,
  usage_update: parseWith(UsageUpdate, (state, { used, size: window, cost }, { raw }) => {
    if (cost?.currency === "USD") state.reportedUsd = cost.amount
    state.emitter.emit({ event: "context.usage", used, window }, raw)
  }),
  notice: parseWith(Notice, ({ emitter }, { title, description }, { raw }) => {
    const text = [title, description ?? ""].filter((it) => it !== "").join(": ")
    emitter.emit({ event: "message", type: "system", text }, raw)
  }),
  compaction_update: parseWith(Compaction, ({ emitter }, { status }, { raw }) => {
    if (status === "completed") emitter.emit({ event: "context.compacted", trigger: "auto" }, raw)
  }),
}

/** Chunks without an id belong together until something else is sent. */
export function flushMessage(state: ParserState): void {
  const { message: text } = state
  state.message = ""
  state.messageId = undefined
  if (text.trim() === "") return
  state.lastText = text
  state.emitter.emit({ event: "message", type: "assistant", text })
}

/** An update replaces the content, but a diff stays: opencode sends it only with its question. */
export function mergeCalls(before: ToolCall, update: ToolCall): ToolCall {
  const changes = Object.entries(update).filter(
    ([, value]) => value !== undefined && value !== null,
  )
  const merged = { ...before, ...Object.fromEntries(changes) }
  const diffs = (before.content ?? []).filter((it) => it.type === "diff")
  const after = update.content ?? []
  if (after.length === 0) return { ...merged, content: before.content }
  const hasDiff = after.some((it) => it.type === "diff")
  return hasDiff ? merged : { ...merged, content: [...diffs, ...after] }
}

function emitCall(state: ParserState, call: ToolCall, raw: string): void {
  const { emitter } = state
  const { toolCallId: activityId, status } = call
  const isOver = status === "completed" || status === "failed"
  // Hosts announce a call before its input is known; it starts with its input or its end.
  const isReady = isOver || isDescribed(call)
  if (!emitter.isActivityOpen(activityId) && isReady) startActivity(state, call, raw)
  if (isOver) endActivity(state, call, raw)
}

function isDescribed(call: ToolCall): boolean {
  const { rawInput, content, locations } = call
  const hasInput =
    typeof rawInput === "object" && rawInput !== null && Object.keys(rawInput).length > 0
  return hasInput || (content?.length ?? 0) > 0 || (locations?.length ?? 0) > 0
}

/** Also before an approval, which refers to its activity. */
export function startActivity(state: ParserState, call: ToolCall, raw?: string): void {
  const parentId = call._meta?.claudeCode?.parentToolUseId ?? undefined
  const facts = describeCall(call, state.emitter.redact)
  const { paths, ...activity } = facts
  state.emitter.emit(
    {
      event: "activity.started",
      activityId: call.toolCallId,
      parentId,
      ...activity,
      path: paths[0],
    },
    raw,
  )
}

function endActivity(state: ParserState, call: ToolCall, raw: string): void {
  const { toolCallId: activityId, content, rawOutput, status } = call
  const failed = status === "failed" ? "failed" : "done"
  const outcome = state.denied.delete(activityId) ? "denied" : failed
  if (outcome === "denied") state.denials += 1
  state.calls.delete(activityId)
  const shown = (content ?? []).flatMap((it) => textOf(state, it)).join("\n")
  const output = shown === "" ? outputText(rawOutput) : shown
  const diff = outcome === "done" ? diffOf(content ?? []) : undefined
  state.emitter.emit({ event: "activity.ended", activityId, outcome, output, diff }, raw)
}

/** Some agents, such as Gemini CLI 0.61, say nothing more about a call that was denied. */
export function endDenied(state: ParserState): void {
  for (const activityId of state.denied) {
    if (!state.emitter.isActivityOpen(activityId)) continue
    state.denials += 1
    state.emitter.emit({ event: "activity.ended", activityId, outcome: "denied" })
  }
  state.denied.clear()
}

function textOf(state: ParserState, content: ToolContent): readonly string[] {
  switch (content.type) {
    case "content":
      return [content.content.text]
    case "terminal":
      return [state.terminalOutput(content.terminalId)]
    case "diff":
      return []
    default:
      return content satisfies never
  }
}

function outputText(rawOutput: unknown): string {
  const words = textField(rawOutput, "output", "content", "text", "message", "error")
  return words ?? inputText(rawOutput)
}

function diffOf(contents: readonly ToolContent[]): string | undefined {
  const diffs = contents.flatMap((it) =>
    it.type === "diff" ? [changedDiff(it.path, it.oldText ?? "", it.newText)] : [],
  )
  return diffs.length === 0 ? undefined : diffs.join("")
}

export type CallFacts = {
  readonly kind: ActivityKind
  readonly tool: string
  readonly title: string
  readonly input: string
  readonly paths: readonly string[]
}

export function describeCall(call: ToolCall, redact: (text: string) => string): CallFacts {
  const { rawInput, title } = call
  const kind = kindOf(call)
  const tool = toolOf(call, kind)
  const paths = pathsOf(call)
  const command = kind === "command" ? commandOf(call) : undefined
  const about = command ?? paths[0] ?? title ?? ""
  // Rules read `command` and `path`, whatever the host names them.
  const input = {
    ...(isRecord(rawInput) ? rawInput : { input: rawInput ?? undefined }),
    ...(command !== undefined && { command }),
    ...(kind === "edit" && paths.length > 0 && { paths }),
  }
  return {
    kind,
    tool,
    title: titleLine(
      redact(kind === "other" && paths.length === 0 ? (title ?? tool) : `${tool} ${about}`),
    ),
    input: JSON.stringify(input),
    paths,
  }
}

const KINDS: Readonly<Record<string, ActivityKind>> = {
  read: "read",
  edit: "edit",
  delete: "edit",
  move: "edit",
  search: "search",
  execute: "command",
  fetch: "fetch",
}

function kindOf({ kind, name, _meta }: ToolCall): ActivityKind {
  const tool = _meta?.claudeCode?.toolName ?? name ?? ""
  if (tool.startsWith("mcp__")) return "mcp"
  return Object.hasOwn(KINDS, kind ?? "") ? (KINDS[kind ?? ""] ?? "other") : "other"
}

/** Names that rules of other hosts use, for hosts that send only a kind. */
const TOOLS: Readonly<Partial<Record<ActivityKind, string>>> = {
  read: "Read",
  edit: "Edit",
  command: "Bash",
  search: "Grep",
  fetch: "WebFetch",
}

function toolOf({ name, title, _meta }: ToolCall, kind: ActivityKind): string {
  return _meta?.claudeCode?.toolName ?? name ?? TOOLS[kind] ?? title ?? "tool"
}

function commandOf({ rawInput, title }: ToolCall): string {
  const command = textField(rawInput, "command", "cmd", "script") ?? title ?? ""
  // Copilot and Gemini quote the command in the title.
  return command.replace(/^`([\s\S]*)`$/, "$1")
}

function pathsOf({ locations, content, rawInput }: ToolCall): readonly string[] {
  const named = textField(rawInput, "file_path", "filePath", "path", "fileName", "notebook_path")
  const paths = [
    ...(locations ?? []).map((it) => it.path),
    ...(content ?? []).flatMap((it) => (it.type === "diff" ? [it.path] : [])),
    ...(named === undefined ? [] : [named]),
  ]
  return [...new Set(paths)].slice(0, 100)
}
