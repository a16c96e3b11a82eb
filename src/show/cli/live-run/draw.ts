import { formatCount, formatDuration, plural, visible } from "#ground/base"
import type { Run } from "#ground/contract"
import { renderBar } from "../render/bar.ts"
import { widthOf } from "../terminal/layout.ts"
import type { Paint, Screen } from "../terminal/screen.ts"
import { type ContextUse, type Line, type Mark, sumOf } from "./fold.ts"
import { fit, layOutProse } from "./prose.ts"

/** Rows of streaming text above the live row; the whole text follows at its end. */
const WRITING_ROWS = 6

const SIGNS: Readonly<Record<Mark, string>> = {
  person: "›",
  agent: "●",
  begun: "▸",
  done: "✓",
  failed: "✗",
  denied: "⊘",
  stopped: "■",
  asks: "?",
  warning: "!",
  note: "·",
}

/** Formats the local time of day. */
export type SayClock = (at: number) => string

const HEAD_CELLS = "00:00:00 ✓ ".length

/** Deeper levels share this indent, because the text needs the width. */
const DEEPEST_INDENT = 8

/**
 * Rows of a transcript line. Outside text is escaped here and nowhere else, so that every escape
 * sequence on the terminal is ours.
 */
export function drawLine(line: Line, screen: Screen, clockText: SayClock): readonly string[] {
  const { paint } = screen
  const indent = "  ".repeat(Math.min(line.depth, DEEPEST_INDENT))
  const sign = toneOf(line.mark, paint)(SIGNS[line.mark])
  const head = `${paint.muted(clockText(line.at))} ${indent}${sign} `
  const margin = " ".repeat(HEAD_CELLS) + indent
  const width = screen.width - margin.length
  const rows =
    line.isProse === true ? drawProse(line, width, paint) : [drawOneLine(line, width, paint)]
  const below = (line.below ?? []).map((it) => paint.muted(fit(firstVisibleLine(it), width)))
  return [...rows, ...below].map((row, i) => `${i === 0 ? head : margin}${row}`.trimEnd())
}

function drawProse(line: Line, width: number, paint: Paint): readonly string[] {
  const rows = layOutProse(visible(line.text), width, paint)
  const isToned = ["failed", "warning", "note"].includes(line.mark)
  return isToned ? rows.map(toneOf(line.mark, paint)) : rows
}

function drawOneLine(line: Line, width: number, paint: Paint): string {
  const tail = firstVisibleLine(line.tail ?? "")
  const room = width - (tail === "" ? 0 : Math.min(widthOf(tail), width >> 1) + 2)
  const text = fit(firstVisibleLine(line.text), room)
  const shown = line.mark === "note" ? paint.muted(text) : text
  return tail === "" ? shown : `${shown}  ${paint.muted(fit(tail, width - widthOf(text) - 2))}`
}

/** The first non-empty line, escaped and without tabs. */
export function firstVisibleLine(text: string): string {
  const first = text.split("\n").find((it) => it.trim() !== "") ?? ""
  return visible(first.replace(/\t/g, " ").trim())
}

function toneOf(mark: Mark, paint: Paint): (text: string) => string {
  switch (mark) {
    case "person":
    case "asks":
    case "agent":
    case "begun":
      return paint.accent
    case "done":
      return paint.ok
    case "failed":
      return paint.bad
    case "denied":
    case "stopped":
    case "warning":
      return paint.warn
    case "note":
      return paint.muted
    default:
      return mark satisfies never
  }
}

export type LiveState = {
  readonly run: Run
  readonly atWork: string | undefined
  readonly writing: string
  readonly question: string | undefined
  readonly context: ContextUse | undefined
  readonly elapsedMs: number
}

