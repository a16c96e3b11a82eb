import { lastAtMost, type View } from "./escapes.ts"

/** Between two lines of wrapped base64: a line end and YAML indentation. */
const WIDEST_LINE_GAP_CHARACTERS = 20

/** A line of at least this length continues on the next: `base64` and PEM wrap at 64 or 76. */
const SHORTEST_WRAPPED_LINE_CHARACTERS = 60

/** Possible starts of base64 after a separator inside a run, as in `path/<base64>`. */
const MOST_BASE64_STARTS = 8

/** Shorter runs have fewer than 15 bytes, less than any key of the table. */
const SHORTEST_BASE64_CHARACTERS = 20

export type Run = { readonly start: number; readonly end: number }

/**
 * All runs long enough for a key. Each window of the minimum length is read from its end: prose and
 * code soon have a character outside the alphabet, and everything before it is skipped.
 */
export function runsOf(text: string): readonly Run[] {
  const runs: Run[] = []
  let start = 0
  while (start + SHORTEST_BASE64_CHARACTERS <= text.length) {
    const symbolAt = lastSymbol(text, start, start + SHORTEST_BASE64_CHARACTERS)
    if (symbolAt !== undefined) {
      start = symbolAt + 1
      continue
    }
    let end = start + SHORTEST_BASE64_CHARACTERS
    while (end < text.length && isDigit(text.charCodeAt(end))) end++
    runs.push({ start, end })
    start = end + 1
  }
  return runs
}

export function* base64Views(text: string, runs: readonly Run[]): Generator<View> {
  for (let index = 0; index < runs.length; index++) {
    const first = runs[index]
    const start = first === undefined ? undefined : textStart(text, first)
    if (first === undefined || start === undefined) continue
    const lines = [{ start, end: first.end }]
    for (let next = runs[index + 1]; next !== undefined; next = runs[index + 1]) {
      if (!continues(text, runs[index], next)) break
      lines.push(next)
      index++
    }
    yield viewOf(text, [...lines, ...lastLine(text, runs[index])])
  }
}

/** One character per byte, so that offsets can be mapped back. */
export function decodedBase64(text: string): string {
  return Buffer.from(text, "base64").toString("latin1")
}

export function isPrintable(text: string): boolean {
  return /^[\t\n\r -~]*$/.test(text)
}

const NO_DIGIT = 255
const DIGITS = new Uint8Array(128).fill(NO_DIGIT)
for (const [digit, letter] of [
  ..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
].entries()) {
  DIGITS[letter.charCodeAt(0)] = digit
}
DIGITS["-".charCodeAt(0)] = 62
DIGITS["_".charCodeAt(0)] = 63

/** Text may begin at the start of a run or after one of its first separators. */
function textStart(text: string, run: Run): number | undefined {
  let tries = 0
  for (let at = run.start; at <= run.end - SHORTEST_BASE64_CHARACTERS; at++) {
    const isBehindSymbol = at === run.start || (DIGITS[text.charCodeAt(at - 1)] ?? 0) >= 62
    if (!isBehindSymbol) continue
    if (beginsAsText(text, at)) return at
    tries++
    if (tries >= MOST_BASE64_STARTS) return undefined
  }
  return undefined
}

/** Whether the first nine bytes are readable. Identifiers fail at the third. */
function beginsAsText(text: string, at: number): boolean {
  for (let group = at; group < at + 12; group += 4) {
    const bits =
      (digitAt(text, group) << 18) |
      (digitAt(text, group + 1) << 12) |
      (digitAt(text, group + 2) << 6) |
      digitAt(text, group + 3)
    const isText = isReadable(bits >> 16) && isReadable((bits >> 8) & 255) && isReadable(bits & 255)
    if (!isText) return false
  }
  return true
}

function lastSymbol(text: string, start: number, end: number): number | undefined {
  for (let index = end - 1; index >= start; index--) {
    if (!isDigit(text.charCodeAt(index))) return index
  }
  return undefined
}

function isDigit(code: number): boolean {
  return code < 128 && DIGITS[code] !== NO_DIGIT
}

function digitAt(text: string, index: number): number {
  return DIGITS[text.charCodeAt(index)] ?? 0
}

function isReadable(code: number): boolean {
  return (code >= 0x20 && code < 0x7f) || code === 0x0a || code === 0x0d || code === 0x09
}

function continues(text: string, line: Run | undefined, next: Run): boolean {
  if (line === undefined || line.end - line.start < SHORTEST_WRAPPED_LINE_CHARACTERS) return false
  const gap = next.start - line.end
  return gap <= WIDEST_LINE_GAP_CHARACTERS && LINE_GAP.test(text.slice(line.end, next.start))
}

const LINE_GAP = /^\r?\n[ \t]*$/
const SHORT_LINE = /\r?\n[ \t]{0,18}(?<digits>[A-Za-z0-9+/_-]{1,19})={0,2}(?![\w:-])/y

/** The last line of wrapped text may be too short to be a run. */
function lastLine(text: string, last: Run | undefined): readonly Run[] {
  if (last === undefined || last.end - last.start < SHORTEST_WRAPPED_LINE_CHARACTERS) return []
  SHORT_LINE.lastIndex = last.end
  const match = SHORT_LINE.exec(text)
  const digits = match?.groups?.["digits"]
  if (match === null || digits === undefined) return []
  const start = match.index + match[0].indexOf(digits)
  return [{ start, end: start + digits.length }]
}

function viewOf(text: string, lines: readonly Run[]): View {
  const firstDigits = [0]
  for (const { start, end } of lines) firstDigits.push((firstDigits.at(-1) ?? 0) + end - start)
  const place = (digit: number): number => {
    const line = lastAtMost(firstDigits, digit)
    return (lines[line]?.start ?? 0) + digit - (firstDigits[line] ?? 0)
  }
  return {
    text: decodedBase64(lines.map((it) => text.slice(it.start, it.end)).join("")),
    source: (start, end) => ({
      start: place(Math.floor((start * 8) / 6)),
      end: place(Math.floor((end * 8 - 1) / 6)) + 1,
    }),
  }
}
