import type { Query } from "../query.ts"
import type { Corpus } from "./corpus.ts"
import { changeShare, type History } from "./history.ts"

/** What the past says about a query, by position. */
export type PastScores = {
  /** Messages of the commits that changed the file, searched. */
  readonly hist: Float64Array
  readonly touch: Float64Array
  /** Changed together with the files whose words match best. */
  readonly cochg: Float64Array
  /** Changed by the commits whose message is most like the task. */
  readonly msgvote: Float64Array
}

export type PastAsked = {
  readonly query: Query
  readonly corpus: Corpus
  readonly history: History
  readonly rarity: Float64Array
  readonly fullRarity: number
  /** Share of the best word score, by position, and who has the best. */
  readonly strengths: Float64Array
  readonly best: Int32Array
}

export function scorePast(asked: PastAsked): PastScores {
  return {
    hist: searchMessages(asked),
    touch: asked.history.touches,
    cochg: changedTogether(asked),
    msgvote: voteByMessage(asked),
  }
}

function searchMessages({ query, corpus, history, rarity }: PastAsked): Float64Array {
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

/** By position: how often messages of a file's commits have the word. */
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

/** How many of the best files ask their companions in. */
const HOSTS = 12

function changedTogether({ corpus, history, strengths, best }: PastAsked): Float64Array {
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
 * The files that changed in the same commits, each with its share of the file's commits. Three
 * commits are added below the line, so that a single one proves little.
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

/** The commits most like the task are asked; more of them are noise. */
const VOTERS = 40

function voteByMessage({ query, corpus, history, rarity, fullRarity }: PastAsked): Float64Array {
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

/** A long message has many words by chance. */
function alike(shared: number, termCount: number): number {
  return shared / (0.6 + (0.4 * Math.min(termCount, 60)) / 12)
}
