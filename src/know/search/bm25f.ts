import { WeightsInvalid } from "./errors.ts"
import { SYMBOL_FIELDS, type SymbolField, type SymbolTerms } from "./index-terms.ts"
import type { PostingsOf } from "./postings.ts"
import type { Query } from "./words/words.ts"

/** `b` is the weight of the field's length, from 0 to 1. */
type FieldWeight = { readonly weight: number; readonly b: number }
export type Bm25fWeights = { readonly k1: number } & Readonly<Record<SymbolField, FieldWeight>>

/** b of about 0.4 was best for files; the weights are not tuned. */
export const BM25F_WEIGHTS: Bm25fWeights = {
  k1: 1.2,
  path: { weight: 2, b: 0 },
  name: { weight: 5, b: 0.3 },
  signature: { weight: 3, b: 0.4 },
  comments: { weight: 1.5, b: 0.4 },
  body: { weight: 1, b: 0.4 },
}

export type SymbolLengths = {
  readonly size: number
  readonly lengths: Float64Array
  readonly means: readonly number[]
}

export function measureSymbols(symbols: readonly Pick<SymbolTerms, "lengths">[]): SymbolLengths {
  const lengths = Float64Array.from(symbols.flatMap((it) => [...it.lengths]))
  const means = SYMBOL_FIELDS.map((_, field) => {
    const filled = symbols.map((it) => it.lengths[field] ?? 0).filter((it) => it > 0)
    return filled.reduce((sum, it) => sum + it, 0) / Math.max(1, filled.length)
  })
  return { size: symbols.length, lengths, means }
}

export type ScoredSymbol = { readonly symbol: number; readonly score: number }

/**
 * Sums the weighted counts of a term over all fields, then saturates once. Best first; ties in tree
 * order.
 */
export function scoreSymbols(
  query: Query,
  index: { readonly postingsOf: PostingsOf; readonly lengths: SymbolLengths },
  weights: Bm25fWeights = BM25F_WEIGHTS,
): readonly ScoredSymbol[] {
  checkWeights(weights)
  const { size } = index.lengths
  const scores = new Float64Array(size)
  const measures = { ...index.lengths, weights }
  for (const [term, word] of query.terms.entries()) {
    const row = index.postingsOf(word)
    const rarity = rarityOf(row.length / STRIDE, size) * (query.weights[term] ?? 0)
    for (let at = 0; at < row.length; at += STRIDE) {
      const symbol = row[at] ?? 0
      const count = weightedCount(row, at, measures)
      scores[symbol] = (scores[symbol] ?? 0) + (rarity * count) / (count + weights.k1)
    }
  }
  const ranked = Array.from(scores, (score, symbol) => ({ symbol, score }))
  return ranked.filter((it) => it.score > 0).toSorted((a, b) => b.score - a.score)
}

/** Words that mean about the same. Of each text only the best match counts, so that synonyms are not added up. */
export type TermGroup = {
  readonly rarity: number
  readonly members: readonly { readonly term: string; readonly weight: number }[]
}

export function rarityOf(documents: number, size: number): number {
  return Math.log(1 + (size - documents + 0.5) / (documents + 0.5))
}

/** Like `scoreSymbols`, with groups instead of terms. */
export function scoreTermGroups(
  groups: readonly TermGroup[],
  index: { readonly postingsOf: PostingsOf; readonly lengths: SymbolLengths },
  weights: Bm25fWeights = BM25F_WEIGHTS,
): readonly ScoredSymbol[] {
  checkWeights(weights)
  const { size } = index.lengths
  const scores = new Float64Array(size)
  const best = new Float64Array(size)
  const measures = { ...index.lengths, weights }
  const touched: number[] = []
  const match = (symbol: number, score: number) => {
    const before = best[symbol] ?? 0
    if (before === 0) touched.push(symbol)
    if (score > before) best[symbol] = score
  }
  for (const { rarity, members } of groups) {
    for (const { term, weight } of members) {
      const row = index.postingsOf(term)
      for (let at = 0; at < row.length; at += STRIDE) {
        const count = weightedCount(row, at, measures)
        match(row[at] ?? 0, (weight * count) / (count + weights.k1))
      }
    }
    for (const symbol of touched) {
      scores[symbol] = (scores[symbol] ?? 0) + rarity * (best[symbol] ?? 0)
      best[symbol] = 0
    }
    touched.length = 0
  }
  const ranked = Array.from(scores, (score, symbol) => ({ symbol, score }))
  return ranked.filter((it) => it.score > 0).toSorted((a, b) => b.score - a.score)
}

const STRIDE = SYMBOL_FIELDS.length + 1

function weightedCount(
  row: readonly number[],
  at: number,
  it: Pick<SymbolLengths, "lengths" | "means"> & { readonly weights: Bm25fWeights },
): number {
  let sum = 0
  for (const [field, name] of SYMBOL_FIELDS.entries()) {
    const count = row[at + 1 + field] ?? 0
    if (count === 0) continue
    const { weight, b } = it.weights[name]
    // A field is at least as long as the counts in it.
    const length = Math.max(it.lengths[(row[at] ?? 0) * SYMBOL_FIELDS.length + field] ?? 0, count)
    sum += (weight * count) / (1 - b + (b * length) / Math.max(it.means[field] ?? 0, 1e-9))
  }
  return sum
}

function checkWeights(weights: Bm25fWeights): void {
  const numbers = SYMBOL_FIELDS.flatMap((field) => [
    [`${field}.weight`, weights[field].weight] as const,
    [`${field}.b`, weights[field].b] as const,
  ])
  for (const [name, value] of [["k1", weights.k1] as const, ...numbers]) {
    const isLengthShare = name.endsWith(".b")
    const isGood = value >= 0 && Number.isFinite(value) && !(isLengthShare && value > 1)
    if (!isGood) throw WeightsInvalid({ name, value })
  }
}
