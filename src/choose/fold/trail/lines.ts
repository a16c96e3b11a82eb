import { formatExact, truncate, withoutHiddenCharacters } from "#ground/base"

const LONGEST_SHOWN_LINE_UNITS = 200

/** Leaves room for a frame, and is never stored under a handle itself. */
export const LARGEST_SLICE_TOKENS = 1_800

/** Longer lines are split, so that a file without line ends can be read in slices. */
export const LONGEST_LINE_UNITS = 1_000

export const MOST_MATCHES = 50

const MOST_SEARCHED_WORDS = 10

/** Long lines are split, so that every part can be read. */
export function linesOf(text: string): readonly string[] {
  const lines = withoutHiddenCharacters(text).split("\n")
  if (lines.length > 1 && lines.at(-1) === "") lines.pop()
  return lines.flatMap(wrapped)
}

function wrapped(line: string): readonly string[] {
  if (line.length <= LONGEST_LINE_UNITS) return [line]
  const pieces: string[] = []
  for (let at = 0; at < line.length; ) {
    const end = at + LONGEST_LINE_UNITS
    // Not inside a surrogate pair.
    const isSplit = /[\ud800-\udbff]/.test(line[end - 1] ?? "")
    pieces.push(line.slice(at, isSplit ? end - 1 : end))
    at = isSplit ? end - 1 : end
  }
  return pieces
}

type Slice = { readonly text: string; readonly nextLine: number | null }

type SliceRange = { readonly fromLine: number; readonly lines: number }

export function sliceOf(
  lines: readonly string[],
  { fromLine, lines: most }: SliceRange,
  count: (text: string) => number,
): Slice {
  const slice: string[] = []
  let tokens = 0
  for (const line of lines.slice(fromLine - 1, fromLine - 1 + most)) {
    tokens += count(`${line}\n`)
    if (slice.length > 0 && tokens > LARGEST_SLICE_TOKENS) break
    slice.push(line)
  }
  const next = fromLine + slice.length
  return {
    text: slice.join("\n"),
    nextLine: next <= lines.length && slice.length > 0 ? next : null,
  }
}

type Match = { readonly line: number; readonly text: string }

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

export function around(line: string, words: readonly string[]): string {
  if (line.length <= LONGEST_SHOWN_LINE_UNITS) return line
  const at = line.toLowerCase().indexOf(words[0] ?? "")
  const from = Math.max(0, Math.min(at - 40, line.length - LONGEST_SHOWN_LINE_UNITS))
  return line.slice(from, from + LONGEST_SHOWN_LINE_UNITS).toWellFormed()
}

const LARGEST_DIGEST_TOKENS = 800

type DigestInput = {
  readonly text: string
  readonly tokens: number
  readonly handle: string
  readonly label: string
}

const SHAPES = [
  { first: 12, last: 6 },
  { first: 6, last: 3 },
  { first: 2, last: 1 },
  { first: 0, last: 0 },
] as const

export function digestOf(input: DigestInput, count: (text: string) => number): string {
  const lines = linesOf(input.text)
  const digests = SHAPES.map((shape) => render(input, lines, shape))
  return digests.find((it) => count(it) <= LARGEST_DIGEST_TOKENS) ?? digests.at(-1) ?? ""
}

function render(
  { tokens, handle, label }: DigestInput,
  lines: readonly string[],
  { first, last }: (typeof SHAPES)[number],
): string {
  const head = lines.slice(0, first)
  const tail = last === 0 ? [] : lines.slice(Math.max(first, lines.length - last))
  const left = lines.length - head.length - tail.length
  return [
    `${label}: ${formatExact(lines.length)} lines, ${formatExact(tokens)} tokens, kept as ${handle}.`,
    ...head.map(short),
    ...(left > 0 ? [`[${formatExact(left)} more lines]`] : []),
    ...tail.map(short),
    `To read more, call read_handle with handle ${handle} and from_line, or with query to search.`,
  ].join("\n")
}

/** The text before the digest, which always comes last. */
export function withoutDigest(text: string, handle: string): string {
  const at = text.indexOf(`kept as ${handle}.`)
  // A truncated text may have lost its digest.
  return at === -1 ? `${text}\n` : text.slice(0, text.lastIndexOf("\n", at) + 1)
}

function short(line: string): string {
  return truncate(line, LONGEST_SHOWN_LINE_UNITS)
}
