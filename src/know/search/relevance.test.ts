import fc from "fast-check"
import { expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import type { Ranking } from "./ranker/rank.ts"
import { relevanceOf } from "./relevance.ts"
import { readQuery } from "./words/words.ts"

/** A ranking of the words "quay berth tide"; `rarities` is 0 for a word that is in no file. */
function rankingOf(
  scores: readonly number[],
  rarities: readonly [number, number, number],
): Ranking {
  const order = [...scores.keys()].toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0))
  const words = {
    rarity: Float64Array.from(rarities),
    fullRarity: rarities.reduce((sum, it) => sum + it, 0),
    cover: new Float64Array(scores.length).fill(1),
  } as Ranking["words"]
  return {
    query: readQuery("quay berth tide"),
    head: "lex+hist",
    order: Int32Array.from(order),
    scores: Float64Array.from(scores),
    raw: {} as Ranking["raw"],
    inputs: new Map(),
    words,
  }
}

test("[SEARCH-19] probabilities are between 0 and 1 and follow the order of the scores", () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ noNaN: true, min: -50, max: 50 }), { maxLength: 30 }),
      fc.double({ noNaN: true, min: 0, max: 9 }),
      (scores, rarity) => {
        const ranking = rankingOf(scores, [rarity, 1, 0])
        const values = relevanceOf(ranking)
        expect(values.every((it) => it >= 0 && it <= 1)).toBe(true)
        const inOrder = [...ranking.order].map((it) => values[it] ?? 0)
        expect(inOrder).toEqual(inOrder.toSorted((a, b) => b - a))
      },
    ),
    fcParameters({ numRuns: 300 }),
  )
})

test("[SEARCH-19] words that are in no file lower the probability", () => {
  const best = (rarities: readonly [number, number, number]) =>
    relevanceOf(rankingOf([5, 1, 0], rarities))[0] ?? 0
  expect(best([3, 3, 3])).toBeGreaterThan(best([3, 3, 0]))
  expect(best([3, 3, 0])).toBeGreaterThan(best([3, 0, 0]))
})

test("[SEARCH-19] a word that is in a file in another form does not lower the probability", () => {
  const ranking = rankingOf([5, 1, 0], [3, 0, 0])
  const without = relevanceOf(ranking)[0] ?? 0
  expect(relevanceOf(ranking, (word) => word === "berth")[0]).toBeGreaterThan(without)
  expect(relevanceOf(ranking, (word) => word === "quay")[0]).toBe(without)
})
