import type { Telling } from "../wire/telling.ts"
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
} from "./shapes.ts"

export type Hearing = {
  readonly telling: Telling
  /** The thread of the session; others are its sub-agents. */
  threadId: string | undefined
  turnId: string | undefined
  /** By sub-agent's thread: the activity that called it. */
  readonly callers: Map<string, string>
  /** By activity of the running turn: what an approval for it is about. */
  readonly about: Map<string, About>
  /** The agent's last message of the running turn. */
  lastText: string
  denials: number
  /** The host withdrew a question, or was answered. */
  resolved(requestId: string | number): void
}

export type About = {
  readonly title: string
  readonly input: string
  /** The files a patch would change. */
  readonly paths: readonly string[]
}

/** Said by the host about itself, or told again by what comes later. */
const SILENT =
  /^(?:thread\/(?!tokenUsage|compacted)|account\/|remoteControl\/|mcpServer\/|hook\/|skills\/|app\/|fs\/|project\/|rawResponse|process\/|model\/|modelProvider\/|turn\/(?:diff|plan|moderation)|item\/(?:reasoning|fileChange|plan|mcpToolCall|autoApprovalReview)\/|item\/commandExecution\/terminal)/

/** One notification of the host, told in our words. */
export function hear(hearing: Hearing, it: Heard): void {
  const tell = Object.hasOwn(TELLERS, it.method) ? TELLERS[it.method] : undefined
  if (tell === undefined && SILENT.test(it.method)) return
  const isTold = tell?.(hearing, it) ?? false
  if (!isTold) hearing.telling.unknown(it.method, it.raw)
}

type Heard = { readonly method: string; readonly params: unknown; readonly raw: string }
/** True when the message was what its name says. */
type Teller = (hearing: Hearing, it: Heard) => boolean

const TELLERS: Readonly<Record<string, Teller>> = {
  "turn/started": tellTurnStarted,
  "turn/completed": tellTurnEnded,
  "item/started": tellItem,
  "item/completed": tellItem,
  "item/agentMessage/delta": tellText,
  "item/commandExecution/outputDelta": tellOutput,
  "thread/tokenUsage/updated": tellUsage,
  "thread/compacted": tellCompacted,
  "serverRequest/resolved": tellResolved,
  error: tellError,
  warning: tellWords,
  configWarning: tellWords,
  deprecationNotice: tellWords,
  guardianWarning: tellWords,
}

function isOurs(hearing: Hearing, threadId: string): boolean {
  return hearing.threadId === undefined || hearing.threadId === threadId
}

function tellTurnStarted(hearing: Hearing, { params, raw }: Heard): boolean {
  const turn = TurnOf.safeParse(params)
  if (!turn.success) return false
  if (!isOurs(hearing, turn.data.threadId)) return true
  Object.assign(hearing, { turnId: turn.data.turn.id, lastText: "", denials: 0 })
  hearing.telling.say({ event: "turn.started" }, raw)
  return true
}

function tellTurnEnded(hearing: Hearing, { params, raw }: Heard): boolean {
  const parsed = TurnOf.safeParse(params)
  if (!parsed.success) return false
  const { threadId, turn } = parsed.data
  if (!isOurs(hearing, threadId)) return true
  const durationMs = typeof turn.durationMs === "number" ? Math.round(turn.durationMs) : undefined
  const error = turn.error?.message
  const outcome = outcomeOf(turn.status)
  const { lastText: text, denials } = hearing
  Object.assign(hearing, { turnId: undefined, lastText: "" })
  hearing.about.clear()
  hearing.telling.say({ event: "turn.ended", outcome, text, error, durationMs, denials }, raw)
  return true
}

function outcomeOf(status: string): "completed" | "failed" | "stopped" {
  if (status === "interrupted") return "stopped"
  return status === "completed" ? "completed" : "failed"
}

function tellItem(hearing: Hearing, { method, params, raw }: Heard): boolean {
  const outer = ItemOf.safeParse(params)
  if (!outer.success) return false
  const { threadId, item: loose } = outer.data
  if (QUIET_ITEMS.has(loose.type)) return true
  const parsed = Item.safeParse(loose)
  if (!parsed.success) {
    hearing.telling.unknown(`item ${loose.type}`, raw)
    return true
  }
  const parentId = isOurs(hearing, threadId) ? undefined : hearing.callers.get(threadId)
  const heard = { item: parsed.data, parentId, raw }
  if (method === "item/completed") tellEnded(hearing, heard)
  else tellStarted(hearing, heard)
  return true
}

