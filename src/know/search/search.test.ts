import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { measureSymbols } from "./bm25f.ts"
import { NothingToSearch, WeightsInvalid } from "./errors.ts"
import { fileCounts, indexFile, indexSymbol } from "./index-terms.ts"
import { createPostings } from "./postings.ts"
import { prepareCorpus } from "./ranker/corpus.ts"
import { type Commit, prepareHistory } from "./ranker/history.ts"
import { loadRanker } from "./ranker/load-ranker.ts"
import { rank } from "./ranker/rank.ts"
import { reasonsFor } from "./reasons.ts"
import { createSearch } from "./search.ts"
import { LIFT_WEIGHTS, lift } from "./second-stage.ts"
import { readQuery } from "./words/words.ts"

const ranker = await loadRanker({ table: "leave" })
const search = createSearch({ ranker })

function treeOf(files: Readonly<Record<string, string>>, commits: readonly Commit[] = []) {
  const postings = createPostings(2)
  const entries = Object.entries(files).map(([path, text], content) => {
    const terms = indexFile(text)
    postings.put(content, fileCounts(terms))
    return { path, content, bodyLength: terms.bodyLength }
  })
  const corpus = prepareCorpus(entries)
  return { corpus, postingsOf: postings.of, history: prepareHistory(commits, corpus) }
}

const FILES = {
  "src/price/rounding.ts": "export function rounding(value) { return half(value) }",
  "src/price/tax.ts": "export function tax(value) { return value }",
  "src/user/login.ts": "export function login(name) { return session(name) }",
  "src/user/session.ts": "export function session(name) { return name }",
  "docs/guide.ts": "how the rounding of a value is done",
}
const COMMITS = [
  { message: "Rounding of half a cent", files: ["src/price/rounding.ts", "src/price/tax.ts"] },
  { message: "Sessions end at midnight", files: ["src/user/session.ts"] },
]

describe("reasons of a match", () => {
  test("[SEARCH-10] words by field come first, then history, then neighbours", () => {
    const { head, files } = search.files("Rounding loses half a cent", treeOf(FILES, COMMITS), {
      most: 4,
    })
    expect(head).toBe("lex+hist")
    const reasons = Object.fromEntries(files.map((it) => [it.path, it.reasons]))
    expect(reasons).toMatchInlineSnapshot(`
      {
        "docs/guide.ts": [
          "matches 'rounding' in text",
        ],
        "src/price/rounding.ts": [
          "matches 'rounding' in name and path",
          "changed in similar commits",
        ],
        "src/price/tax.ts": [
          "changed together in similar commits",
          "next to a matching file",
        ],
        "src/user/session.ts": [
          "no match; by size and path",
        ],
      }
    `)
  })

  test("[SEARCH-10] one field lists two words, two fields one word each", () => {
    const files = { "a/quay_tug.ts": "", "b/quay.ts": "class Quay {}", "c/d.ts": "quay tug berth" }
    const result = search.files("quay tug berth", treeOf(files), { most: 3 })
    const reasons = Object.fromEntries(result.files.map((it) => [it.path, it.reasons[0]]))
    expect(reasons).toMatchInlineSnapshot(`
      {
        "a/quay_tug.ts": "matches 'tug', 'quay' in path",
        "b/quay.ts": "matches 'quay' in name and path",
        "c/d.ts": "matches 'berth', 'tug' in text",
      }
    `)
  })

  test("[SEARCH-10] every match has one to three reasons of at most six words", () => {
    const word = fc.constantFrom(..."price tax user login session value guide half".split(" "))
    const text = fc.array(word, { maxLength: 8 }).map((it) => it.join(" "))
    const path = fc.tuple(fc.constantFrom("a", "b"), word, word).map((it) => it.join("/"))
    const files = fc.dictionary(path, text, { minKeys: 1, maxKeys: 14, noNullPrototype: true })
    const commits = fc.array(
      fc.record({ message: text, files: fc.uniqueArray(path, { maxLength: 5 }) }),
      { maxLength: 8 },
    )
    fc.assert(
      fc.property(files, commits, word, (all, past, task) => {
        const result = search.files(task, treeOf(all, past), { most: 50, lift: LIFT_WEIGHTS })
        expect(result.files).toHaveLength(Object.keys(all).length)
        for (const { reasons } of result.files) {
          expect(reasons.length).toSatisfy((it: number) => it >= 1 && it <= 3)
          for (const it of reasons) expect(it.split(" ").length, it).toBeLessThanOrEqual(6)
        }
      }),
      fcParameters({ numRuns: 150 }),
    )
  })

  test.for([
    ["coChange", "changes together with a top match"],
    ["stem", "named like a top match"],
    ["folder", "in the folder of a match"],
  ] as const)("[SEARCH-10] a file that rose by %s has that reason", ([tie, reason]) => {
    const tree = treeOf({ "a/tug.ts": "tug", "b/quay.ts": "pier" })
    const ranking = rank(ranker, tree, { query: readQuery("tug") })
    const none = { coChange: 0, folder: 0, stem: 0 }
    const file = { position: 1, rankBefore: 20, ties: { ...none, [tie]: 0.5 } }
    expect(reasonsFor(ranking, file)).toEqual([reason])
    expect(reasonsFor(ranking, { ...file, rankBefore: 9 })).toEqual(["no match; by size and path"])
  })

  test("[SEARCH-10] a file needs at least three changes for the reason `changed often recently`", () => {
    const tree = (times: number) =>
      treeOf(
        { "a/tug.ts": "tug", "b/quay.ts": "pier" },
        Array.from({ length: times }, () => ({ message: "pier", files: ["b/quay.ts"] })),
      )
    const reasonsAfter = (times: number) =>
      search.files("tug", tree(times), { most: 2 }).files.find((it) => it.position === 1)?.reasons
    expect(reasonsAfter(2)).toEqual(["no match; by size and path"])
    expect(reasonsAfter(3)).toEqual(["changed often recently"])
  })

  test("[SEARCH-10] a long term is truncated", () => {
    const long = "q".repeat(70)
    const result = search.files(long, treeOf({ "a.ts": long }), { most: 1 })
    expect(result.files[0]?.reasons[0]).toBe(`matches '${"q".repeat(40)}' in text`)
  })
})

