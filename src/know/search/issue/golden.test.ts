import { readFileSync } from "node:fs"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { fileCounts, indexFile } from "../index-terms.ts"
import { createPostings } from "../postings.ts"
import { prepareCorpus } from "../ranker/corpus.ts"
import { runNet } from "../ranker/fusion.ts"
import { prepareHistory } from "../ranker/history.ts"
import { loadRanker } from "../ranker/load-ranker.ts"
import { orderOf } from "../ranker/order.ts"
import { rank } from "../ranker/rank.ts"
import { correctOrder, runTrees } from "../ranker/trees.ts"
import { countMessageTerms, readQuery } from "../words/words.ts"
import { isIssue, parseIssue, withoutReferences } from "./parse-issue.ts"

type Weights = Readonly<Record<string, number>>

type Golden = {
  readonly files: Readonly<Record<string, string>>
  readonly history: readonly (readonly [string, readonly string[]])[]
  readonly cases: readonly {
    readonly task: string
    readonly clean: string
    readonly zones: Readonly<Record<string, Weights>>
    readonly ids: Weights
    readonly paths: Weights
    readonly frames: readonly (readonly [string, string])[]
    readonly jframes: readonly (readonly [string, string, string])[]
    readonly dot: Weights
    readonly imps: readonly (readonly [string, string])[]
    readonly nwords: number
    readonly ncode: number
    readonly gate: boolean
    readonly features: Readonly<Record<string, readonly number[]>>
    readonly score: readonly number[]
    readonly order: readonly string[]
  }[]
}

const golden = JSON.parse(
  readFileSync(
    path.join(import.meta.dirname, "../../../../models/ranker/issue-golden.json"),
    "utf8",
  ),
) as Golden
const goldenTrees = JSON.parse(
  readFileSync(
    path.join(import.meta.dirname, "../../../../models/ranker/issue-trees-golden.json"),
    "utf8",
  ),
) as readonly { readonly title: string; readonly sums: readonly number[] }[]
const TOLERANCE = 1e-4
const ranker = await loadRanker({ table: "leave" })

const CASES = golden.cases.map((it) => ({ ...it, title: it.task.trim().split("\n", 1)[0] }))

test.for(CASES)("[SEARCH-16] parts of the issue: $title", (expected) => {
  const issue = parseIssue(expected.task)
  expect({
    zones: Object.fromEntries(
      Object.entries(issue.zones).map(([zone, terms]) => [zone, Object.fromEntries(terms)]),
    ),
    ids: Object.fromEntries(issue.identifiers),
    paths: Object.fromEntries(issue.paths),
    frames: issue.pythonFrames.map((it) => [it.path, it.name]),
    jframes: issue.javaFrames.map((it) => [it.className, it.method, it.file]),
    dot: Object.fromEntries(issue.dottedNames),
    imps: issue.imports.map((it) => [it.module, it.name]),
    nwords: issue.wordCount,
    ncode: issue.codeWordCount,
    gate: isIssue(issue),
  }).toEqual({
    zones: expected.zones,
    ids: expected.ids,
    paths: expected.paths,
    frames: expected.frames,
    jframes: expected.jframes,
    dot: expected.dot,
    imps: expected.imps,
    nwords: expected.nwords,
    ncode: expected.ncode,
    gate: expected.gate,
  })
  expect(Object.fromEntries(countMessageTerms(withoutReferences(expected.task)))).toEqual(
    Object.fromEntries(countMessageTerms(expected.clean)),
  )
})

describe("inputs and scores of the reference, within 0.0001", () => {
  const tree = goldenTree()

  test.for(CASES)("[SEARCH-16] ranking for: $title", ({ task, features, score, order }) => {
    const issue = parseIssue(task)
    const query = readQuery(withoutReferences(task))
    const ranking = rank(ranker, tree, { query, issue })
    for (const [name, expected] of Object.entries(features)) {
      const input = ranking.inputs.get(name)
      for (const [at, value] of expected.entries()) {
        const actual = typeof input === "number" ? input : (input?.[at] ?? Number.NaN)
        const distance = Math.abs(actual - Math.max(value, 0))
        expect(distance, `${name} of ${tree.corpus.paths[at]}`).toBeLessThanOrEqual(TOLERANCE)
      }
    }
    const net = runNet(ranker.fusion.issue, ranking.inputs, tree.corpus.size)
    for (const [at, value] of score.entries()) {
      expect(Math.abs((net[at] ?? Number.NaN) - value)).toBeLessThanOrEqual(TOLERANCE)
    }
    expect([...orderOf(net)].map((at) => tree.corpus.paths[at])).toEqual(order)
    const corrected = correctOrder(ranker.trees, ranking.inputs, {
      scores: net,
      order: orderOf(net),
    })
    expect(ranking.scores).toEqual(corrected)
    expect(ranking.scores.toSorted()).toEqual(net.toSorted())
  })
})

test("[SEARCH-22] trees change the order of a pasted issue", () => {
  const tree = goldenTree()
  const areChanged = CASES.map(({ task, order }) => {
    const query = readQuery(withoutReferences(task))
    const ranking = rank(ranker, tree, { query, issue: parseIssue(task) })
    return [...ranking.order].some((at, place) => tree.corpus.paths[at] !== order[place])
  })
  expect(areChanged).toContain(true)
})

test.for(CASES)("[SEARCH-22] sums of the trees by LightGBM: $title", ({ features, title }) => {
  const sums = goldenTrees.find((it) => it.title === title)?.sums ?? []
  expect(sums).toHaveLength(Object.keys(golden.files).length)
  const inputs = new Map(
    Object.entries(features).map(([name, values]) => [
      name,
      Float64Array.from(sums, (_, at) => Math.max(values[at] ?? values[0] ?? 0, 0)),
    ]),
  )
  const own = runTrees(ranker.trees, inputs, Int32Array.from(sums.keys()))
  for (const [at, sum] of sums.entries()) {
    expect(Math.abs((own[at] ?? Number.NaN) - sum)).toBeLessThanOrEqual(TOLERANCE)
  }
})

function goldenTree() {
  const files = Object.entries(golden.files).map(([file, text]) => ({
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
  const commits = golden.history.map(([message, paths]) => ({
    message: withoutReferences(message),
    files: paths,
  }))
  return { corpus, postingsOf: postings.of, history: prepareHistory(commits, corpus) }
}
