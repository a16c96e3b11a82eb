import { formatCount } from "#ground/base"
import { CONTEXT_KINDS, type ContextKind } from "#ground/contract"
import { type BarSegment, layoutBar } from "#ground/tokens"
import { displayLength } from "../terminal/layout.ts"
import type { Screen } from "../terminal/screen.ts"

/** One block per kind, so that the bar is readable without colours. */
export const BLOCKS: Readonly<Record<ContextKind, string>> = {
  system: "▒",
  mcp: "▤",
  skills: "▧",
  agents: "▥",
  instructions: "█",
  files: "▓",
  symbols: "▨",
  knowledge: "▚",
  memory: "▞",
  tools: "▦",
  history: "▩",
}
const FREE_CELL = "·"
const NOTCH = "│"
const WIDEST_BAR_CELLS = 72

/** A budget bar extends beyond the budget, so that an excess is visible. */
const ROOM_BEYOND_BUDGET = 1.2

export function renderBar(
  segments: readonly BarSegment[],
  budget: number,
  { paint, width }: Screen,
): string {
  const total = segments.reduce((sum, it) => sum + it.tokens, 0)
  const cells = Math.min(WIDEST_BAR_CELLS, width - 4)
  const scale = Math.max(budget * ROOM_BEYOND_BUDGET, total)
  const layout = layoutBar(segments, { width: cells, scale })
  const drawn = layout.cells.flatMap((it) =>
    Array.from({ length: it.cells }, () => paint.kind(it.kind, BLOCKS[it.kind])),
  )
  const free = Array.from({ length: layout.free }, () => paint.muted(FREE_CELL))
  const row = [...drawn, ...free]
  row.splice(Math.min(cells - 1, Math.round((budget / scale) * cells)), 1, paint.bold(NOTCH))

  const legend = CONTEXT_KINDS.flatMap((kind) => {
    const tokens = segments.reduce((sum, it) => sum + (it.kind === kind ? it.tokens : 0), 0)
    return tokens === 0 ? [] : [`${paint.kind(kind, BLOCKS[kind])} ${kind} ${formatCount(tokens)}`]
  })
  const notch = `${paint.bold(NOTCH)} budget ${formatCount(budget)}`
  return `${row.join("")}\n${legendLines([...legend, notch], width).join("\n")}`
}

/** An entry is never broken: one that does not fit starts the next line. */
function legendLines(entries: readonly string[], width: number): readonly string[] {
  const lines: string[] = []
  for (const entry of entries) {
    const longer = `${lines.at(-1) ?? ""}   ${entry}`
    const isFitting = lines.length > 0 && displayLength(longer) <= width
    lines.splice(isFitting ? -1 : lines.length, 1, isFitting ? longer : entry)
  }
  return lines
}
