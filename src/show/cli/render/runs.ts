import { formatBytes, formatCount, formatDuration, formatExact, plural } from "#ground/base"
import {
  type AgentsContext,
  type AgentsExport,
  type AgentsHandoff,
  type AgentsParts,
  type AgentsSaved,
  type AgentsTimeline,
  type AgentsTurns,
  type Message,
  type RunSpan,
} from "#ground/contract"
import { renderBar } from "../bar.ts"
import { escapeUnsafe, type Screen, table } from "../screen.ts"
import { sayTime } from "./capture-observed.ts"

/** A list is cut here, with a word about the rest: what follows is in the console and in --json. */
const MOST_ROWS = 20

export function renderMessage(message: Message, { paint }: Screen): string {
  const { seq, type, timestamp, content, raw } = message
  const head = paint.muted(`${seq}  ${type}  ${sayTime(timestamp)}`)
  const said = content === "" ? paint.muted("Nothing but the event itself.") : content
  const own = raw === undefined ? [] : ["", paint.muted("Raw:"), raw]
  return [head, "", said, ...own].join("\n")
}

export function renderTurns({ turns, canSteer }: AgentsTurns, { paint }: Screen): string {
  const steering = canSteer
    ? "`qm send <id> <text> --now` reaches the running turn."
    : "This agent takes a text only between turns."
  if (turns.length === 0) return `No turn waits.\n${paint.muted(steering)}`
  const rows = turns.map((it) => [it.id, paint.muted(sayTime(it.queuedAt)), firstLine(it.text)])
  return `${table(rows)}\n\n${paint.muted(steering)}`
}

export function renderParts({ parts }: AgentsParts, { paint }: Screen): string {
  if (parts.length === 0) return paint.muted("Nothing is put in front of the next turn.")
  return parts
    .map((it) => `${paint.bold(it.label)}  ${paint.muted(`${it.tokens} tokens`)}\n${it.text}`)
    .join("\n\n")
}

export function renderHandoff({ text, tokens, run }: AgentsHandoff, { paint }: Screen): string {
  const next = run === null ? "--start begins a fresh session with it." : `Started ${run.id}.`
  return `${text}\n\n${paint.muted(`${formatExact(tokens)} tokens. ${next}`)}`
}

/** Text that others read again: its value must stay, so what a terminal would obey is escaped. */
export function renderExport({ text }: AgentsExport): string {
  return escapeUnsafe(text).trimEnd()
}

export function renderSaved({ file, messages, sizeBytes }: AgentsSaved): string {
  return `Wrote ${file}, ${plural(messages, "message")}, ${formatBytes(sizeBytes)}.`
}

export function renderContext(context: AgentsContext, screen: Screen): string {
  const { paint } = screen
  const { used, window, kinds, files, parts, changes, compactions } = context
  const head =
    used === null || window === null
      ? "How full the window is, the host has not said."
      : `${formatCount(used)} of ${formatCount(window)} tokens in the window`
  const bar = window === null || kinds.length === 0 ? [] : ["", renderBar(kinds, window, screen)]
  const loaded = files.map((it) => [
    it.isBeforeCompaction ? paint.warn("perhaps gone") : sayTurn(it.isThisTurn),
    it.tokens === null ? "" : `${formatExact(it.tokens)} tokens`,
    it.path,
    paint.muted(it.reason),
  ])
  const changed = changes.map((it) => [`+${it.added}`, `−${it.removed}`, it.path])
  return [
    head,
    ...bar,
    ...(compactions.length === 0
      ? []
      : ["", paint.warn(`The host compacted ${plural(compactions.length, "time")}.`)]),
    ...section("In front of turns", parts.map(partRow), screen),
    ...section("Loaded", loaded, screen),
    ...section("Changed", changed, screen),
  ].join("\n")
}

function partRow({ label, tokens }: AgentsContext["parts"][number]): string[] {
  return [label, `${formatExact(tokens)} tokens`]
}

function sayTurn(isThisTurn: boolean): string {
  return isThisTurn ? "this turn" : "before"
}

function section(
  title: string,
  rows: readonly (readonly string[])[],
  { paint }: Screen,
): readonly string[] {
  if (rows.length === 0) return []
  const left = rows.length - MOST_ROWS
  const rest = left > 0 ? [paint.muted(`and ${formatExact(left)} more`)] : []
  return ["", paint.bold(title), table(rows.slice(0, MOST_ROWS)), ...rest]
}

const LANES = ["model", "tools", "branches", "waiting"] as const

/** One row a lane, drawn over the whole time, then the longest pieces in their order. */
export function renderTimeline(timeline: AgentsTimeline, screen: Screen): string {
  const { durationMs, waitedMs, spans } = timeline
  if (spans.length === 0) return screen.paint.muted("Nothing happened yet.")
  const waited = waitedMs === 0 ? "" : `, ${formatDuration(waitedMs)} of it waiting for a person`
  const lanes = LANES.map((lane) => {
    const own = spans.filter((it) => it.lane === lane)
    const total = own.reduce((sum, it) => sum + lengthOf(it), 0)
    return [lane, total === 0 ? "" : formatDuration(total), drawLane(own, durationMs, screen)]
  })
  const longest = spans
    .toSorted((a, b) => lengthOf(b) - lengthOf(a))
    .slice(0, MOST_ROWS)
    .toSorted((a, b) => a.fromMs - b.fromMs)
  const rows = longest.map((it) => [
    screen.paint.muted(`at ${formatDuration(it.fromMs)}`),
    formatDuration(lengthOf(it)),
    it.lane,
    it.title,
  ])
  const left = spans.length - longest.length
  const rest = left > 0 ? [screen.paint.muted(`and ${formatExact(left)} shorter ones`)] : []
  return [
    `${formatDuration(durationMs)}${waited}`,
    "",
    table(lanes),
    "",
    table(rows),
    ...rest,
  ].join("\n")
}

const LANE_CELLS = 48

function drawLane(spans: readonly RunSpan[], durationMs: number, { paint }: Screen): string {
  const cellMs = Math.max(1, durationMs) / LANE_CELLS
  const cells = Array.from({ length: LANE_CELLS }, (_, i) => {
    const isBusy = spans.some((it) => it.fromMs < (i + 1) * cellMs && it.toMs > i * cellMs)
    return isBusy ? "█" : "·"
  })
  return paint.accent(cells.join(""))
}

function lengthOf({ fromMs, toMs }: RunSpan): number {
  return Math.max(0, toMs - fromMs)
}

function firstLine(text: string): string {
  return text.split("\n")[0] ?? ""
}
