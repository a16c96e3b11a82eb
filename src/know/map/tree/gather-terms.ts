import { compareText } from "#ground/base"
import { type Blocks, encodeBlocks, type Row } from "./blocks.ts"
import type { TermTable } from "./read-text.ts"

/**
 * The terms of many contents on their way to the store. Four numbers an entry in one flat list: a
 * map of lists takes ten times the memory.
 */
export function createGatheredTerms() {
  const places = new Map<string, number>()
  let entries = new Uint32Array(FIRST_ENTRIES * 4)
  let used = 0

  return {
    /** Contents come with rising numbers. */
    add(table: TermTable, firstContent: number): void {
      const own = table.terms.map((term) => {
        const place = places.get(term) ?? places.size
        if (place === places.size) places.set(term, place)
        return place
      })
      const { entries: more } = table
      while (used + more.length > entries.length) entries = doubled(entries)
      for (let at = 0; at < more.length; at += 4) {
        entries[used++] = own[more[at] ?? 0] ?? 0
        entries[used++] = firstContent + (more[at + 1] ?? 0)
        entries[used++] = more[at + 2] ?? 0
        entries[used++] = more[at + 3] ?? 0
      }
    },
    entries: () => used / 4,
    /** `firstNumber` is the number of the first content. */
    blocks(firstNumber: number): Blocks {
      return encodeBlocks(rowsOf({ places, entries: entries.subarray(0, used) }, firstNumber))
    },
  }
}

const FIRST_ENTRIES = 4_096

function doubled(entries: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(entries.length * 2)
  larger.set(entries)
  return larger
}

type Gathered = { readonly places: ReadonlyMap<string, number>; readonly entries: Uint32Array }

function* rowsOf({ places, entries }: Gathered, firstNumber: number): Generator<Row> {
  const { ends, order } = sortedByTerm(entries, places.size)
  const terms = [...places].toSorted(([a], [b]) => compareText(a, b))
  for (const [term, place] of terms) {
    const row: number[] = []
    for (let at = ends[place - 1] ?? 0; at < (ends[place] ?? 0); at++) {
      const entry = (order[at] ?? 0) * 4
      row.push(firstNumber + (entries[entry + 1] ?? 0), entries[entry + 2] ?? 0)
      row.push(entries[entry + 3] ?? 0)
    }
    yield [term, row]
  }
}

/** Entries of each term side by side, in the order they came. */
function sortedByTerm(entries: Uint32Array, termCount: number) {
  const count = entries.length / 4
  const ends = new Uint32Array(termCount)
  for (let at = 0; at < count; at++) {
    const term = entries[at * 4] ?? 0
    ends[term] = (ends[term] ?? 0) + 1
  }
  for (let term = 1; term < termCount; term++)
    ends[term] = (ends[term] ?? 0) + (ends[term - 1] ?? 0)
  const order = new Uint32Array(count)
  const next = ends.slice()
  for (let at = count - 1; at >= 0; at--) {
    const term = entries[at * 4] ?? 0
    const place = (next[term] ?? 0) - 1
    next[term] = place
    order[place] = at
  }
  return { ends, order }
}