/** Rows drawn in place below the transcript: streaming text and the current activity. */
export function drawLive(state: LiveState, screen: Screen): readonly string[] {
  const { paint, width } = screen
  const writing =
    state.writing === ""
      ? []
      : layOutProse(visible(state.writing), width - 2, paint).slice(-WRITING_ROWS)
  const facts = [elapsedText(state.elapsedMs), costText(state.run), ...meterText(state.context)]
  const tail = facts.join(" · ")
  const room = Math.max(10, width - widthOf(tail) - 4)
  const now = state.question ?? firstVisibleLine(state.atWork ?? WORD_OF_STATUS[state.run.status])
  const line =
    state.question === undefined
      ? `${paint.accent(fit(now, room))}  ${paint.muted(fit(tail, width - 4))}`
      : paint.bold(fit(now, width - 2))
  return [...writing.map((it) => `  ${it}`), fitPainted(line, width)]
}

/** Whole seconds: finer ones would flicker. */
function elapsedText(ms: number): string {
  return ms < 100_000 ? `${Math.floor(ms / 1_000)} s` : formatDuration(ms)
}

/** A row that is too wide is truncated without colours, so that no color sequence is split. */
function fitPainted(row: string, width: number): string {
  const bare = row.replace(/\u001b\[[0-9;]*m/g, "")
  return widthOf(bare) <= width ? row : fit(bare, width)
}

const WORD_OF_STATUS: Readonly<Record<Run["status"], string>> = {
  queued: "waits for its turn",
  starting: "starts",
  running: "works",
  waiting: "waits for an answer",
  paused: "waits for the next turn",
  completed: "completed",
  failed: "failed",
  stopped: "stopped",
  interrupted: "interrupted",
}

function meterText(context: ContextUse | undefined): readonly string[] {
  if (context === undefined) return []
  return [`${formatCount(context.used)} of ${formatCount(context.window)} tokens`]
}

/** The provider's cost, or our estimate; a scripted agent reports costs and spends nothing. */
export function costText({ cost, type }: Run): string {
  const usd = cost.reportedUsd ?? cost.computedUsd
  if (type === "synthetic") return usd === null ? "no cost" : `$${usd.toFixed(2)} (scripted)`
  return usd === null ? "cost unknown" : `$${usd.toFixed(2)}`
}

const ENDED: Readonly<Record<string, { readonly mark: Mark; readonly word: string }>> = {
  completed: { mark: "done", word: "Completed" },
  failed: { mark: "failed", word: "Failed" },
  stopped: { mark: "stopped", word: "Stopped" },
  interrupted: { mark: "failed", word: "Interrupted" },
}

export function drawEnd(
  run: Run,
  context: ContextUse | undefined,
  screen: Screen,
): readonly string[] {
  const { paint } = screen
  const { mark, word } = ENDED[run.status] ?? { mark: "note", word: WORD_OF_STATUS[run.status] }
  const lasted =
    run.startedAt === null || run.endedAt === null
      ? ""
      : ` after ${formatDuration(run.endedAt - run.startedAt)}`
  const facts = [
    plural(run.turns, "turn"),
    `${costText(run)}${run.budgetUsd === null ? "" : ` of $${run.budgetUsd.toFixed(2)}`}`,
    `${formatCount(sumOf(run.cost.usage))} tokens${run.budgetTokens === null ? "" : ` of ${formatCount(run.budgetTokens)}`}`,
  ]
  const sign = toneOf(mark, paint)
  const hasStarted = run.status !== "failed" || run.turns > 0
  return [
    "",
    `${sign(SIGNS[mark])} ${sign(`${word}${lasted}`)}, ${facts.join(", ")}`,
    ...(run.error === null ? [] : [paint.bad(fit(firstVisibleLine(run.error), screen.width))]),
    ...drawContext(run, context, screen),
    ...(hasStarted
      ? [paint.muted(`Continue with: qm send ${visible(run.id)} "and the docs"`)]
      : []),
  ]
}

function drawContext(run: Run, context: ContextUse | undefined, screen: Screen): readonly string[] {
  const used = context?.used ?? run.contextUsed
  const window = context?.window ?? run.contextWindow
  if (used === null || window === null) return []
  const share = `${Math.round((used / window) * 100)} %`
  const text = `Context ${formatCount(used)} of ${formatCount(window)} tokens, ${share}`
  const kinds = context?.kinds ?? []
  return kinds.length === 0 ? [text] : [text, ...renderBar(kinds, window, screen).split("\n")]
}
