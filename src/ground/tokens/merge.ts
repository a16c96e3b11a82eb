import { NO_RANK, type Vocabulary } from "./vocabulary.ts"

/** Up to here, scanning all pairs after each join is faster than a heap of them. */
const LONGEST_SCANNED_BYTES = 48

/**
 * Byte-pair encoding: starts with single bytes and joins the adjacent pair of the lowest rank,
 * leftmost first, until none can be joined. The library scans all pairs after each join, which is
 * quadratic; for a long word a heap of pairs gives the same count in n log n.
 */
export function countMerged(word: string, { rankOf }: Pick<Vocabulary, "rankOf">): number {
  const bytes = Buffer.from(word, "utf8")
  return countMergedBytes({ bytes, from: 0, to: bytes.length }, rankOf)
}

type ByteRange = { readonly bytes: Uint8Array; readonly from: number; readonly to: number }

export function countMergedBytes(range: ByteRange, rankOf: Vocabulary["rankOf"]): number {
  const { bytes, from, to } = range
  if (rankOf(bytes, from, to) !== NO_RANK) return 1
  const length = to - from
  if (length <= LONGEST_SCANNED_BYTES) return joinByScanning(range, rankOf)
  return joinNeighbours(length, (start, end) => rankOf(bytes, from + start, from + end))
}

/** Shared by all words, because nothing is awaited between. One more than there are parts. */
const partStarts = new Int32Array(LONGEST_SCANNED_BYTES + 1)
const rankOfPair = new Int32Array(LONGEST_SCANNED_BYTES + 1)

function joinByScanning({ bytes, from, to }: ByteRange, rankOf: Vocabulary["rankOf"]): number {
  let parts = to - from
  for (let part = 0; part <= parts; part++) partStarts[part] = from + part
  for (let part = 0; part + 1 < parts; part++) {
    rankOfPair[part] = rankOf(bytes, from + part, from + part + 2)
  }
  // The rank of the parts `part` and `part + 1` joined.
  const rankAgain = (part: number) => {
    rankOfPair[part] = rankOf(bytes, partStarts[part] ?? to, partStarts[part + 2] ?? to)
  }
  for (;;) {
    let lowest = -1
    let lowestRank = Number.POSITIVE_INFINITY
    for (let part = 0; part + 1 < parts; part++) {
      const rank = rankOfPair[part] ?? NO_RANK
      if (rank === NO_RANK || rank >= lowestRank) continue
      lowest = part
      lowestRank = rank
    }
    if (lowest < 0) return parts
    partStarts.copyWithin(lowest + 1, lowest + 2, parts + 1)
    rankOfPair.copyWithin(lowest + 1, lowest + 2, parts)
    parts--
    if (lowest + 1 < parts) rankAgain(lowest)
    if (lowest > 0) rankAgain(lowest - 1)
  }
}

/** A heap key is rank × this + position: equal ranks are joined from the left. */
const PLACES = 2 ** 32

function joinNeighbours(length: number, rankBetween: (from: number, to: number) => number): number {
  // A part is identified by its first byte. `ends` is where a part ends and the next begins,
  // `previous` where the previous part begins; `pairRanks` is the rank of a part joined with the
  // next.
  const ends = new Int32Array(length)
  const previous = new Int32Array(length)
  const pairRanks = new Int32Array(length)
  for (let start = 0; start < length; start++) {
    ends[start] = start + 1
    previous[start] = start - 1
  }

  const rankPair = (start: number): number => {
    const middle = ends[start] ?? length
    const rank = middle < length ? rankBetween(start, ends[middle] ?? length) : NO_RANK
    pairRanks[start] = rank
    return rank
  }
  const keys: number[] = []
  for (let start = 0; start < length; start++) {
    const rank = rankPair(start)
    if (rank !== NO_RANK) keys.push(rank * PLACES + start)
  }
  const pairs = createHeap(keys)
  const offerPair = (start: number) => {
    const rank = rankPair(start)
    if (rank !== NO_RANK) pairs.push(rank * PLACES + start)
  }

  let parts = length
  for (let key = pairs.pop(); key !== undefined; key = pairs.pop()) {
    const start = key % PLACES
    const isStale = pairRanks[start] !== (key - start) / PLACES
    if (isStale) continue
    const middle = ends[start] ?? length
    const end = ends[middle] ?? length
    ends[start] = end
    pairRanks[middle] = NO_RANK
    if (end < length) previous[end] = start
    parts--
    offerPair(start)
    const before = previous[start] ?? NO_RANK
    if (before >= 0) offerPair(before)
  }
  return parts
}

function createHeap(numbers: number[]) {
  for (let index = (numbers.length >> 1) - 1; index >= 0; index--) sink(numbers, index)
  return {
    push(number: number): void {
      numbers.push(number)
      rise(numbers, numbers.length - 1)
    },
    pop(): number | undefined {
      const smallest = numbers[0]
      const last = numbers.pop()
      if (last === undefined || numbers.length === 0) return smallest
      numbers[0] = last
      sink(numbers, 0)
      return smallest
    },
  }
}

function rise(numbers: number[], start: number): void {
  let index = start
  const number = at(numbers, index)
  while (index > 0) {
    const parent = (index - 1) >> 1
    if (at(numbers, parent) <= number) break
    numbers[index] = at(numbers, parent)
    index = parent
  }
  numbers[index] = number
}

function sink(numbers: number[], start: number): void {
  let index = start
  const number = at(numbers, index)
  for (let child = 2 * index + 1; child < numbers.length; child = 2 * index + 1) {
    const isRightSmaller = at(numbers, child + 1) < at(numbers, child)
    const smaller = isRightSmaller ? child + 1 : child
    if (at(numbers, smaller) >= number) break
    numbers[index] = at(numbers, smaller)
    index = smaller
  }
  numbers[index] = number
}

function at(numbers: readonly number[], index: number): number {
  return numbers[index] ?? Number.POSITIVE_INFINITY
}
