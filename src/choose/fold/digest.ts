import { formatExact } from "#ground/base"
import { LARGEST_DIGEST_TOKENS, LONGEST_SHOWN_LINE_UNITS } from "./limits.ts"
import { linesOf } from "./lines.ts"

type Kept = {
  readonly text: string
  readonly tokens: number
  readonly handle: string
  readonly label: string
}

/** Lines of the beginning and of the end, fewer where they are long. */
const SHAPES = [
  { first: 12, last: 6 },
  { first: 6, last: 3 },
  { first: 2, last: 1 },
  { first: 0, last: 0 },
] as const

/** What the window gets of a large text: how it begins and ends, how large it is, how to read it. */
export function digestOf(kept: Kept, count: (text: string) => number): string {
  const lines = linesOf(kept.text)
  const digests = SHAPES.map((shape) => render(kept, lines, shape))
  return digests.find((it) => count(it) <= LARGEST_DIGEST_TOKENS) ?? digests.at(-1) ?? ""
}

function render(
  { tokens, handle, label }: Kept,
  lines: readonly string[],
  { first, last }: (typeof SHAPES)[number],
): string {
  const head = lines.slice(0, first)
  const tail = last === 0 ? [] : lines.slice(Math.max(first, lines.length - last))
  const left = lines.length - head.length - tail.length
  return [
    `${label}: ${formatExact(lines.length)} lines, ${formatExact(tokens)} tokens, kept as ${handle}.`,
    ...head.map(short),
    ...(left > 0 ? [`[${formatExact(left)} lines more]`] : []),
    ...tail.map(short),
    `Read more with read_handle: handle ${handle} and from_line, or query for words to find.`,
  ].join("\n")
}

/** What stood before the digest of a text that is there whole; a digest is always the last. */
export function withoutDigest(text: string, handle: string): string {
  const at = text.indexOf(`kept as ${handle}.`)
  // One that was cut short may have lost its digest.
  return at === -1 ? `${text}\n` : text.slice(0, text.lastIndexOf("\n", at) + 1)
}

function short(line: string): string {
  if (line.length <= LONGEST_SHOWN_LINE_UNITS) return line
  return `${line.slice(0, LONGEST_SHOWN_LINE_UNITS - 1).toWellFormed()}…`
}
