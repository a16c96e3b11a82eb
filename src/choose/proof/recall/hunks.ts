import { MOST_DIFF_EDITS } from "../limits.ts"

/** Lines of the text as it was before, from 1, both ends included. */
export type LineRange = { readonly fromLine: number; readonly toLine: number }

/**
 * The places of a text that a change touched. Lines that were put in have no place of their own:
 * theirs is the line they follow, which whoever puts them in has to see.
 */
export function editedRanges(before: string, after: string): readonly LineRange[] {
  const [a, b] = numbered(linesOf(before), linesOf(after))
  if (a.length === 0) return []
  const start = equalHead(a, b)
  const end = equalTail(a, b, start)
  const middle = { a: a.subarray(start, a.length - end), b: b.subarray(start, b.length - end) }
  return blocksOf(middle).map(({ from, to }) => rangeOf(start + from, start + to, a.length))
}

type Middle = { readonly a: Int32Array; readonly b: Int32Array }
/** Lines `from` up to but without `to` were replaced; none when they are equal. */
type Block = { readonly from: number; readonly to: number }

function rangeOf(from: number, to: number, lines: number): LineRange {
  if (to > from) return { fromLine: from + 1, toLine: to }
  const line = Math.min(Math.max(1, from), lines)
  return { fromLine: line, toLine: line }
}

function linesOf(text: string): readonly string[] {
  const lines = text.split("\n")
  if (lines.at(-1) === "") lines.pop()
  return lines
}

/** Equal lines get equal numbers: comparing those is most of the work. */
function numbered(
  before: readonly string[],
  after: readonly string[],
): readonly [Int32Array, Int32Array] {
  const numbers = new Map<string, number>()
  const numberOf = (line: string) => {
    const number = numbers.get(line) ?? numbers.size
    numbers.set(line, number)
    return number
  }
  return [Int32Array.from(before, numberOf), Int32Array.from(after, numberOf)]
}

function equalHead(a: Int32Array, b: Int32Array): number {
  const most = Math.min(a.length, b.length)
  let count = 0
  while (count < most && a[count] === b[count]) count++
  return count
}

function equalTail(a: Int32Array, b: Int32Array, head: number): number {
  const most = Math.min(a.length, b.length) - head
  let count = 0
  while (count < most && a[a.length - 1 - count] === b[b.length - 1 - count]) count++
  return count
}

/**
 * The shortest way from one to the other (Myers 1986): `reach[k]` is how far into `a` a path gets on
 * diagonal k. Texts that are too different count as one block, which is what a reader would say too.
 */
function blocksOf({ a, b }: Middle): readonly Block[] {
  if (a.length === 0 && b.length === 0) return []
  const whole = [{ from: 0, to: a.length }]
  if (a.length === 0 || b.length === 0) return whole
  const most = Math.min(a.length + b.length, MOST_DIFF_EDITS)
  const offset = most + 1
  const reach = new Int32Array(2 * most + 3)
  const rounds: Int32Array[] = []
  for (let edits = 0; edits <= most; edits++) {
    rounds.push(reach.slice(offset - edits - 1, offset + edits + 2))
    for (let k = -edits; k <= edits; k += 2) {
      const x = furthest({ a, b }, startOn(reach, { k, edits, offset }), k)
      reach[offset + k] = x
      if (x >= a.length && x - k >= b.length) return walkBack(rounds, a.length, b.length)
    }
  }
  return whole
}

type Place = { readonly k: number; readonly edits: number; readonly offset: number }

function startOn(reach: Int32Array, place: Place): number {
  const { k, offset } = place
  return isDown(reach, place) ? (reach[offset + k + 1] ?? 0) : (reach[offset + k - 1] ?? 0) + 1
}

function isDown(reach: Int32Array, { k, edits, offset }: Place): boolean {
  return (
    k === -edits || (k !== edits && (reach[offset + k - 1] ?? 0) < (reach[offset + k + 1] ?? 0))
  )
}

function furthest({ a, b }: Middle, from: number, k: number): number {
  let x = from
  while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++
  return x
}

/** From the end to the beginning; single edits that touch each other become one block. */
function walkBack(
  rounds: readonly Int32Array[],
  lengthBefore: number,
  lengthAfter: number,
): readonly Block[] {
  const blocks: { from: number; to: number }[] = []
  let [x, y] = [lengthBefore, lengthAfter]
  for (let edits = rounds.length - 1; edits > 0; edits--) {
    const reach = rounds[edits] ?? new Int32Array()
    // A kept round begins with diagonal -edits - 1.
    const offset = edits + 1
    const k = x - y
    const isInsertion = isDown(reach, { k, edits, offset })
    const previousK = isInsertion ? k + 1 : k - 1
    const from = reach[offset + previousK] ?? 0
    const to = isInsertion ? from : from + 1
    const later = blocks.at(-1)
    // Without an equal line in between.
    if (later !== undefined && to === x) later.from = from
    else blocks.push({ from, to })
    ;[x, y] = [from, from - previousK]
  }
  return blocks.toReversed()
}