/** Items that repeat what we said, or what nobody is shown. */
const QUIET_ITEMS: ReadonlySet<string> = new Set([
  "userMessage",
  "reasoning",
  "hookPrompt",
  "sleep",
])

type ItemHeard = {
  readonly item: Item
  readonly parentId: string | undefined
  readonly raw: string
}

function tellStarted(hearing: Hearing, { item, parentId, raw }: ItemHeard): void {
  if (item.type === "agentMessage" || item.type === "contextCompaction") return
  if (item.type === "collabAgentToolCall") {
    for (const thread of item.receiverThreadIds) hearing.callers.set(thread, item.id)
  }
  const started = { event: "activity.started", activityId: item.id, parentId } as const
  const what = startedActivity(item, hearing.telling.redact)
  const paths = item.type === "fileChange" ? pathsOf(item.changes) : []
  hearing.about.set(item.id, { title: what.title, input: what.input, paths })
  hearing.telling.say({ ...started, ...what }, raw)
}

function tellEnded(hearing: Hearing, heard: ItemHeard): void {
  const { telling } = hearing
  const { item, parentId, raw } = heard
  if (item.type === "contextCompaction") {
    return telling.say({ event: "context.compacted", trigger: "auto" }, raw)
  }
  if (item.type === "agentMessage") {
    if (parentId === undefined) Object.assign(hearing, { lastText: item.text })
    return telling.say({ event: "message", type: "assistant", text: item.text, parentId }, raw)
  }
  // Some items are told only when they are over.
  if (!telling.isOpen(item.id)) tellStarted(hearing, heard)
  const how = endedActivity(item)
  if (how.outcome === "denied") Object.assign(hearing, { denials: hearing.denials + 1 })
  telling.say({ event: "activity.ended", activityId: item.id, ...how }, raw)
}

function tellText(hearing: Hearing, { params }: Heard): boolean {
  const delta = Delta.safeParse(params)
  if (!delta.success) return false
  const { threadId, delta: text } = delta.data
  const parentId = isOurs(hearing, threadId) ? undefined : hearing.callers.get(threadId)
  hearing.telling.say({ event: "text.delta", text, parentId })
  return true
}

function tellOutput({ telling }: Hearing, { params }: Heard): boolean {
  const delta = Delta.safeParse(params)
  if (!delta.success) return false
  telling.output(delta.data.itemId, delta.data.delta)
  return true
}

function tellUsage(hearing: Hearing, { params, raw }: Heard): boolean {
  const parsed = UsageOf.safeParse(params)
  if (!parsed.success) return false
  const { total, last, modelContextWindow: window } = parsed.data.tokenUsage
  if (!isOurs(hearing, parsed.data.threadId)) return true
  if (typeof window === "number") {
    hearing.telling.say({ event: "context.usage", used: last.totalTokens, window }, raw)
  }
  const { cachedInputTokens: cacheRead, cacheWriteInputTokens: cacheWrite } = total
  // Codex counts what came from the cache among the input.
  const input = Math.max(0, total.inputTokens - cacheRead - cacheWrite)
  const usage = { input, output: total.outputTokens, cacheRead, cacheWrite }
  hearing.telling.say({ event: "cost", usage, isTotal: true }, raw)
  return true
}

function tellCompacted({ telling }: Hearing, { params, raw }: Heard): boolean {
  if (!InThread.safeParse(params).success) return false
  telling.say({ event: "context.compacted", trigger: "auto" }, raw)
  return true
}

function tellResolved(hearing: Hearing, { params }: Heard): boolean {
  const resolved = Resolved.safeParse(params)
  if (resolved.success) hearing.resolved(resolved.data.requestId)
  return resolved.success
}

function tellError({ telling }: Hearing, { params, raw }: Heard): boolean {
  const error = ErrorOf.safeParse(params)
  if (!error.success) return false
  telling.say({ event: "error", message: error.data.error.message }, raw)
  return true
}

function tellWords({ telling }: Hearing, { params, raw }: Heard): boolean {
  const words = Words.safeParse(params)
  if (!words.success) return false
  const text = words.data.message ?? words.data.summary
  if (text !== undefined) telling.say({ event: "message", type: "system", text }, raw)
  return text !== undefined
}
