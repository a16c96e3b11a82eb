import { DocumentInvalid } from "../errors.ts"
import type { FileTerms } from "../index-terms.ts"
import { countTerms, type Query } from "../words/words.ts"
import type { Corpus } from "./corpus.ts"
import { MOST_TABLE_TERMS, tfLevel, type WordTable } from "./word-table.ts"

export type SemanticScores = {
  readonly vectors: Float32Array
  readonly priors: Float64Array
}

/** Depends only on path and content; takes about 0.5 ms. */
export function meaningOf(table: WordTable, path: string, terms: FileTerms): Float32Array {
  const { rowByWord, levels, constants, columns } = table
  const sum = new Float64Array(table.dimensions)
  const inPath = countTerms(path).counts
  const words = new Set([...terms.body.keys(), ...terms.definitions.keys(), ...inPath.keys()])
  for (const word of words) {
    const row = rowByWord.get(word)
    if (row === undefined) continue
    const level = levels[tfLevel(terms.body.get(word) ?? 0)] ?? 0
    const inDefinitions = terms.definitions.has(word) ? constants.defd : 0
    const weight = 1 + inDefinitions + (inPath.has(word) ? constants.pathd : 0)
    addRow(sum, table, { row, weight: (columns.inDocument[row] ?? 0) * level * weight })
  }
  return Float32Array.from(unit(sum))
}

export function queryVector(table: WordTable, query: Query): Float64Array {
  const sum = new Float64Array(table.dimensions)
  for (const [term, word] of query.terms.slice(0, MOST_TABLE_TERMS).entries()) {
    const row = table.rowByWord.get(word)
    if (row === undefined) continue
    const subject = query.isSubject[term] === true ? 1 + table.constants.subd : 1
    const inQuery = table.columns.inQuery[row] ?? 0
    addRow(sum, table, { row, weight: inQuery * (query.weights[term] ?? 0) * subject })
  }
  return unit(sum)
}

export function prepareMeaning(
  table: WordTable,
  corpus: Corpus,
  vectorOf: (position: number) => Float32Array,
): SemanticScores {
  const vectors = new Float32Array(corpus.size * table.dimensions)
  for (const [position, path] of corpus.paths.entries()) {
    const vector = vectorOf(position)
    if (vector.length !== table.dimensions || !vector.every(Number.isFinite)) {
      throw DocumentInvalid({ path, wrong: `its vector is not ${table.dimensions} numbers` })
    }
    vectors.set(vector, position * table.dimensions)
  }
  const priors = Float64Array.from(corpus.paths, (path) => pathPrior(table, path))
  return { vectors, priors }
}

export function scoreMeaning(
  query: Float64Array,
  { vectors, priors }: SemanticScores,
): Float64Array {
  const scores = new Float64Array(priors.length)
  const { length } = query
  for (let at = 0; at < scores.length; at++) {
    const offset = at * length
    let sum = 0
    for (let index = 0; index < length; index++) {
      sum += (query[index] ?? 0) * (vectors[offset + index] ?? 0)
    }
    scores[at] = sum
  }
  return scores
}

function pathPrior({ rowByWord, columns }: WordTable, path: string): number {
  const { counts } = countTerms(path)
  let sum = 0
  for (const word of counts.keys()) sum += columns.inPath[rowByWord.get(word) ?? -1] ?? 0
  return sum / Math.sqrt(Math.max(counts.size, 1))
}

function addRow(
  sum: Float64Array,
  { vectors, columns, dimensions }: WordTable,
  { row, weight }: { readonly row: number; readonly weight: number },
): void {
  const factor = weight * (columns.scale[row] ?? 0)
  const offset = row * dimensions
  for (let index = 0; index < dimensions; index++) {
    sum[index] = (sum[index] ?? 0) + factor * (vectors[offset + index] ?? 0)
  }
}

function unit(vector: Float64Array): Float64Array {
  const length = Math.sqrt(vector.reduce((sum, it) => sum + it * it, 0)) + 1e-9
  return vector.map((it) => it / length)
}
