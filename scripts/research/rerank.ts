import type { KbHit } from "#ground/contract"
import { loadWordVectors, type WordVectors } from "#know/search"

/** A second order of the results, to measure it. Neither is part of the product. */
export const RERANKERS = {
  /** More different words of the question in one paragraph. */
  coverage: async (_question: string, hits: readonly KbHit[]) => {
    const most = Math.max(1, ...hits.map((it) => it.matched.length))
    return reordered(hits, (it) => it.matched.length / most)
  },
  /** Cosine of the mean word vectors of question and paragraph. */
  cosine: async (question: string, hits: readonly KbHit[]) => {
    const vectors = await loadWordVectors()
    const questionMean = meanOf(question, vectors)
    return reordered(hits, (it) =>
      Math.max(0, cosine(questionMean, meanOf(it.paragraph.text, vectors))),
    )
  },
} as const

function reordered(hits: readonly KbHit[], shareOf: (hit: KbHit) => number): readonly KbHit[] {
  const scored = hits.map((hit) => ({ hit, score: hit.score * (0.5 + 0.5 * shareOf(hit)) }))
  return scored.toSorted((a, b) => b.score - a.score).map((it) => it.hit)
}

function meanOf(text: string, { rowByWord, vectors, dimensions }: WordVectors): Float64Array {
  const sum = new Float64Array(dimensions)
  for (const word of text.toLowerCase().match(/\p{L}{3,40}/gu) ?? []) {
    const row = rowByWord.get(word)
    if (row === undefined) continue
    for (let at = 0; at < dimensions; at++) {
      sum[at] = (sum[at] ?? 0) + (vectors[row * dimensions + at] ?? 0)
    }
  }
  return sum
}

function cosine(one: Float64Array, other: Float64Array): number {
  const dot = (a: Float64Array, b: Float64Array) =>
    a.reduce((all, it, at) => all + it * (b[at] ?? 0), 0)
  return dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other) || 1)
}
