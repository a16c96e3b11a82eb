/**
 * Characters that move a cursor, hide themselves or turn the line around: C0 and C1 controls (but
 * not newline and tab), soft hyphen, zero-width and joining marks, bidirectional marks and
 * isolates, line and paragraph separators, variation selectors, byte-order mark, interlinear and
 * tag characters. Stripping escape sequences alone leaves most of these (PROMISES, finding 10).
 */
const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|\p{Surrogate}/gu

/** Text from outside, made safe for a terminal: what would act on it is shown instead. */
export function visible(text: string): string {
  return text.replace(UNSAFE, (character) => {
    const point = character.codePointAt(0) ?? 0
    return point <= 0xff
      ? `\\x${point.toString(16).padStart(2, "0")}`
      : `\\u{${point.toString(16)}}`
  })
}

/** The same for one line: newlines and tabs are shown too. */
export function visibleLine(text: string): string {
  return visible(text).replace(/\n/g, "\\n").replace(/\t/g, "\\t")
}

/** The nearest of several words, for "did you mean"; nothing when none is near. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const farthest = Math.max(1, Math.floor(word.length / 3))
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .filter((it) => it.distance <= farthest || isPrefix(word, it.candidate))
    .toSorted((a, b) => a.distance - b.distance || compareText(a.candidate, b.candidate))
  return ranked[0]?.candidate
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

/** Insertions, deletions, replacements and swaps of neighbours between two short words. */
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

function at(rows: readonly number[][], row: number, column: number): number {
  return rows[row]?.[column] ?? 0
}
