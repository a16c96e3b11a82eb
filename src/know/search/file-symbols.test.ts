import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { BM25F_WEIGHTS, measureSymbols, scoreSymbols } from "./bm25f.ts"
import { rarityIn, type SearchedFile, scoreFileSymbols } from "./file-symbols.ts"
import { indexSymbol } from "./index-terms.ts"
import { createPostings } from "./postings.ts"
import { prepareCorpus } from "./ranker/corpus.ts"
import { readQuery } from "./words/words.ts"

const COMMON = { fileCount: 100, documentFrequency: () => 10 }

function fileOf(text: string, symbols: SearchedFile["symbols"] = []): SearchedFile {
  const segments = text.split("\n").map((_, index) => ({
    fromLine: index + 1,
    toLine: index + 1,
    symbol: index < symbols.length ? index : undefined,
  }))
  return { path: "src/x.ts", text, symbols, segments }
}

async function bestOf(task: string, file: SearchedFile): Promise<number> {
  const [scores = []] = await scoreFileSymbols(readQuery(task), [file], COMMON)
  return scores.indexOf(Math.max(...scores))
}

describe("scoreFileSymbols", () => {
  test("[SEARCH-15] a name counts more than a signature, a signature more than a comment or a body", async () => {
    const other = { name: "f", signature: "f()" }
    const named = { name: "quay", signature: "f()" }
    const signed = { name: "f", signature: "f(quay)" }
    const documented = { name: "f", signature: "f()", doc: "quay" }
    const file = fileOf("a\nb\nc\nd\nquay", [other, named, signed, documented])
    const [scores = []] = await scoreFileSymbols(readQuery("quay"), [file], COMMON)
    expect(scores[0]).toBe(0)
    const order = [...scores.keys()].toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0))
    expect(order).toEqual([1, 2, 3, 4, 0])
  })

  test("[SEARCH-15] lines outside any symbol are scored by their own words", async () => {
    expect(
      await bestOf("register the tug", fileOf("const a = 1\nregister(tug)\nconst b = 2")),
    ).toBe(1)
  })

  test("[SEARCH-15] the words of a nested symbol do not count for the outer one", async () => {
    const symbols = [
      { name: "Outer", signature: "class Outer" },
      { name: "inner", signature: "inner()", parent: "Outer" },
    ]
    const segments = [
      { fromLine: 1, toLine: 1, symbol: 0 },
      { fromLine: 2, toLine: 3, symbol: 1 },
      { fromLine: 4, toLine: 4, symbol: 0 },
    ]
    const file = { path: "x.ts", text: "class\n inner\n  quay\n end", symbols, segments }
    const [own = []] = await scoreFileSymbols(readQuery("quay"), [file], COMMON)
    expect(own.map((it) => it > 0)).toEqual([false, true, false])
    const [ofClass = []] = await scoreFileSymbols(readQuery("outer"), [file], COMMON)
    expect(ofClass.every((it) => it > 0)).toBe(true)
  })

  test("[SEARCH-15] the last word of a line does not count for the next segment", async () => {
    const [scores = []] = await scoreFileSymbols(
      readQuery("tug"),
      [fileOf("a tug\nb\r\ntug")],
      COMMON,
    )
    expect(scores.map((it) => it > 0)).toEqual([true, false, true])
  })

  test("[SEARCH-15] a word that few files of the tree have counts more", async () => {
    const rarity = {
      fileCount: 1_000,
      documentFrequency: (it: string) => (it === "tug" ? 900 : 2),
    }
    const [scores = []] = await scoreFileSymbols(
      readQuery("tug quay"),
      [fileOf("tug\nquay")],
      rarity,
    )
    expect(scores[1]).toBeGreaterThan(10 * (scores[0] ?? 0))
  })

  test("[SEARCH-15] document counts include each copy of a file in the tree once", async () => {
    const entry = { bodyLength: 1 }
    const corpus = prepareCorpus([
      { ...entry, path: "a", content: 3 },
      { ...entry, path: "b", content: 5 },
      { ...entry, path: "c", content: 3 },
    ])
    const rows: Readonly<Record<string, readonly number[]>> = {
      tug: [1, 1, 0, 3, 2, 1, 9, 1, 1],
      quay: [3, 1, 0, 5, 1, 0],
    }
    const { fileCount, documentFrequency } = rarityIn(corpus, (it) => rows[it] ?? [])
    expect([fileCount, ...["tug", "quay", "pier"].map(documentFrequency)]).toEqual([3, 2, 3, 0])
  })

  test("[SEARCH-15] segments that end before or after the text are scored on their existing lines", async () => {
    const file = { ...fileOf("a\nb"), segments: [{ fromLine: 2, toLine: 9 }] }
    expect(await scoreFileSymbols(readQuery("bc"), [file], COMMON)).toEqual([[0]])
    expect(await scoreFileSymbols(readQuery("bc"), [{ ...file, segments: [] }], COMMON)).toEqual([
      [],
    ])
    expect(await scoreFileSymbols(readQuery("bc"), [], COMMON)).toEqual([])
  })

  test("[SEARCH-15] scores equal those of BM25F over the same symbols", async () => {
    const word = fc.constantFrom("quay", "tug", "berth", "cargoPilot", "cargo")
    const words = fc.array(word, { minLength: 1, maxLength: 5 }).map((it) => it.join(" "))
    const symbol = fc.record({ name: words, signature: words, doc: words, body: words })
    await fc.assert(
      fc.asyncProperty(
        fc.array(symbol, { minLength: 1, maxLength: 6 }),
        words,
        async (symbols, task) => {
          const query = readQuery(task)
          const file = fileOf(symbols.map((it) => it.body).join("\n"), symbols)
          const postings = createPostings(5)
          const indexed = symbols.map((it) =>
            indexSymbol({ ...it, path: file.path, comments: it.doc }),
          )
          for (const [number, { counts }] of indexed.entries()) postings.put(number, counts)
          const expected = scoreSymbols(query, {
            postingsOf: postings.of,
            lengths: measureSymbols(indexed),
          })
          const rarity = {
            fileCount: symbols.length,
            documentFrequency: (term: string) => postings.of(term).length / 6,
          }
          const [scores = []] = await scoreFileSymbols(query, [file], rarity)
          for (const { symbol: number, score } of expected) {
            expect(scores[number]).toBeCloseTo(score, 9)
          }
          expect(scores.filter((it) => it > 0)).toHaveLength(expected.length)
        },
      ),
      fcParameters({ numRuns: 100 }),
    )
    expect(BM25F_WEIGHTS.k1).toBeGreaterThan(0)
  })
})
