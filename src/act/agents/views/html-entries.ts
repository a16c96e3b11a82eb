import { formatDuration, formatUsd } from "#ground/base"
import type { AgentEvent, Message } from "#ground/contract"
import { eventOf } from "../event-message.ts"
import { textField } from "../wire/tool-text.ts"
import { diffLines } from "../wire/unified-diff.ts"
import { escapeText, plainText, renderMarkdown } from "./markdown.ts"

type ActivityStarted = Extract<AgentEvent, { event: "activity.started" }>
type ActivityEnded = Extract<AgentEvent, { event: "activity.ended" }>

type Activity = {
  readonly started: ActivityStarted
  readonly at: number
  readonly depth: number
  readonly parts: (string | Activity)[]
  ended:
    | (Pick<ActivityEnded, "outcome" | "durationMs" | "usd"> & { readonly at: number })
    | undefined
}

type State = {
  waiting: (string | Activity)[]
  readonly open: Map<string, Activity>
  readonly approvals: Map<string, string>
  waitingCharacters: number
  lastText: string
}

/**
 * The entries of a page in the order in which they began, activities inside their parents. `take`
 * returns the finished ones: an open activity holds back what follows it, up to 8 MB.
 */
export function createEntries() {
  const state: State = {
    waiting: [],
    open: new Map(),
    approvals: new Map(),
    waitingCharacters: 0,
    lastText: "",
  }
  return {
    take(message: Message): string {
      addMessage(state, message)
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
  state.approvals.clear()
  return ready
}

function addMessage(state: State, message: Message): void {
  const event = eventOf(message)
  switch (event?.event) {
    case "activity.started":
      return begin(state, event, message)
    case "activity.updated":
      return put(state, event.activityId, `${codeBlock(message.content)}\n`)
    case "activity.ended":
      return end(state, event, message)
    case "approval.requested":
      if (event.activityId !== undefined) state.approvals.set(event.approvalId, event.activityId)
      return put(
        state,
        event.activityId,
        linePiece({ ...message, content: `Approval requested: ${message.content}` }),
      )
    case "approval.resolved":
      return put(state, state.approvals.get(event.approvalId), messagePiece(message, event))
    case "message":
      if (event.parentId === undefined) state.lastText = message.content
      return put(state, event.parentId, messagePiece(message, event))
    case "session.started":
      state.open.clear()
      return put(state, undefined, messagePiece(message, event))
    case "turn.ended":
      state.open.clear()
      return put(state, undefined, endPiece(state, event, message))
    default:
      return put(state, undefined, messagePiece(message, event))
  }
}

/** A turn usually ends with the text of its last message; do not repeat it. */
function endPiece(
  { lastText }: State,
  event: Extract<AgentEvent, { event: "turn.ended" }>,
  message: Message,
): string {
  const isRepeated = message.content === "" || message.content === lastText
  if (event.outcome === "failed" || !isRepeated) return messagePiece(message, event)
  const took = event.durationMs === undefined ? "" : ` after ${formatDuration(event.durationMs)}`
  return linePiece({ ...message, content: `Turn ${event.outcome}${took}` })
}

function begin(state: State, started: ActivityStarted, message: Message): void {
  const parent = started.parentId === undefined ? undefined : state.open.get(started.parentId)
  // Deeper ones start at the top level again.
  const isDeep = parent !== undefined && parent.depth >= 20
  const holder = isDeep ? undefined : parent
  const { timestamp: at } = message
  const parts = [codeBlock(started.input), rawPiece(message)]
  const depth = (holder?.depth ?? 0) + 1
  const activity: Activity = { started, at, depth, parts, ended: undefined }
  state.open.set(started.activityId, activity)
  const target = holder?.parts ?? state.waiting
  target.push(activity)
  state.waitingCharacters += lengthOf(parts)
}

function end(state: State, event: ActivityEnded, message: Message): void {
  const { activityId, outcome, durationMs, diff, usd } = event
  const body = diff === undefined ? codeBlock(message.content) : diffPiece(diff)
  const piece = `${body}${rawPiece(message)}\n`
  const activity = state.open.get(activityId)
  if (activity === undefined) {
    const line = linePiece({ ...message, content: `Activity ended: ${outcome}` })
    return put(state, undefined, `${line}${body}\n`)
  }
  put(state, activityId, piece)
  activity.ended = { outcome, durationMs, usd, at: message.timestamp }
  state.open.delete(activityId)
}

function put(state: State, holder: string | undefined, piece: string): void {
  const activity = holder === undefined ? undefined : state.open.get(holder)
  const target = activity?.parts ?? state.waiting
  target.push(piece)
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
  if (ended === undefined) return `<span class="stopped">not finished</span>`
  const took = formatDuration(ended.durationMs ?? Math.max(0, ended.at - at))
  const price = ended.usd === undefined ? "" : `, ${formatUsd(ended.usd)}`
  return `<span class="${ended.outcome}">${ended.outcome}</span> <span class="quiet">${took}${price}</span>`
}

/** Date in UTC, because a page may be read in another time zone. */
export function dateTag(at: number): string {
  const iso = isoOf(at)
  return `<time datetime="${iso}">${inWords(iso)}</time>`
}

function timeTag(at: number): string {
  const iso = isoOf(at)
  return `<time datetime="${iso}" title="${inWords(iso)}">${iso.slice(-13, -5)}</time>`
}

function isoOf(at: number): string {
  return new Date(Math.min(8_640_000_000_000_000, Math.max(0, at))).toISOString()
}

function inWords(iso: string): string {
  return iso.replace("T", " ").replace(/\.\d+Z$/, " UTC")
}

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
      return `<details><summary>Context at start ${timeTag(timestamp)}</summary>${codeBlock(content)}${raw}</details>\n`
    default:
      return linePiece(message)
  }
}

function linePiece(message: Pick<Message, "content" | "timestamp" | "raw" | "metadata">): string {
  const line = `${timeTag(message.timestamp)} ${escapeText(message.content).replaceAll("\n", "<br>")}`
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

function partsPiece({ metadata }: Message): string {
  const parts = metadata["parts"]
  const labels = Array.isArray(parts) ? parts.flatMap((it) => textField(it, "label") ?? []) : []
  return labels.length === 0 ? "" : `<p class="quiet">Context: ${escapeText(labels.join(", "))}</p>`
}

function rawPiece(message: Pick<Message, "raw" | "metadata">): string {
  const raw = codeBlock(rawText(message))
  return raw === "" ? "" : `<details class="line"><summary>Raw</summary>${raw}</details>`
}

/** The host's line, or the event; not indented, which would make a deep text quadratically long. */
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
