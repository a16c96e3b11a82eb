import { cellsOf, widthOf } from "../terminal/layout.ts"
import type { Paint } from "../terminal/screen.ts"

/**
 * Rows of a text within the width. Markdown is styled, not rendered: headings and strong words are
 * bold, code is set apart, a list keeps its indent. The text must be escaped already.
 */
export function layOutProse(text: string, width: number, paint: Paint): readonly string[] {
  const rows: string[] = []
  let isCode = false
  for (const line of text.replace(/\t/g, "    ").trim().split("\n")) {
    const isFence = /^\s*(?:```|~~~)/.test(line)
    if (isFence) isCode = !isCode
    else if (isCode) rows.push(...chop(line, width - 2).map((it) => `  ${paint.muted(it)}`))
    else rows.push(...layOutLine(line, width, paint))
  }
  return rows
}

function layOutLine(line: string, width: number, paint: Paint): readonly string[] {
  const heading = /^#{1,6}\s+(.*)/.exec(line)?.[1]
  if (heading !== undefined) return wrap(heading, width, 0).map(paint.bold)
  const hang = /^\s*(?:[-*+]|\d+[.)])\s+/.exec(line)?.[0].length ?? /^\s*/.exec(line)?.[0].length
  return wrap(line.trimEnd(), width, Math.min(hang ?? 0, width >> 1)).map((row) =>
    inline(row, paint),
  )
}

/** Only within a row: a span broken by wrapping stays as written. */
function inline(row: string, paint: Paint): string {
  return row.replace(/`([^`]+)`|\*\*([^*]+)\*\*/g, (_, code?: string, strong?: string) =>
    code === undefined ? paint.bold(strong ?? "") : paint.accent(code),
  )
}

/** Rows after the first start with `hang` spaces. */
function wrap(text: string, width: number, hang: number): readonly string[] {
  const rows: string[] = []
  let row = ""
  for (const word of text.split(/(?<=\s)(?=\S)/)) {
    const [first = "", ...rest] = chop(word.trimEnd(), width - hang)
    const fits = widthOf(row) + widthOf(first) <= width
    if (!fits && row.trim() !== "") {
      rows.push(row.trimEnd())
      row = " ".repeat(hang)
    }
    for (const piece of [first, ...rest].slice(0, -1)) {
      rows.push(row + piece)
      row = " ".repeat(hang)
    }
    row += ([first, ...rest].at(-1) ?? "") + word.slice(word.trimEnd().length)
  }
  return [...rows, row.trimEnd()]
}

/** Pieces of at most this width; characters are never split. */
function chop(text: string, width: number): readonly string[] {
  const pieces: string[] = []
  let piece = ""
  let usedUnits = 0
  for (const character of text) {
    const cells = cellsOf(character)
    if (usedUnits + cells > width && piece !== "") {
      pieces.push(piece)
      piece = ""
      usedUnits = 0
    }
    piece += character
    usedUnits += cells
  }
  return [...pieces, piece]
}

/** Truncated with … at the width. */
export function fit(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  return `${chop(text, Math.max(1, width - 1))[0] ?? ""}…`
}
