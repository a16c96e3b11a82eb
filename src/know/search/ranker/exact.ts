import type { Query } from "../query.ts"
import type { Corpus } from "./corpus.ts"
import { MOST_TABLE_TERMS, tfLevel, type WordTable } from "./word-table.ts"

export type Exact = ReturnType<typeof createExact>

type FoundTerm = {
  readonly body: Float64Array
  readonly defs: Float64Array
  readonly path: Float64Array
  readonly positions: Int32Array
  readonly count: number
}

/** BM25 whose term weights and constants were learnt. */
export function createExact(table: WordTable, query: Query, corpus: Corpus) {
  const { constants } = table
  const sums = new Float64Array(corpus.size)
  const lengthScale = Math.max(corpus.meanLength, 1e-9)
  const dampers = corpus.lengths.map(
    (length) => constants.k1 * (1 - constants.b + (constants.b * length) / lengthScale),
  )
  let whole = 0
  return {
    add(found: FoundTerm, { term, rarity }: { readonly term: number; readonly rarity: number }) {
      if (term >= MOST_TABLE_TERMS) return
      const row = table.rowByWord.get(query.terms[term] ?? "")
      const learnt = row === undefined ? 1 : (table.columns.inBm25[row] ?? 1)
      const subject = 1 + constants.subs * (query.isSubject[term] === true ? 1 : 0)
      const weight =
        learnt * (rarity > 0 ? rarity : constants.idf0) * (query.weights[term] ?? 0) * subject
      whole += weight
      for (let index = 0; index < found.count; index++) {
        const at = found.positions[index] ?? 0
        const evidence =
          2 ** (tfLevel(found.body[at] ?? 0) / 2) -
          1 +
          ((found.defs[at] ?? 0) > 0 ? constants.defs : 0) +
          ((found.path[at] ?? 0) > 0 ? constants.paths : 0)
        const score = (weight * evidence * (constants.k1 + 1)) / (evidence + (dampers[at] ?? 0))
        sums[at] = (sums[at] ?? 0) + score
      }
    },
    scores: (): Float64Array => sums.map((it) => (it * 10) / (whole + 4)),
  }
}
