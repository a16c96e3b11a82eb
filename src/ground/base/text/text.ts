/**
 * Characters that move the cursor, are invisible or reorder a line, by Unicode property and not by
 * a list that ages: controls, format marks (zero-width, bidirectional, tags), lone surrogates,
 * unassigned and private characters, line and paragraph separators, default-ignorables. Newline and
 * tab are allowed. Stripping escape sequences alone leaves most of these (PROMISES, finding 10).
 */
const UNSAFE = /(?![\n\t])[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

export function visible(text: string): string {
  return text.replace(UNSAFE, (character) => {
    const point = character.codePointAt(0) ?? 0
    return point <= 0xff
      ? `\\x${point.toString(16).padStart(2, "0")}`
      : `\\u{${point.toString(16)}}`
  })
}

export function visibleLine(text: string): string {
  return visible(text).replace(/\n/g, "\\n").replace(/\t/g, "\\t")
}

/**
 * Invisible or reordering characters. Private-use characters are allowed here: icons are harmless.
 */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/**
 * Removes invisible characters from text for a model. Runs before secret detection: a secret with a
 * hidden character inside is not found (TB5).
 */
export function withoutHiddenCharacters(text: string): string {
  return text.replace(HIDDEN, "")
}

/** Redacting the slowest text takes about 0.25 µs per character: 25 ms of the event loop. */
const LONGEST_FILE_HERE_CHARACTERS = 100_000

/** Whether a file's text should be worked on in a thread. */
export function isLongText(text: string): boolean {
  return text.length > LONGEST_FILE_HERE_CHARACTERS
}

export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const farthest = Math.max(1, Math.floor(word.length / 3))
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .filter((it) => it.distance <= farthest || isPrefix(word, it.candidate))
    .toSorted((a, b) => a.distance - b.distance || compareText(a.candidate, b.candidate))
  return ranked[0]?.candidate
}

/** V8 keeps the whole text alive for a slice of 13 or more characters; this copies it. */
export function ownCopy(slice: string): string {
  return slice.length < 13 ? slice : slice.split("").join("")
}

/** Order by code unit: the same on every machine, unlike `localeCompare`. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

function isPrefix(word: string, candidate: string): boolean {
  return word.length >= 3 && candidate.startsWith(word)
}

const LONGEST_COMPARED_CHARACTERS = 64

function editDistance(left: string, right: string): number {
  const a = left.slice(0, LONGEST_COMPARED_CHARACTERS).toLowerCase()
  const b = right.slice(0, LONGEST_COMPARED_CHARACTERS).toLowerCase()
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row.push(
        Math.min(
          at(rows, i - 1, j) + 1,
          (row[j - 1] ?? 0) + 1,
          at(rows, i - 1, j - 1) + (isSame ? 0 : 1),
          isSwap ? at(rows, i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    rows.push(row)
  }
  return at(rows, a.length, b.length)
}

export function escapeMarkup(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
}

function at(rows: readonly number[][], row: number, column: number): number {
  return rows[row]?.[column] ?? 0
}
