import { compareText, invariant, ownCopy } from "#ground/base"
import type { TermCounts } from "./words.ts"

/**
 * Where one term occurs: a document's number and its count in each field, then the next document,
 * with rising numbers. Flat, because a row of a table holds it like this and loops read it fast.
 */
export type Postings = readonly number[]

/** How postings are asked for: of a table in memory, or of rows read before. */
export type PostingsOf = (term: string) => Postings

export type PostingsTable = ReturnType<typeof createPostings>

/**
 * A table of terms that follows a repository document by document. After any changes it is equal,
 * row by row, to a table made anew from the documents that are left.
 */
export function createPostings(fieldCount: number) {
  const rowsByTerm = new Map<string, number[]>()
  const termsByDocument = new Map<number, readonly string[]>()
  const stride = fieldCount + 1

  function put(document: number, fields: readonly TermCounts[]): void {
    invariant(fields.length === fieldCount, `a document of this table has ${fieldCount} fields`)
    invariant(Number.isSafeInteger(document) && document >= 0, "documents are numbered from 0")
    remove(document)
    const kept: string[] = []
    for (const [field, counts] of fields.entries()) {
      const earlier = fields.slice(0, field)
      for (const term of counts.keys()) {
        if (earlier.some((it) => it.has(term))) continue
        const [own, row] = rowOf(term)
        kept.push(own)
        insert(row, stride, [document, ...countsOf(term, fields)])
      }
    }
    termsByDocument.set(document, kept)
  }

  function rowOf(term: string): readonly [string, number[]] {
    const known = rowsByTerm.get(term)
    if (known !== undefined) return [term, known]
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
    /** All rows, by term: for keeping them, and for comparing two tables. */
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

/** Index of the first entry whose document is not smaller. */
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
