import type { GatewayTexts } from "#ground/contract"
import { LONGEST_FOUND_LINE_UNITS, MOST_FOUND_LINES, UNITS_BEFORE_FOUND } from "./limits.ts"

type Found = Required<Pick<GatewayTexts["pieces"][number], "lines" | "moreLines">>

/** The lines that have all the words, or where no line has all of them, any. */
export function linesWith(text: string, words: readonly string[]): Found {
  const lines = text.split(/\r\n|\n|\r/).map((line, at) => {
    const lower = line.toLowerCase()
    const places = words.map((it) => lower.indexOf(it)).filter((it) => it !== -1)
    return { number: at + 1, line, places }
  })
  const whole = lines.filter((it) => it.places.length === words.length)
  const found = whole.length > 0 ? whole : lines.filter((it) => it.places.length > 0)
  const shown = found.slice(0, MOST_FOUND_LINES)
  return {
    lines: shown.map((it) => ({
      number: it.number,
      text: around(it.line, Math.min(...it.places)),
    })),
    moreLines: found.length - shown.length,
  }
}

/** A line may be as long as a file: what stands around the word is shown. */
function around(line: string, place: number): string {
  if (line.length <= LONGEST_FOUND_LINE_UNITS) return line
  const start = Math.max(0, place - UNITS_BEFORE_FOUND)
  const end = Math.min(line.length, start + LONGEST_FOUND_LINE_UNITS)
  const shown = line.slice(start, end).toWellFormed()
  return `${start === 0 ? "" : "…"}${shown}${end === line.length ? "" : "…"}`
}
