import { formatExact, visibleLine } from "#ground/base"
import { table } from "../layout.ts"
import type { Screen } from "../screen.ts"

const BAR_CELLS = 8

/** A share as a length, beside its figure. */
export function shareBar(share: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * BAR_CELLS)
  return `${"━".repeat(full)}${"·".repeat(BAR_CELLS - full)}`
}

/** What may be as long as a page, in one line of a list. */
export function cut(text: string, most: number): string {
  const characters = Array.from(text.slice(0, 2 * most))
  const isWhole = text.length <= 2 * most && characters.length <= most
  return isWhole ? text : `${characters.slice(0, Math.max(1, most - 1)).join("")}…`
}

/** Text of others in a row of ours: a line break in it must not look like the next row. */
export function rowText(text: string, most: number): string {
  return cut(visibleLine(text.trim()), Math.max(8, most))
}

/** Of a text that may be long, what tells it from others. */
export function firstRowText(text: string, most: number): string {
  const [line = "", ...more] = text.trim().split("\n", 2)
  return rowText(more.length === 0 ? line : `${line} …`, most)
}

/** Text of others below a heading of ours; indented, so that no line of it looks like ours. */
export function quoted(text: string): string {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => `  ${line}`.trimEnd())
    .join("\n")
}

/** A list to glance at, with a word about the rest. */
export function section(
  title: string,
  rows: readonly (readonly string[])[],
  { screen, most }: { readonly screen: Screen; readonly most: number },
): readonly string[] {
  if (rows.length === 0) return []
  const { paint } = screen
  const left = rows.length - most
  const rest = left > 0 ? [paint.muted(`  and ${formatExact(left)} more; --json has all`)] : []
  return [
    "",
    `${paint.bold(title)} ${paint.muted(formatExact(rows.length))}`,
    table(rows.slice(0, most).map((row) => ["", ...row])),
    ...rest,
  ]
}

/** UTC, to the minute. */
export function timeText(at: number): string {
  return new Date(at).toISOString().replace("T", " ").slice(0, 16)
}
