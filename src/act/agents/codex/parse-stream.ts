import type { EventEmitter } from "../wire/event-emitter.ts"
import { type MessageParser, parseWith } from "../wire/parse-with.ts"
import { endedActivity, pathsOf, startedActivity } from "./items.ts"
import {
  Delta,
  ErrorOf,
  InThread,
  Item,
  ItemOf,
  Resolved,
  TurnOf,
  UsageOf,
  Words,
} from "./schema.ts"

export type ParserState = {
  readonly emitter: EventEmitter
  threadId: string | undefined
  turnId: string | undefined
  readonly callers: Map<string, string>
  readonly about: Map<string, ActivityFacts>
  lastText: string
  denials: number
  resolved(requestId: string | number): void
}

export type ActivityFacts = {
  readonly title: string
  readonly input: string
  readonly paths: readonly string[]
}

export function newParserState(
  emitter: EventEmitter,
  resolved: ParserState["resolved"] = () => {},
): ParserState {
  return {
    emitter,
    threadId: undefined,
    turnId: undefined,
    callers: new Map(),
    about: new Map(),
    lastText: "",
    denials: 0,
    resolved,
  }
}

const SILENT =
  /^(?:thread\/(?!tokenUsage|compacted)|account\/|remoteControl\/|mcpServer\/|hook\/|skills\/|app\/|fs\/|project\/|rawResponse|process\/|model\/|modelProvider\/|turn\/(?:diff|plan|moderation)|item\/(?:reasoning|fileChange|plan|mcpToolCall|autoApprovalReview)\/|item\/commandExecution\/terminal)/

type Notification = { readonly method: string; readonly params: unknown; readonly raw: string }
type NotificationParser = MessageParser<ParserState, Notification>

export function parseNotification(state: ParserState, it: Notification): void {
  const parse = Object.hasOwn(PARSERS, it.method) ? PARSERS[it.method] : undefined
  const isParsed = parse === undefined ? SILENT.test(it.method) : parse(state, it.params, it)
  if (!isParsed) state.emitter.reportUnknown(it.method, it.raw)
}

const parseItem: NotificationParser = parseWith(
  ItemOf,
  (state, { threadId, item: loose }, { method, raw }) => {
    if (QUIET_ITEMS.has(loose.type)) return
    const parsed = Item.safeParse(loose)
    if (!parsed.success) return state.emitter.reportUnknown(`item ${loose.type}`, raw)
    const it = { item: parsed.data, parentId: parentOf(state, threadId), raw }
    if (method === "item/completed") emitEnded(state, it)
    else emitStarted(state, it)
  },
)

const QUIET_ITEMS: ReadonlySet<string> = new Set([
  "userMessage",
  "reasoning",
  "hookPrompt",
  "sleep",
])

const parseWords: NotificationParser = parseWith(
  Words,
  ({ emitter }, { message, summary }, { raw }) => {
    const text = message ?? summary
    if (text === undefined) return false
    emitter.emit({ event: "message", type: "system", text }, raw)
    return true
  },
)

const PARSERS: Readonly<Record<string, NotificationParser>> = {
  "turn/started": parseWith(TurnOf, (state, { threadId, turn }, { raw }) => {
    if (!isOurs(state, threadId)) return
    state.turnId = turn.id
    state.lastText = ""
    state.denials = 0
    state.emitter.emit({ event: "turn.started" }, raw)
  }),
  "turn/completed": parseWith(TurnOf, (state, { threadId, turn }, { raw }) => {
    if (!isOurs(state, threadId)) return
    const durationMs = typeof turn.durationMs === "number" ? Math.round(turn.durationMs) : undefined
    const { lastText: text, denials } = state
    const ended = { outcome: outcomeOf(turn.status), text, error: turn.error?.message }
    state.turnId = undefined
    state.lastText = ""
    state.about.clear()
    state.emitter.emit({ event: "turn.ended", ...ended, durationMs, denials }, raw)
  }),
  "item/started": parseItem,
  "item/completed": parseItem,
  "item/agentMessage/delta": parseWith(Delta, (state, { threadId, delta: text }) => {
    state.emitter.emit({ event: "text.delta", text, parentId: parentOf(state, threadId) })
  }),
  "item/commandExecution/outputDelta": parseWith(Delta, ({ emitter }, { itemId, delta }) => {
    emitter.emitOutput(itemId, delta)
  }),
  "thread/tokenUsage/updated": parseWith(UsageOf, (state, { threadId, tokenUsage }, { raw }) => {
    const { total, last, modelContextWindow: window } = tokenUsage
    if (!isOurs(state, threadId)) return
    if (typeof window === "number") {
      state.emitter.emit({ event: "context.usage", used: last.totalTokens, window }, raw)
    }
    state.emitter.emit({ event: "cost", usage: usageOf(total), isTotal: true }, raw)
  }),
  "thread/compacted": parseWith(InThread, ({ emitter }, _, { raw }) => {
    emitter.emit({ event: "context.compacted", trigger: "auto" }, raw)
  }),
  "serverRequest/resolved": parseWith(Resolved, (state, { requestId }) => {
    state.resolved(requestId)
  }),
  error: parseWith(ErrorOf, ({ emitter }, { error }, { raw }) => {
    emitter.emit({ event: "error", message: error.message }, raw)
  }),
  warning: parseWords,
  configWarning: parseWords,
  deprecationNotice: parseWords,
  guardianWarning: parseWords,
}

function isOurs(state: ParserState, threadId: string): boolean {
  return state.threadId === undefined || state.threadId === threadId
}

function parentOf(state: ParserState, threadId: string): string | undefined {
  return isOurs(state, threadId) ? undefined : state.callers.get(threadId)
}

function outcomeOf(status: string): "completed" | "failed" | "stopped" {
  if (status === "interrupted") return "stopped"
  return status === "completed" ? "completed" : "failed"
}

/** Codex counts cached tokens as input; we do not. */
export function usageOf(total: UsageOf["tokenUsage"]["total"]) {
  const { cachedInputTokens: cacheRead, cacheWriteInputTokens: cacheWrite } = total
  const input = Math.max(0, total.inputTokens - cacheRead - cacheWrite)
  return { input, output: total.outputTokens, cacheRead, cacheWrite }
}

type ItemContext = {
  readonly item: Item
  readonly parentId: string | undefined
  readonly raw: string
}

function emitStarted(state: ParserState, { item, parentId, raw }: ItemContext): void {
  if (item.type === "agentMessage" || item.type === "contextCompaction") return
  if (item.type === "collabAgentToolCall") {
    for (const thread of item.receiverThreadIds) state.callers.set(thread, item.id)
  }
  const activity = startedActivity(item, state.emitter.redact)
  const paths = item.type === "fileChange" ? pathsOf(item.changes) : []
  state.about.set(item.id, { title: activity.title, input: activity.input, paths })
  state.emitter.emit({ event: "activity.started", activityId: item.id, parentId, ...activity }, raw)
}

function emitEnded(state: ParserState, context: ItemContext): void {
  const { emitter } = state
  const { item, parentId, raw } = context
  if (item.type === "contextCompaction") {
    return emitter.emit({ event: "context.compacted", trigger: "auto" }, raw)
  }
  if (item.type === "agentMessage") {
    if (parentId === undefined) state.lastText = item.text
    return emitter.emit({ event: "message", type: "assistant", text: item.text, parentId }, raw)
  }
  if (!emitter.isActivityOpen(item.id)) emitStarted(state, context)
  const ended = endedActivity(item)
  if (ended.outcome === "denied") state.denials += 1
  emitter.emit({ event: "activity.ended", activityId: item.id, ...ended }, raw)
}
