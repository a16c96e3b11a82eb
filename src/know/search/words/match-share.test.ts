import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import type { Ranking } from "../ranker/rank.ts"
import { shareOf } from "./match-share.ts"
import { readQuery } from "./words.ts"

/** A ranking of one term: the score of each file, and whether the word or a message supports it. */
function rankingOf(files: readonly (readonly [score: number, mark?: "word" | "vote"])[]): Ranking {
  const votes = Float64Array.from(files, ([, mark]) => (mark === "vote" ? 1 : 0))
  const matches = Uint8Array.from(files, ([, mark]) => (mark === "word" ? 1 : 0))
  const none = new Float64Array(files.length)
  return {
    query: readQuery("quay"),
    head: "lex+hist",
    order: new Int32Array(files.length),
    scores: Float64Array.from(files, ([score]) => score),
    raw: { touch: none } as Ranking["raw"],
    inputs: new Map([["msgvote", votes]]),
    words: { matches } as Ranking["words"],
  }
}

const many = (score: number, count: number) => Array.from({ length: count }, () => [score] as const)

describe("shareOf", () => {
  test("[SEARCH-14] the ordinary file and worse ones have 0, the best has 1", () => {
    const shares = shareOf(rankingOf([[7, "word"], [3, "word"], ...many(-1, 20), [-9]]))
    expect([...shares.slice(0, 3), shares.at(-1)]).toEqual([1, 0.5, 0, 0])
  })

  test("[SEARCH-14] the median file is ordinary when nearly all files share a word", () => {
    const common = Array.from({ length: 40 }, (_, at) => [at, "word"] as const)
    const shares = shareOf(rankingOf([...common, [-50]]))
    expect(shares.findIndex((it) => it > 0)).toBe(20)
    expect(shares[39]).toBe(1)
  })

  test("[SEARCH-14] a file without a match is ordinary in a small tree", () => {
    expect([...shareOf(rankingOf([[4, "word"], [2, "vote"], [0]]))]).toEqual([1, 0.5, 0])
    expect([
      ...shareOf(
        rankingOf([
          [4, "word"],
          [2, "word"],
        ]),
      ),
    ]).toEqual([1, 0.5])
    expect([...shareOf(rankingOf([[4], [2, "word"]]))]).toEqual([1, 0])
  })

  test("[SEARCH-14] words and history decide when all scores are equal", () => {
    expect([...shareOf(rankingOf([[2, "word"], [2], [2, "vote"]]))]).toEqual([1, 0, 1])
    expect([...shareOf(rankingOf([[2]]))]).toEqual([0])
    expect([...shareOf(rankingOf([]))]).toEqual([])
  })

  test("[SEARCH-14] shares are between 0 and 1 and follow the order of the scores", () => {
    const file = fc.tuple(
      fc.double({ noNaN: true, min: -1e6, max: 1e6 }),
      fc.constantFrom("word", "vote", undefined),
    )
    fc.assert(
      fc.property(fc.array(file, { minLength: 2, maxLength: 40 }), (files) => {
        const ranking = rankingOf(files.map(([score, mark]) => (mark ? [score, mark] : [score])))
        const shares = shareOf(ranking)
        const order = [...shares.keys()].toSorted(
          (a, b) => (ranking.scores[a] ?? 0) - (ranking.scores[b] ?? 0),
        )
        const rising = order.map((it) => shares[it] ?? Number.NaN)
        expect(rising.every((it) => it >= 0 && it <= 1)).toBe(true)
        const areAllEqual = new Set(ranking.scores).size === 1
        if (!areAllEqual) expect(rising).toEqual(rising.toSorted((a, b) => a - b))
        if (!areAllEqual) expect(rising.at(-1)).toBe(1)
      }),
      fcParameters({ numRuns: 200 }),
    )
  })
})
