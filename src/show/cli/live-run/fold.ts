import { z } from "zod"
import { firstLine, formatCount, formatDuration, formatUsd, plural } from "#ground/base"
import { AgentEvent, type Message, type TokenUsage } from "#ground/contract"

/** A few rows. */
const LONGEST_NOTE_CHARACTERS = 240

/** Lines of a failed tool's output. */
const FAILURE_ROWS = 3

/** The mark in front of a line; colour only repeats it. */
export type Mark =
  | "person"
  | "agent"
  | "begun"
  | "done"
  | "failed"
  | "denied"
  | "stopped"
  | "asks"
  | "warning"
  | "note"

/** One entry of the transcript, not yet drawn; its texts are unescaped. */
export type Line = {
  readonly at: number
  readonly mark: Mark
  readonly depth: number
  readonly text: string
  /** After the text: duration, changes. */
  readonly tail?: string
  /** Lines below it. */
  readonly below?: readonly string[]
  /** Whether the text is wrapped as prose; otherwise only its first line is shown. */
  readonly isProse?: boolean
}

type OpenActivity = {
  readonly title: string
  readonly parentId: string | undefined
  readonly path: string | undefined
  readonly kind: string
  readonly at: number
}

export type ContextUse = Omit<Extract<AgentEvent, { event: "context.usage" }>, "event">

export type View = {
  readonly open: ReadonlyMap<string, OpenActivity>
  /** Titles of questions by the host's id. */
  readonly asked: ReadonlyMap<string, string>
  readonly lastText: string
  readonly context: ContextUse | undefined
}

export const EMPTY_VIEW: View = {
  open: new Map(),
  asked: new Map(),
  lastText: "",
  context: undefined,
}

type Step = { readonly view: View; readonly lines: readonly Line[] }

/** Adds one message to the view and returns the new lines. */
export function applyMessage(view: View, message: Message): Step {
  const event = AgentEvent.safeParse(message.metadata["event"])
  if (event.success) return hearEvent(view, event.data, message)
  return { view, lines: [plainLine(message)] }
}

/** The newest activity that has started and not ended. */
export function nowAtWork({ open }: View): string | undefined {
  return [...open.values()].at(-1)?.title
}

export function sumOf({ input, output, cacheRead, cacheWrite }: TokenUsage): number {
  return input + output + cacheRead + cacheWrite
}

function plainLine(message: Message): Line {
  const { timestamp: at, type, content } = message
  const line = { at, depth: 0, text: content, isProse: true }
  switch (type) {
    case "user":
      return { ...line, mark: "person", below: partsOf(message) }
    case "context":
      return { ...line, mark: "note", text: contextText(message) }
    case "error":
      return { ...line, mark: "failed" }
    case "assistant":
    case "response":
      return { ...line, mark: "agent" }
    case "system":
    case "tool":
      return { ...line, mark: isWarning(content) ? "warning" : "note", text: noteText(message) }
    default:
      return type satisfies never
  }
}

/** Our notes about a nearly exhausted budget or window. */
function isWarning(content: string): boolean {
  return /^(?:Budget|Stopped before|The window is)/.test(content)
}

/** A pause of a pipeline is shown whole; an unknown line of a host may have any length. */
function noteText({ content, metadata }: Message): string {
  return metadata["pipeline"] === undefined ? firstLine(content, LONGEST_NOTE_CHARACTERS) : content
}

const Parts = z.array(z.object({ label: z.string(), tokens: z.int() }))

function partsOf({ metadata }: Message): readonly string[] {
  const parts = Parts.safeParse(metadata["parts"])
  if (!parts.success || parts.data.length === 0) return []
  const named = parts.data.map((it) => `${it.label} (${plural(it.tokens, "token")})`)
  return [`Added in front: ${named.join(", ")}`]
}

function contextText({ metadata }: Message): string {
  const count = metadata["contextFileCount"]
  return typeof count === "number" ? `Context: ${plural(count, "file")}` : "Context"
}

type EventOf<Name extends AgentEvent["event"]> = Extract<AgentEvent, { event: Name }>

function hearEvent(view: View, event: AgentEvent, message: Message): Step {
  switch (event.event) {
    case "activity.started":
      return begin(view, event, message)
    case "activity.updated":
      return { view, lines: [] }
    case "activity.ended":
      return end(view, event, message)
    case "message":
      return say(view, event, message)
    case "turn.ended":
      return endTurn(view, event, message)
    case "approval.requested":
      return {
        view: { ...view, asked: withEntry(view.asked, event.approvalId, event.title) },
        lines: [],
      }
    case "context.usage":
      return { view: { ...view, context: event }, lines: [] }
    default:
      return { view, lines: noteOf(view, event, message) }
  }
}

function begin(view: View, event: EventOf<"activity.started">, { timestamp: at }: Message): Step {
  const { activityId, title, parentId, path, kind } = event
  const opened = { title, parentId, path, kind, at }
  const next = { ...view, open: withEntry(view.open, activityId, opened) }
  // Activities of a sub-agent or a stage are listed below its start; at its end one line follows.
  if (kind !== "agent" && kind !== "stage") return { view: next, lines: [] }
  return { view: next, lines: [{ at, mark: "begun", depth: depthOf(view, parentId), text: title }] }
}

