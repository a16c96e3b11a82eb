import { withoutHiddenSigns } from "#ground/base"
import {
  LARGEST_SLICE_TOKENS,
  LONGEST_LINE_UNITS,
  LONGEST_SHOWN_LINE_UNITS,
  MOST_MATCHES,
  MOST_SEARCHED_WORDS,
} from "./limits.ts"

/** Lines for reading: long ones are several, so that every part of a text can be asked for. */
export function linesOf(text: string): readonly string[] {
  const lines = withoutHiddenSigns(text).split("\n")
  // The end of the last line is not one more line.
  if (lines.length > 1 && lines.at(-1) === "") lines.pop()
  return lines.flatMap(wrapped)
}

function wrapped(line: string): readonly string[] {
  if (line.length <= LONGEST_LINE_UNITS) return [line]
  const pieces: string[] = []
  for (let at = 0; at < line.length; ) {
    const end = at + LONGEST_LINE_UNITS
    // Not between the halves of a pair.
    const isSplit = /[\ud800-\udbff]/.test(line[end - 1] ?? "")
    pieces.push(line.slice(at, isSplit ? end - 1 : end))
    at = isSplit ? end - 1 : end
  }
  return pieces
}

export type Slice = { readonly text: string; readonly nextLine: number | null }

type Asked = { readonly fromLine: number; readonly lines: number }

/** Lines from one on, as many as were asked for and as fit an answer, one at least. */
export function sliceOf(
  lines: readonly string[],
  { fromLine, lines: most }: Asked,
  count: (text: string) => number,
): Slice {
  const taken: string[] = []
  let tokens = 0
  for (const line of lines.slice(fromLine - 1, fromLine - 1 + most)) {
    tokens += count(`${line}\n`)
    if (taken.length > 0 && tokens > LARGEST_SLICE_TOKENS) break
    taken.push(line)
  }
  const next = fromLine + taken.length
  return {
    text: taken.join("\n"),
    nextLine: next <= lines.length && taken.length > 0 ? next : null,
  }
}

export type Match = { readonly line: number; readonly text: string }

/** Words of a question: plain text, whatever signs they have. */
export function wordsOf(query: string): readonly string[] {
  return query
    .toLowerCase()
    .split(/\s+/)
    .filter((it) => it !== "")
    .slice(0, MOST_SEARCHED_WORDS)
}

export function hasWords(line: string, words: readonly string[]): boolean {
  const lower = line.toLowerCase()
  return words.every((it) => lower.includes(it))
}

/** Lines that have all the words, from one line on, as many as fit an answer. */
export function matchesIn(
  lines: readonly string[],
  words: readonly string[],
  { fromLine, count }: { readonly fromLine: number; readonly count: (text: string) => number },
): { readonly matches: readonly Match[]; readonly nextLine: number | null } {
  const matches: Match[] = []
  let tokens = 0
  for (let index = fromLine - 1; index < lines.length; index++) {
    const line = lines[index] ?? ""
    if (!hasWords(line, words)) continue
    const text = around(line, words)
    tokens += count(text)
    const isFull = matches.length >= MOST_MATCHES || tokens > LARGEST_SLICE_TOKENS
    if (isFull && matches.length > 0) return { matches, nextLine: index + 1 }
    matches.push({ line: index + 1, text })
  }
  return { matches, nextLine: null }
}

/** The part of a line that has the first word. */
export function around(line: string, words: readonly string[]): string {
  if (line.length <= LONGEST_SHOWN_LINE_UNITS) return line
  const at = line.toLowerCase().indexOf(words[0] ?? "")
  const from = Math.max(0, Math.min(at - 40, line.length - LONGEST_SHOWN_LINE_UNITS))
  return line.slice(from, from + LONGEST_SHOWN_LINE_UNITS).toWellFormed()
}
