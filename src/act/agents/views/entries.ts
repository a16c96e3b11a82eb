import { formatDuration } from "#ground/base"
import { type AgentEvent, type Message } from "#ground/contract"
import { escapeText } from "./escape.ts"
import { DEEPEST_NESTING, MOST_WAITING_CHARACTERS } from "./limits.ts"
import { eventOf } from "./message-event.ts"
import { codeBlock, diffPiece, linePiece, messagePiece, rawPiece, timeTag } from "./pieces.ts"

type Started = Extract<AgentEvent, { event: "activity.started" }>
type Ended = Extract<AgentEvent, { event: "activity.ended" }>

/** An activity and what happened in it; its place is kept until it is known how it ended. */
type Activity = {
  readonly started: Started
  readonly at: number
  readonly depth: number
  readonly parts: (string | Activity)[]
  ended: (Pick<Ended, "outcome" | "durationMs"> & { readonly at: number }) | undefined
}

type State = {
  /** What stands at the top and was not handed on yet. */
  waiting: (string | Activity)[]
  readonly open: Map<string, Activity>
  /** Which activity an approval is about. */
  readonly asked: Map<string, string>
  waitingCharacters: number
  /** The agent's last words at the top, which the end of a turn repeats. */
  lastWords: string
}

/**
 * The entries of a page, in the order in which they began, activities inside their parents. `take`
 * gives what is ready: an open activity holds back what follows it, up to a limit.
 */
export function createEntries() {
  const state: State = {
    waiting: [],
    open: new Map(),
    asked: new Map(),
    waitingCharacters: 0,
    lastWords: "",
  }
  return {
    take(message: Message): string {
      place(state, message)
      if (state.waitingCharacters > MOST_WAITING_CHARACTERS) state.open.clear()
      return state.open.size === 0 ? release(state) : ""
    },
    finish(): string {
      state.open.clear()
      return release(state)
    },
  }
}

function release(state: State): string {
  const ready = state.waiting.map(pieceOf).join("")
  state.waiting = []
  state.waitingCharacters = 0
  state.asked.clear()
  return ready
}

function place(state: State, message: Message): void {
  const event = eventOf(message)
  switch (event?.event) {
    case "activity.started":
      return begin(state, event, message)
    case "activity.updated":
      return put(state, event.activityId, `${codeBlock(message.content)}\n`)
    case "activity.ended":
      return end(state, event, message)
    case "approval.requested":
      if (event.activityId !== undefined) state.asked.set(event.approvalId, event.activityId)
      return put(
        state,
        event.activityId,
        linePiece({ ...message, content: `Asked: ${message.content}` }),
      )
    case "approval.resolved":
      return put(state, state.asked.get(event.approvalId), messagePiece(message, event))
    case "message":
      if (event.parentId === undefined) state.lastWords = message.content
      return put(state, event.parentId, messagePiece(message, event))
    case "session.started":
      // A process that died has closed nothing of its own.
      state.open.clear()
      return put(state, undefined, messagePiece(message, event))
    case "turn.ended":
      state.open.clear()
      return put(state, undefined, endPiece(state, event, message))
    default:
      return put(state, undefined, messagePiece(message, event))
  }
}

/** A turn mostly ends with words that were said just before. */
function endPiece(
  { lastWords }: State,
  event: Extract<AgentEvent, { event: "turn.ended" }>,
  message: Message,
): string {
  const isRepeated = message.content === "" || message.content === lastWords
  if (event.outcome === "failed" || !isRepeated) return messagePiece(message, event)
  const took = event.durationMs === undefined ? "" : ` after ${formatDuration(event.durationMs)}`
  return linePiece({ ...message, content: `Turn ${event.outcome}${took}` })
}

function begin(state: State, started: Started, message: Message): void {
  const parent = started.parentId === undefined ? undefined : state.open.get(started.parentId)
  // Deeper ones begin at the top again: boxes in boxes without end cannot be read.
  const isDeep = parent !== undefined && parent.depth >= DEEPEST_NESTING
  const holder = isDeep ? undefined : parent
  const { timestamp: at } = message
  const parts = [codeBlock(started.input), rawPiece(message)]
  const depth = (holder?.depth ?? 0) + 1
  const activity: Activity = { started, at, depth, parts, ended: undefined }
  state.open.set(started.activityId, activity)
  const place = holder?.parts ?? state.waiting
  place.push(activity)
  state.waitingCharacters += lengthOf(parts)
}

function end(state: State, event: Ended, message: Message): void {
  const { activityId, outcome, durationMs, diff } = event
  const body = diff === undefined ? codeBlock(message.content) : diffPiece(diff)
  const piece = `${body}${rawPiece(message)}\n`
  const activity = state.open.get(activityId)
  if (activity === undefined) {
    const line = linePiece({ ...message, content: `An activity ended: ${outcome}` })
    return put(state, undefined, `${line}${body}\n`)
  }
  put(state, activityId, piece)
  activity.ended = { outcome, durationMs, at: message.timestamp }
  state.open.delete(activityId)
}

function put(state: State, holder: string | undefined, piece: string): void {
  const activity = holder === undefined ? undefined : state.open.get(holder)
  const place = activity?.parts ?? state.waiting
  place.push(piece)
  state.waitingCharacters += piece.length
}

function lengthOf(parts: readonly (string | Activity)[]): number {
  return parts.reduce((sum, it) => sum + (typeof it === "string" ? it.length : 0), 0)
}

function pieceOf(entry: string | Activity): string {
  if (typeof entry === "string") return entry
  const { started, at, parts, ended } = entry
  const title = `<span class="who">${escapeText(started.tool)}</span> ${escapeText(started.title)}`
  const about = started.path === undefined ? "" : ` <code>${escapeText(started.path)}</code>`
  const summary = `<summary>${timeTag(at)} ${title}${about} ${howEnded(entry)}</summary>`
  const isShown = ended?.outcome === "failed"
  return `<details${isShown ? " open" : ""}>${summary}${parts.map(pieceOf).join("")}</details>\n`
}

function howEnded({ at, ended }: Activity): string {
  if (ended === undefined) return `<span class="stopped">not ended here</span>`
  const took = formatDuration(ended.durationMs ?? Math.max(0, ended.at - at))
  return `<span class="${ended.outcome}">${ended.outcome}</span> <span class="quiet">${took}</span>`
}