function end(
  view: View,
  event: EventOf<"activity.ended">,
  { timestamp: at, content }: Message,
): Step {
  const begun = view.open.get(event.activityId)
  const next = { ...view, open: without(view.open, event.activityId) }
  const durationMs = event.durationMs ?? (begun === undefined ? undefined : at - begun.at)
  const title = begun?.title ?? "Earlier activity"
  const change = event.diff === undefined ? undefined : diffStat(event.diff, title)
  const tail = [
    ...(change === undefined ? [] : [change]),
    ...(durationMs === undefined ? [] : [formatDuration(durationMs)]),
    ...(event.tokens === undefined ? [] : [`${formatCount(event.tokens)} tokens`]),
    ...(event.usd === undefined ? [] : [formatUsd(event.usd)]),
  ]
  const isFailed = event.outcome === "failed" || event.outcome === "denied"
  const line: Line = {
    at,
    mark: event.outcome,
    depth: depthOf(view, begun?.parentId),
    text: title,
    tail: tail.join("  "),
    below: isFailed || begun?.kind === "stage" ? firstLines(content) : [],
  }
  return { view: next, lines: [line] }
}

function say(view: View, event: EventOf<"message">, { timestamp: at, content }: Message): Step {
  const depth = depthOf(view, event.parentId)
  if (event.type === "system") return { view, lines: [{ at, mark: "note", depth, text: content }] }
  const mark = event.type === "user" ? "person" : "agent"
  const isTop = event.parentId === undefined
  const next = mark === "agent" && isTop ? { ...view, lastText: content } : view
  return { view: next, lines: [{ at, mark, depth, text: content, isProse: true }] }
}

/** The final text of a turn usually repeats the agent's last message, which was already shown. */
function endTurn(
  view: View,
  event: EventOf<"turn.ended">,
  { timestamp: at, content }: Message,
): Step {
  const next = { ...view, open: new Map(), asked: new Map(), lastText: "" }
  const isShown = content.trim() === "" || content.trim() === view.lastText.trim()
  const word: readonly Line[] =
    isShown || event.outcome === "failed"
      ? []
      : [{ at, mark: "agent", depth: 0, text: content, isProse: true }]
  if (event.outcome === "completed") return { view: next, lines: word }
  const text = event.outcome === "failed" ? content : "The turn was stopped"
  return {
    view: next,
    lines: [...word, { at, mark: event.outcome, depth: 0, text, isProse: true }],
  }
}

type NoteEvent = Exclude<
  AgentEvent,
  {
    event: `activity.${string}` | "message" | "turn.ended" | "approval.requested" | "context.usage"
  }
>

function noteOf(
  view: View,
  event: NoteEvent,
  { timestamp: at, content }: Message,
): readonly Line[] {
  const line = { at, depth: 0, mark: "note" } as const
  switch (event.event) {
    case "session.started": {
      const { model, version, mode } = event
      const facts = [model, version, mode === undefined ? undefined : `mode ${mode}`]
      const summary = facts.filter((it) => it !== undefined).join(", ")
      return [{ ...line, text: summary === "" ? "Session started" : `Session started: ${summary}` }]
    }
    case "approval.resolved": {
      const title = view.asked.get(event.approvalId) ?? "the question"
      const mark = event.decision === "allow" ? "done" : "denied"
      return [{ ...line, mark, text: `${DECIDED[event.decision]}: ${title}`, tail: event.by }]
    }
    case "context.compacted":
      return [{ ...line, mark: "warning", text: compactionText(event) }]
    case "context.file":
    case "mode.changed":
      return [{ ...line, text: content }]
    case "error":
      return [{ ...line, mark: event.isFatal ? "failed" : "warning", text: content, isProse: true }]
    case "turn.started":
    case "text.delta":
    case "cost":
      return []
    default:
      return event satisfies never
  }
}

const DECIDED = { allow: "Allowed", deny: "Denied", expired: "Expired" } as const

function compactionText({ tokensBefore, tokensAfter }: EventOf<"context.compacted">): string {
  const text = "The host compacted its context"
  if (tokensBefore === undefined || tokensAfter === undefined) return text
  return `${text}: ${formatCount(tokensBefore)} before, ${formatCount(tokensAfter)} tokens after`
}

function depthOf({ open }: View, parentId: string | undefined): number {
  let depth = 0
  // At most as many steps as activities, so that a cycle ends.
  for (let at = parentId; at !== undefined && depth <= open.size; depth++)
    at = open.get(at)?.parentId
  return depth
}

function firstLines(text: string): readonly string[] {
  const lines = text.split("\n").filter((it) => it.trim() !== "")
  const left = lines.length - FAILURE_ROWS
  if (left <= 0) return lines
  return [...lines.slice(0, FAILURE_ROWS), `and ${plural(left, "line")} more`]
}

function withEntry<Value>(map: ReadonlyMap<string, Value>, key: string, value: Value) {
  return new Map([...map, [key, value] as const])
}

function without<Value>(map: ReadonlyMap<string, Value>, key: string) {
  return new Map([...map].filter(([it]) => it !== key))
}

/** A unified diff as `+3 −2 src/total.ts`; the path is omitted if the title has it. */
export function diffStat(diff: string, title: string): string {
  let added = 0
  let removed = 0
  let isInHead = true
  const files = new Set<string>()
  for (const line of diff.split("\n")) {
    if (line.startsWith("@@")) isInHead = false
    else if (/^(?:diff |--- a\/|--- \/dev\/null)/.test(line)) isInHead = true
    if (isInHead && line.startsWith("+++ ")) files.add(line.slice(4).replace(/^b\//, ""))
    if (isInHead) continue
    if (line.startsWith("+")) added += 1
    if (line.startsWith("-")) removed += 1
  }
  const [only = ""] = files
  const where = files.size > 1 ? `${files.size} files` : only
  const counts = `+${added} −${removed}`
  return where === "" || title.includes(where) ? counts : `${counts} ${where}`
}
