import { formatDuration } from "#ground/base"
import type { AgentEvent, Message } from "#ground/contract"
import { eventOf } from "../event-message.ts"
import { diffLines } from "../wire/unified-diff.ts"
import { escapeText, plainText, renderMarkdown } from "./markdown.ts"

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
      if (state.waitingCharacters > 8 * 1024 * 1024) state.open.clear()
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
  const isDeep = parent !== undefined && parent.depth >= 20
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

/** The latest moment a calendar knows; later ones are no time of any message. */
const LAST_MS = 8_640_000_000_000_000

/** A moment with its date, in UTC, because a page travels. */
export function dateTag(at: number): string {
  const iso = isoOf(at)
  return `<time datetime="${iso}">${inWords(iso)}</time>`
}

/** The time of day alone, for the many; the date is under the pointer. */
function timeTag(at: number): string {
  const iso = isoOf(at)
  return `<time datetime="${iso}" title="${inWords(iso)}">${iso.slice(-13, -5)}</time>`
}

function isoOf(at: number): string {
  return new Date(Math.min(LAST_MS, Math.max(0, at))).toISOString()
}

function inWords(iso: string): string {
  return iso.replace("T", " ").replace(/\.\d+Z$/, " UTC")
}

/** A message that is no activity, with its time and the host's own words. */
function messagePiece(message: Message, event: AgentEvent | undefined): string {
  const { type, content, timestamp } = message
  const raw = rawPiece(message)
  switch (type) {
    case "user":
      return article(
        "user",
        header("Person", timestamp),
        plainText(content) + partsPiece(message) + raw,
      )
    case "assistant":
      return article("assistant", header("Agent", timestamp), renderMarkdown(content) + raw)
    case "response":
      return article("response", header(endOf(event), timestamp), renderMarkdown(content) + raw)
    case "error":
      return article("error", header("Error", timestamp), plainText(content) + raw)
    case "context":
      return `<details><summary>Context at the start ${timeTag(timestamp)}</summary>${codeBlock(content)}${raw}</details>\n`
    default:
      return linePiece(message)
  }
}

/** One line in passing, with the host's own words behind it. */
function linePiece(message: Pick<Message, "content" | "timestamp" | "raw" | "metadata">): string {
  const line = `${timeTag(message.timestamp)} ${escapeText(message.content)}`
  const raw = codeBlock(rawText(message))
  return raw === ""
    ? `<article class="line">${line}</article>\n`
    : `<details class="line"><summary>${line}</summary>${raw}</details>\n`
}

function article(kind: string, head: string, body: string): string {
  return `<article class="${kind}">${head}${body}</article>\n`
}

function header(who: string, at: number): string {
  return `<div class="meta"><span class="who">${who}</span>${timeTag(at)}</div>`
}

function endOf(event: AgentEvent | undefined): string {
  const isStopped = event?.event === "turn.ended" && event.outcome === "stopped"
  return isStopped ? "Turn stopped" : "Result"
}

/** What was put in front of a person's words. */
function partsPiece({ metadata }: Message): string {
  const parts = metadata["parts"]
  const labels = Array.isArray(parts) ? parts.map(labelOf).filter((it) => it !== "") : []
  return labels.length === 0 ? "" : `<p class="quiet">With ${escapeText(labels.join(", "))}</p>`
}

function labelOf(part: unknown): string {
  const isLabelled = typeof part === "object" && part !== null && "label" in part
  return isLabelled && typeof part.label === "string" ? part.label : ""
}

/** What the host said, in its own words, for whoever wants to see it. */
function rawPiece(message: Pick<Message, "raw" | "metadata">): string {
  const raw = codeBlock(rawText(message))
  return raw === "" ? "" : `<details class="line"><summary>Raw</summary>${raw}</details>`
}

/**
 * The host's words, or the event where they were not kept. As they are: indenting would make a deep
 * text quadratically long.
 */
function rawText({ raw, metadata }: Pick<Message, "raw" | "metadata">): string {
  const event = metadata["event"]
  return raw ?? (event === undefined ? "" : JSON.stringify(event))
}

function codeBlock(text: string): string {
  return text === "" ? "" : `<pre><code>${escapeText(text)}</code></pre>`
}

function diffPiece(diff: string): string {
  const lines: string[] = []
  let length = 0
  for (const { kind, text } of diffLines(diff)) {
    if (lines.length >= 5_000) break
    lines.push(`<span class="${kind}">${escapeText(text)}</span>\n`)
    length += text.length + 1
  }
  return `<pre><code>${lines.join("")}${escapeText(diff.slice(length))}</code></pre>`
}
