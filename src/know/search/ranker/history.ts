import { MOST_COMMITS } from "../limits.ts"
import { countMessageTerms, type Query } from "../words/words.ts"
import { type Corpus, dampersOf } from "./corpus.ts"
import { mean } from "./order.ts"

/** A longer message quotes a log; 3,000 messages must be read quickly. */
const LONGEST_MESSAGE_UNITS = 10_000

export type Commit = { readonly message: string; readonly files: readonly string[] }

/** A commit that changed files of the tree, up to `MOST_COMMIT_FILES`. */
type PastChange = {
  readonly positions: readonly number[]
  readonly fileCount: number
  readonly termCount: number
}

export type History = {
  readonly changes: readonly PastChange[]
  readonly changesByTerm: ReadonlyMap<string, readonly number[]>
  readonly changesByFile: readonly (readonly number[])[]
  /** By position: log of the number of changes, with older commits weighted less. */
  readonly touches: Float64Array
  readonly messageDampers: Float64Array
  readonly coverage: number
}

/** A larger commit is a mass edit. */
const MOST_COMMIT_FILES = 20

/** Halves after about 350 commits. */
const DECAY_A_COMMIT = 0.998

export function prepareHistory(commits: readonly Commit[], corpus: Corpus): History {
  const changes: PastChange[] = []
  const changesByTerm = new Map<string, number[]>()
  const changesByFile: number[][] = corpus.paths.map(() => [])
  const touches = new Float64Array(corpus.size)
  // A wide commit divides its words among its files.
  const messageLengths = new Float64Array(corpus.size)
  let freshness = 1
  for (const { message, files } of commits.slice(0, MOST_COMMITS)) {
    freshness *= DECAY_A_COMMIT
    const positions = files.length > MOST_COMMIT_FILES ? [] : positionsOf(files, corpus)
    if (positions.length === 0) continue
    const terms = [...countMessageTerms(message.slice(0, LONGEST_MESSAGE_UNITS)).keys()]
    const share = changeShare(files.length)
    for (const position of positions) {
      touches[position] = (touches[position] ?? 0) + freshness
      messageLengths[position] = (messageLengths[position] ?? 0) + terms.length * share
      changesByFile[position]?.push(changes.length)
    }
    for (const term of terms) listUnder(changesByTerm, term, changes.length)
    changes.push({ positions, fileCount: files.length, termCount: terms.length })
  }
  return {
    changes,
    changesByTerm,
    changesByFile,
    touches: touches.map((it) => Math.log1p(it)),
    messageDampers: dampersOf(messageLengths, { b: 0.5, mean: mean(messageLengths) }),
    coverage: mean(touches.map((it) => (it > 0 ? 1 : 0))),
  }
}

function changeShare(fileCount: number): number {
  return 1 / Math.sqrt(fileCount)
}

function positionsOf(files: readonly string[], corpus: Corpus): readonly number[] {
  return files.flatMap((file) => corpus.positionByPath.get(file) ?? [])
}

function listUnder(lists: Map<string, number[]>, key: string, value: number): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}

type PastScores = {
  readonly hist: Float64Array
  readonly touch: Float64Array
  readonly cochg: Float64Array
  readonly msgvote: Float64Array
}

type PastInput = {
  readonly query: Query
  readonly corpus: Corpus
  readonly history: History
  readonly rarity: Float64Array
  readonly fullRarity: number
  readonly strengths: Float64Array
  readonly best: Int32Array
}

export function scorePast(input: PastInput): PastScores {
  return {
    hist: searchMessages(input),
    touch: input.history.touches,
    cochg: changedTogether(input),
    msgvote: voteByMessage(input),
  }
}

function searchMessages({ query, corpus, history, rarity }: PastInput): Float64Array {
  const scores = new Float64Array(corpus.size)
  const k = history.messageDampers
  for (const [term, word] of query.terms.entries()) {
    const weight = (rarity[term] ?? 0) * (query.weights[term] ?? 0)
    for (const [at, count] of mentions(history, word)) {
      scores[at] = (scores[at] ?? 0) + ((count * 2.2) / (count + (k[at] ?? 0))) * weight
    }
  }
  return scores
}

function mentions(history: History, word: string): ReadonlyMap<number, number> {
  const counts = new Map<number, number>()
  for (const { positions, fileCount } of changesWith(history, word)) {
    const share = changeShare(fileCount)
    for (const at of positions) counts.set(at, (counts.get(at) ?? 0) + share)
  }
  return counts
}

function changesWith({ changes, changesByTerm }: History, word: string) {
  return (changesByTerm.get(word) ?? []).flatMap((it) => changes[it] ?? [])
}

/** Number of best files that contribute co-changed files. */
const HOSTS = 12

function changedTogether({ corpus, history, strengths, best }: PastInput): Float64Array {
  const scores = new Float64Array(corpus.size)
  for (const host of best.subarray(0, HOSTS)) {
    const weight = (strengths[host] ?? 0) ** 2
    if (weight === 0) continue
    for (const [companion, share] of companionsOf(history, host)) {
      scores[companion] = (scores[companion] ?? 0) + weight * share
    }
  }
  return scores
}

/**
 * Files changed in the same commits, each with its share of the host's commits. Adds three commits
 * to the denominator, so that a single one has little weight.
 */
export function companionsOf(history: History, host: number): ReadonlyMap<number, number> {
  const own = history.changesByFile[host] ?? []
  const counts = new Map<number, number>()
  for (const change of own) {
    for (const at of history.changes[change]?.positions ?? []) {
      if (at !== host) counts.set(at, (counts.get(at) ?? 0) + 1)
    }
  }
  return new Map([...counts].map(([at, count]) => [at, count / (own.length + 3)]))
}

const VOTERS = 40

function voteByMessage({ query, corpus, history, rarity, fullRarity }: PastInput): Float64Array {
  const votes = new Float64Array(corpus.size)
  const likeness = new Float64Array(history.changes.length)
  for (const [term, word] of query.terms.entries()) {
    const weight = (rarity[term] ?? 0) * (query.weights[term] ?? 0)
    for (const change of history.changesByTerm.get(word) ?? []) {
      likeness[change] = (likeness[change] ?? 0) + weight
    }
  }
  const voters = history.changes
    .map((change, index) => ({ change, likeness: alike(likeness[index] ?? 0, change.termCount) }))
    .filter((it) => it.likeness > 0)
    .toSorted((a, b) => b.likeness - a.likeness)
    .slice(0, VOTERS)
  const most = voters[0]?.likeness ?? 0
  const trust = Math.min(1, most / Math.max(fullRarity, 1e-9))
  for (const { change, likeness: own } of voters) {
    const vote = (own / most) ** 2 * changeShare(change.fileCount) * trust
    for (const at of change.positions) votes[at] = (votes[at] ?? 0) + vote
  }
  return votes
}

function alike(shared: number, termCount: number): number {
  return shared / (0.6 + (0.4 * Math.min(termCount, 60)) / 12)
}
