import { compareText, invariant, ownCopy } from "#ground/base"
import type { TermCounts } from "./words/words.ts"

/**
 * Document number and its count in each field, repeated, ascending. Flat, because database rows
 * have this form and loops read it fast.
 */
type Postings = readonly number[]

export type PostingsOf = (term: string) => Postings

/**
 * Incremental: after any changes it equals, row by row, a table built from the remaining documents.
 */
export function createPostings(fieldCount: number) {
  const rowsByTerm = new Map<string, number[]>()
  const termsByDocument = new Map<number, readonly string[]>()
  const stride = fieldCount + 1

  function put(document: number, fields: readonly TermCounts[]): void {
    invariant(fields.length === fieldCount, `a document of this table has ${fieldCount} fields`)
    invariant(Number.isSafeInteger(document) && document >= 0, "documents are numbered from 0")
    remove(document)
    const terms: string[] = []
    for (const [field, counts] of fields.entries()) {
      const earlier = fields.slice(0, field)
      for (const term of counts.keys()) {
        if (earlier.some((it) => it.has(term))) continue
        const [own, row] = rowOf(term)
        terms.push(own)
        insert(row, stride, [document, ...countsOf(term, fields)])
      }
    }
    termsByDocument.set(document, terms)
  }

  function rowOf(term: string): readonly [string, number[]] {
    const existing = rowsByTerm.get(term)
    if (existing !== undefined) return [term, existing]
    const own = ownCopy(term)
    const row: number[] = []
    rowsByTerm.set(own, row)
    return [own, row]
  }

  function remove(document: number): void {
    for (const term of termsByDocument.get(document) ?? []) {
      const row = rowsByTerm.get(term) ?? []
      row.splice(placeOf(row, document, stride), stride)
      if (row.length === 0) rowsByTerm.delete(term)
    }
    termsByDocument.delete(document)
  }

  return {
    put,
    remove,
    of: (term: string): Postings => rowsByTerm.get(term) ?? NOWHERE,
    rows: (): readonly (readonly [string, Postings])[] =>
      [...rowsByTerm].toSorted(([a], [b]) => compareText(a, b)),
  }
}

function insert(row: number[], stride: number, entry: readonly number[]): void {
  const at = placeOf(row, entry[0] ?? 0, stride)
  if (at === row.length) row.push(...entry)
  else row.splice(at, 0, ...entry)
}

function countsOf(term: string, fields: readonly TermCounts[]): readonly number[] {
  return fields.map((field) => field.get(term) ?? 0)
}

const NOWHERE: Postings = []

function placeOf(row: readonly number[], document: number, stride: number): number {
  const count = row.length / stride
  if (count === 0 || (row[row.length - stride] ?? 0) < document) return row.length
  let low = 0
  let high = count - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if ((row[middle * stride] ?? 0) < document) low = middle + 1
    else high = middle
  }
  return low * stride
}
