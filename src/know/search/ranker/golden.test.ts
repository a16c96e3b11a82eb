import { readFileSync } from "node:fs"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { fileCounts, indexFile } from "../index-terms.ts"
import { createPostings } from "../postings.ts"
import { readQuery } from "../words/words.ts"
import { prepareCorpus } from "./corpus.ts"
import { HEADS, type Head } from "./fusion.ts"
import { prepareHistory } from "./history.ts"
import { loadRanker } from "./load-ranker.ts"
import { rank } from "./rank.ts"
import { meaningOf, prepareMeaning, queryVector } from "./semantic-scores.ts"

type Golden = {
  readonly tolerance: number
  readonly texts: readonly {
    readonly text: string
    readonly tokens: readonly string[]
    readonly ids: readonly number[]
    readonly sum: number
    readonly abs: number
    readonly head: readonly number[]
  }[]
  readonly corpus: Readonly<Record<string, string>>
  readonly history: readonly (readonly [string, readonly string[]])[]
  readonly pairs: readonly {
    readonly task: string
    readonly file: string
    readonly raw: Readonly<Record<string, number>>
    readonly x: Readonly<Record<string, number>>
    readonly score: Readonly<Record<Head, number>>
  }[]
}

const golden = JSON.parse(
  readFileSync(path.join(import.meta.dirname, "../../../../models/ranker/golden.json"), "utf8"),
) as Golden
const ranker = await loadRanker({ table: "load" })
const table = ranker.table!

function goldenTree() {
  const files = Object.entries(golden.corpus).map(([file, text]) => ({
    file,
    terms: indexFile(text),
  }))
  const postings = createPostings(2)
  for (const [content, { terms }] of files.entries()) postings.put(content, fileCounts(terms))
  const corpus = prepareCorpus(
    files.map(({ file, terms }, content) => ({
      path: file,
      content,
      bodyLength: terms.bodyLength,
    })),
  )
  const vectors = files.map(({ file, terms }) => meaningOf(table, file, terms))
  return {
    corpus,
    postingsOf: postings.of,
    history: prepareHistory(
      golden.history.map(([message, paths]) => ({ message, files: paths })),
      corpus,
    ),
    meaning: prepareMeaning(table, corpus, (position) => vectors[position]!),
  }
}

function expectNear(actual: number | undefined, expected: number, what: string): void {
  expect(Math.abs((actual ?? Number.NaN) - expected), what).toBeLessThanOrEqual(golden.tolerance)
}

describe("terms and vectors of the reference", () => {
  test.for(golden.texts)("[SEARCH-1] terms of: $text", ({ text, tokens, ids }) => {
    const { terms } = readQuery(text)
    expect(terms).toEqual(tokens)
    expect(terms.map((it) => table.rowByWord.get(it) ?? -1)).toEqual(ids)
  })

  test.for(golden.texts)("[SEARCH-6] vector of: $text", ({ text, sum, abs, head }) => {
    const vector = queryVector(table, readQuery(text))
    expectNear(
      vector.reduce((all, it) => all + it, 0),
      sum,
      "sum",
    )
    expectNear(
      vector.reduce((all, it) => all + Math.abs(it), 0),
      abs,
      "abs",
    )
    for (const [index, expected] of head.entries()) expectNear(vector[index], expected, `${index}`)
  })
})

describe("scores of the reference, within 0.0001", () => {
  const tree = goldenTree()

  test.for(golden.pairs)(
    "[SEARCH-6] score of $file for: $task",
    ({ task, file, raw, x, score }) => {
      const position = tree.corpus.positionByPath.get(file)!
      const query = readQuery(task)
      const all = rank(ranker, tree, { query, head: "all" })
      for (const [name, expected] of Object.entries(raw)) {
        expectNear(all.raw[name as keyof typeof all.raw]?.[position], expected, `raw ${name}`)
      }
      for (const [name, expected] of Object.entries(x)) {
        const input = all.inputs.get(name)
        expectNear(typeof input === "number" ? input : input?.[position], expected, `input ${name}`)
      }
      for (const head of HEADS) {
        const { scores } = rank(ranker, tree, { query, head })
        expectNear(scores[position], score[head], head)
      }
    },
  )
})