describe("invalid queries", () => {
  test.for(["", "   \n", "fix it: 123 ?", "a b c", "日本語"])(
    "[SEARCH-11] rejects the task %j with a hint",
    (task) => {
      const ask = () => search.files(task, treeOf(FILES), { most: 5 })
      expect(ask).toThrow(expect.objectContaining({ code: NothingToSearch.code }))
    },
  )

  test("[SEARCH-11] a task of 1 MB has a result", () => {
    const task = "rounding value half ".repeat(50_000)
    const { files } = search.files(task, treeOf(FILES), { most: 1 })
    expect(files.map((it) => it.path)).toEqual(["src/price/rounding.ts"])
  })

  test.for([Number.NaN, -0.1, Number.POSITIVE_INFINITY])(
    "[SEARCH-11] rejects a tie weight of %d",
    (coChange) => {
      const weights = { ...LIFT_WEIGHTS, coChange }
      const ask = () => search.files("rounding", treeOf(FILES), { most: 1, lift: weights })
      expect(ask).toThrow(expect.objectContaining({ code: WeightsInvalid.code }))
    },
  )

  test("[SEARCH-4] searches symbols with the same query", () => {
    const texts = ["tax", "rounding"].map((name) =>
      indexSymbol({ path: "a.ts", name, signature: name, comments: "", body: "" }),
    )
    const postings = createPostings(5)
    for (const [number, { counts }] of texts.entries()) postings.put(number, counts)
    const index = { postingsOf: postings.of, lengths: measureSymbols(texts) }
    expect(search.symbols("Rounding", index, { most: 5 }).map((it) => it.symbol)).toEqual([1])
    expect(search.symbols("Rounding tax", index, { most: 1 })).toHaveLength(1)
    expect(() => search.symbols("", index, { most: 5 })).toThrow(
      expect.objectContaining({ code: NothingToSearch.code }),
    )
  })
})

describe("the second stage", () => {
  const paths = Array.from({ length: 70 }, (_, at) => `f${at}/name${at}.ts`)
  const order = Int32Array.from(paths, (_, at) => at)

  function liftedRanks(
    tree: { paths: readonly string[]; commits?: readonly Commit[] },
    weights = LIFT_WEIGHTS,
  ) {
    const corpus = prepareCorpus(
      tree.paths.map((path, content) => ({ path, content, bodyLength: 1 })),
    )
    const history = prepareHistory(tree.commits ?? [], corpus)
    return lift({ order }, { corpus, history }, weights).map((it) => it.rankBefore)
  }

  function replaced(at: number, path: string): readonly string[] {
    return paths.with(at, path)
  }

  test("[SEARCH-12] changes nothing without ties or with weights of 0", () => {
    const still = Array.from({ length: 50 }, (_, at) => at)
    expect(liftedRanks({ paths })).toEqual(still)
    const tied = replaced(30, "f0/name0.h")
    expect(liftedRanks({ paths: tied }, { coChange: 0, folder: 0, stem: 0 })).toEqual(still)
    expect(liftedRanks({ paths: tied })).not.toEqual(still)
  })

  test.for([
    ["coChange", paths, 1],
    ["folder", paths.with(30, "f0/other.ts"), 0],
    ["stem", paths.with(30, "include/name0.h"), 0],
  ] as const)("[SEARCH-12] %s raises a file, and only by its own weight", ([tie, of, isPast]) => {
    const commits =
      isPast === 1
        ? Array.from({ length: 5 }, () => ({ message: "", files: [of[0]!, of[30]!] }))
        : []
    const off = { coChange: 0, folder: 0, stem: 0 }
    const placeOf30 = (weights: typeof LIFT_WEIGHTS) =>
      liftedRanks({ paths: of, commits }, weights).indexOf(30)
    expect(placeOf30({ ...off, [tie]: 0.3 })).toBeLessThan(30)
    expect(placeOf30({ ...LIFT_WEIGHTS, [tie]: 0 })).toBe(30)
  })

  test("[SEARCH-12] does not move a file after the fiftieth, or one tied to the eleventh", () => {
    expect(liftedRanks({ paths: replaced(60, "f0/name0.h") })).toHaveLength(50)
    expect(liftedRanks({ paths: replaced(40, "f10/name10.h") }).indexOf(40)).toBe(40)
  })

  test("[SEARCH-12] ignores a stem that many files share", () => {
    const many = paths.map((path, at) => (at % 10 === 0 ? `f${at}/index.ts` : path))
    expect(liftedRanks({ paths: many }).indexOf(30)).toBe(30)
  })

  test("[SEARCH-12] returns every file once", () => {
    const all = Object.fromEntries(
      paths.map((path, at) => [path, `quay ${"tug ".repeat(70 - at)}`]),
    )
    const tree = treeOf({ ...all, "include/name0.h": "quay" })
    const result = search.files("tug quay", tree, { most: 100, lift: LIFT_WEIGHTS })
    expect(new Set(result.files.map((it) => it.path)).size).toBe(71)
    expect(result.files).toHaveLength(71)
  })
})
