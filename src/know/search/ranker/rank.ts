import { HeadNeedsTable } from "../errors.ts"
import { issueInputs } from "../issue/issue-features.ts"
import type { IssueTask } from "../issue/parse-issue.ts"
import type { PostingsOf } from "../postings.ts"
import type { Query } from "../words/words.ts"
import type { Corpus } from "./corpus.ts"
import { type Features, type Inputs, measureFeatures, type RawFeatures } from "./features.ts"
import { type Head, runNet, usesHistory, usesTable } from "./fusion.ts"
import { type History, prepareHistory } from "./history.ts"
import type { WordScores } from "./lexical.ts"
import type { Ranker } from "./load-ranker.ts"
import { orderOf } from "./order.ts"
import type { SemanticScores } from "./semantic-scores.ts"
import { correctOrder } from "./trees.ts"

export type SearchedTree = {
  readonly corpus: Corpus
  readonly postingsOf: PostingsOf
  readonly history?: History
  readonly meaning?: SemanticScores
}

export type Ranking = {
  readonly query: Query
  readonly head: Head
  readonly order: Int32Array
  /** Comparable only within one query. */
  readonly scores: Float64Array
  readonly raw: RawFeatures
  readonly inputs: Features["inputs"]
  readonly words: WordScores
}

type RankedTask = {
  readonly query: Query
  readonly issue?: IssueTask | undefined
  readonly head?: Head
}

/**
 * Without `head`, uses `issue` for a pasted issue, else the best head that the given signals allow:
 * a missing signal is unknown, not zero.
 */
export function rank(
  ranker: Ranker,
  tree: SearchedTree,
  { query, issue, head: requested }: RankedTask,
): Ranking {
  const { corpus, postingsOf } = tree
  const head = requested ?? (issue === undefined ? bestHead(ranker, tree) : "issue")
  const features = measureFeatures({
    query,
    corpus,
    postingsOf,
    history: usesHistory(head) ? (tree.history ?? prepareHistory([], corpus)) : undefined,
    meaning: usesTable(head) ? meaningFor(head, ranker, tree) : undefined,
  })
  const ranked = (inputs: Inputs, scores: Float64Array): Ranking => ({
    query,
    head,
    order: orderOf(scores),
    scores,
    ...features,
    inputs,
  })
  const scoresOf = (inputs: Inputs) => runNet(ranker.fusion[head], inputs, corpus.size)
  if (head !== "issue" || issue === undefined) {
    return ranked(features.inputs, scoresOf(features.inputs))
  }
  const inputs = issueInputs(issue, tree, features.inputs)
  const scores = scoresOf(inputs)
  return ranked(inputs, correctOrder(ranker.trees, inputs, { scores, order: orderOf(scores) }))
}

function bestHead({ table }: Ranker, { history, meaning }: SearchedTree): Head {
  const hasPast = history !== undefined && history.changes.length > 0
  const hasTable = table !== undefined && meaning !== undefined
  if (hasTable) return hasPast ? "all" : "lex+model"
  return hasPast ? "lex+hist" : "lex"
}

function meaningFor(head: Head, { table }: Ranker, { meaning }: SearchedTree) {
  if (table === undefined || meaning === undefined) throw HeadNeedsTable({ head })
  return { table, of: meaning }
}
