import { formatExact, visibleLine } from "#ground/base"
import { table } from "../terminal/layout.ts"
import type { Screen } from "../terminal/screen.ts"

const BAR_CELLS = 8

/** A bar of eight cells for a share from 0 to 1. */
export function shareBar(share: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * BAR_CELLS)
  return `${"━".repeat(full)}${"·".repeat(BAR_CELLS - full)}`
}

/** At most `most` characters; ends between words if a word ends in the last 40 %. */
export function truncateText(text: string, most: number): string {
  const characters = Array.from(text.slice(0, 2 * most))
  const isWhole = text.length <= 2 * most && characters.length <= most
  if (isWhole) return text
  const start = characters.slice(0, Math.max(1, most - 2)).join("")
  const space = characters[start.length] === " " ? start.length : start.lastIndexOf(" ")
  return space > most * 0.6 ? `${start.slice(0, space).trimEnd()} …` : `${start}…`
}

/** External text on one line: a line break in it must not look like the next row. */
export function rowText(text: string, most: number = Number.POSITIVE_INFINITY): string {
  return truncateText(visibleLine(text.trim()), Math.max(8, most))
}

/** The first line of a text, with … if there are more. */
export function firstRowText(text: string, most: number): string {
  const [line = "", ...more] = text.trim().split("\n", 2)
  return rowText(more.length === 0 ? line : `${line} …`, most)
}

/** External text, indented so that no line of it looks like a line of qm. */
export function quoted(text: string): string {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => `  ${line}`.trimEnd())
    .join("\n")
}

/** A table with a heading for each column. */
export function listing(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  screen: Screen,
): string {
  return table([headings.map((it) => screen.paint.muted(it)), ...rows], screen)
}

/** The number of rows to list: all of them in a pipe. */
export function rowLimit(most: number, { width }: Screen): number {
  return Number.isFinite(width) ? most : Number.POSITIVE_INFINITY
}

type SectionOptions = {
  readonly screen: Screen
  readonly most: number
  /** Empty for one column of texts, which the title names. */
  readonly headings: readonly string[]
}

/** A titled table of at most `most` rows on a terminal, and the number of the others. */
export function section(
  title: string,
  rows: readonly (readonly string[])[],
  { screen, most, headings }: SectionOptions,
): readonly string[] {
  if (rows.length === 0) return []
  const { paint } = screen
  const shown = rows.slice(0, rowLimit(most, screen))
  const left = rows.length - shown.length
  const rest = left > 0 ? [paint.muted(`  and ${formatExact(left)} more; --json lists all`)] : []
  return [
    "",
    `${paint.bold(title)} ${paint.muted(formatExact(rows.length))}`,
    indentedTable(headings, shown, screen),
    ...rest,
  ]
}

/** A table below a title; without headings if there are none. */
export function indentedTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  screen: Screen,
): string {
  const head = headings.length === 0 ? [] : [headings.map((it) => screen.paint.muted(it))]
  return table([...head, ...rows], { width: screen.width - 2 })
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n")
}

/** UTC, to the minute. */
export function timeText(at: number): string {
  return new Date(at).toISOString().replace("T", " ").slice(0, 16)
}
