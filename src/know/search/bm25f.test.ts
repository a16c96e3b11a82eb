import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { BM25F_WEIGHTS, measureSymbols, scoreSymbols, scoreTermGroups } from "./bm25f.ts"
import { WeightsInvalid } from "./errors.ts"
import { indexSymbol, type SymbolText } from "./index-terms.ts"
import { createPostings } from "./postings.ts"
import { readQuery } from "./words/words.ts"

const EMPTY: SymbolText = { path: "", name: "", signature: "", comments: "", body: "" }

function indexOf(symbols: readonly Partial<SymbolText>[]) {
  const indexed = symbols.map((it) => indexSymbol({ ...EMPTY, ...it }))
  const postings = createPostings(5)
  for (const [number, { counts }] of indexed.entries()) postings.put(number, counts)
  return { postingsOf: postings.of, lengths: measureSymbols(indexed) }
}

function orderFor(task: string, symbols: readonly Partial<SymbolText>[]): readonly number[] {
  return scoreSymbols(readQuery(task), indexOf(symbols)).map((it) => it.symbol)
}

const word = fc.constantFrom("quay", "tug", "berth", "cargo", "pilot")
const words = fc.array(word, { maxLength: 6 }).map((it) => it.join(" "))
const symbol = fc.record({
  path: words,
  name: words,
  signature: words,
  comments: words,
  body: words,
})

describe("BM25F over symbols", () => {
  test("[SEARCH-4] a name counts more than a signature, a signature more than a body", () => {
    const symbols = [
      { body: "roundPrice" },
      { signature: "roundPrice" },
      { name: "roundPrice" },
      { body: "other" },
    ]
    expect(orderFor("round the price", symbols)).toEqual([2, 1, 0])
  })

  test("[SEARCH-4] a rare word counts more than a common one", () => {
    const symbols = [{ body: "tug" }, { body: "tug" }, { body: "quay" }, { body: "tug" }]
    expect(orderFor("tug quay", symbols)[0]).toBe(2)
  })

  test("[SEARCH-4] equal scores stay in the order of the tree", () => {
    expect(orderFor("quay", [{ name: "quay" }, { name: "quay" }, { name: "quay" }])).toEqual([
      0, 1, 2,
    ])
  })

  test("[SEARCH-4] the score equals the formula, term by term", () => {
    fc.assert(
      fc.property(fc.array(symbol, { minLength: 1, maxLength: 8 }), words, (symbols, task) => {
        const scores = new Map(
          scoreSymbols(readQuery(task), indexOf(symbols)).map((it) => [it.symbol, it.score]),
        )
        for (const [number, expected] of byFormula(symbols, task).entries()) {
          expect(scores.get(number) ?? 0).toBeCloseTo(expected, 9)
        }
      }),
      fcParameters({ numRuns: 200 }),
    )
  })

  test("[SEARCH-4] a symbol without a common word changes no other score, for one word and equal lengths", () => {
    const fixed = fc.array(word, { minLength: 4, maxLength: 4 }).map((it) => it.join(" "))
    const equal = fc.record({
      path: fixed,
      name: fixed,
      signature: fixed,
      comments: fixed,
      body: fixed,
    })
    const text = "crane crane crane crane"
    const stranger = { path: text, name: text, signature: text, comments: text, body: text }
    fc.assert(
      fc.property(fc.array(equal, { minLength: 1, maxLength: 9 }), word, (symbols, task) => {
        expect(orderFor(task, [...symbols, stranger])).toEqual(orderFor(task, symbols))
      }),
      fcParameters({ numRuns: 200 }),
    )
  })

  test.for([
    ["k1", { ...BM25F_WEIGHTS, k1: Number.NaN }],
    ["name.weight", { ...BM25F_WEIGHTS, name: { weight: -1, b: 0.4 } }],
    ["body.b", { ...BM25F_WEIGHTS, body: { weight: 1, b: 1.5 } }],
    ["path.weight", { ...BM25F_WEIGHTS, path: { weight: Number.POSITIVE_INFINITY, b: 0 } }],
  ] as const)("[SEARCH-11] rejects an invalid %s", ([name, weights]) => {
    expect(() => scoreSymbols(readQuery("quay"), indexOf([{ name: "quay" }]), weights)).toThrow(
      expect.objectContaining({
        code: WeightsInvalid.code,
        data: expect.objectContaining({ name }),
      }),
    )
  })

  test("[SEARCH-7] an outdated table of lengths causes no NaN", () => {
    const { postingsOf } = indexOf([{ body: "quay" }, { name: "quay quay" }])
    const lengths = measureSymbols([{ lengths: [0, 0, 0, 0, 0] }, { lengths: [0, 0, 0, 0, 0] }])
    const full = { ...BM25F_WEIGHTS, body: { weight: 1, b: 1 }, name: { weight: 0, b: 1 } }
    const scored = scoreSymbols(readQuery("quay"), { postingsOf, lengths }, full)
    expect(scored.every((it) => Number.isFinite(it.score))).toBe(true)
  })
})

function byFormula(symbols: readonly SymbolText[], task: string): readonly number[] {
  const fields = ["path", "name", "signature", "comments", "body"] as const
  const wordsIn = (text: string) => text.split(" ").filter((it) => it !== "")
  const queryTerms = Map.groupBy(wordsIn(task), (it) => it)
  const mean = (field: (typeof fields)[number]) => {
    const lengths = symbols.map((it) => wordsIn(it[field]).length).filter((it) => it > 0)
    return lengths.reduce((sum, it) => sum + it, 0) / Math.max(1, lengths.length)
  }
  const holds = (it: SymbolText, term: string) => fields.some((f) => wordsIn(it[f]).includes(term))
  return symbols.map((it) => {
    let score = 0
    for (const [term, times] of queryTerms) {
      const df = symbols.filter((other) => holds(other, term)).length
      const idf = Math.log(1 + (symbols.length - df + 0.5) / (df + 0.5))
      let tf = 0
      for (const field of fields) {
        const { weight, b } = BM25F_WEIGHTS[field]
        const inField = wordsIn(it[field])
        const count = inField.filter((w) => w === term).length
        if (count > 0) tf += (weight * count) / (1 - b + (b * inField.length) / mean(field))
      }
      score += (idf * Math.sqrt(Math.min(times.length, 3)) * tf) / (tf + BM25F_WEIGHTS.k1)
    }
    return score
  })
}

test("[SEARCH-21] of a group of words only the best match of a text counts", () => {
  const index = indexOf([{ body: "quay" }, { body: "quay berth" }, { body: "berth" }])
  const members = [
    { term: "quay", weight: 1 },
    { term: "berth", weight: 0.5 },
  ]
  const scores = new Map(
    scoreTermGroups([{ rarity: 2, members }], index).map((it) => [it.symbol, it.score]),
  )
  const alone = new Map(
    scoreTermGroups([{ rarity: 2, members: members.slice(0, 1) }], index).map((it) => [
      it.symbol,
      it.score,
    ]),
  )
  expect(scores.get(0)).toBe(alone.get(0))
  expect(scores.get(1)).toBe(alone.get(1))
  expect(scores.get(2)).toBeGreaterThan(0)
  expect(scores.get(2)).toBeLessThan(scores.get(0) ?? 0)
})
