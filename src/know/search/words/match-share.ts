import { largest, smallest } from "../ranker/order.ts"
import type { Ranking } from "../ranker/rank.ts"

/**
 * By position: 1 for the best file, 0 for an ordinary one and below, linear in between. If all
 * scores are equal, the words decide.
 */
export function shareOf(ranking: Ranking): Float64Array {
  const { scores } = ranking
  const best = largest(scores)
  const least = smallest(scores)
  const isMatch = matchesOf(ranking)
  if (best === least) return Float64Array.from(isMatch, (it) => (it ? 1 : 0))
  const expected = ordinaryScore(scores, isMatch)
  const ordinary = expected < best ? expected : least
  return scores.map((score) => Math.max(0, Math.min(1, (score - ordinary) / (best - ordinary))))
}

/** With fewer files, the median file may be part of the task. */
const FEWEST_FILES = 20

/**
 * The score of a file without a match. A long task shares a word with nearly all files; then it is
 * the median. When all of a few files match, the lowest gets 0.5.
 */
function ordinaryScore(scores: Float64Array, isMatch: readonly boolean[]): number {
  const unmatched = median(scores.filter((_, position) => isMatch[position] !== true))
  if (scores.length >= FEWEST_FILES) return Math.max(median(scores) ?? 0, unmatched ?? -Infinity)
  const least = smallest(scores)
  return unmatched ?? least - (largest(scores) - least)
}

function median(values: Float64Array): number | undefined {
  return values.toSorted()[values.length >> 1]
}

function matchesOf({ query, words, inputs, scores }: Ranking): readonly boolean[] {
  const votes = inputs.get("msgvote")
  const { length } = query.terms
  return Array.from(scores, (_, position) => {
    const hasVote = typeof votes === "object" && (votes[position] ?? 0) > 0
    if (hasVote) return true
    const marks = words.matches.subarray(position * length, (position + 1) * length)
    return marks.some((it) => it !== 0)
  })
}

/**
 * The ranker orders all files, including those without a match. When no file has a word of the
 * task, nothing matches.
 */
export function matcherOf({ raw }: Ranking): (position: number) => boolean {
  const { bm25f, hist, cochg, msgvote, dirmax } = raw
  const isKnown = bm25f?.some((it) => it > 0) ?? false
  if (!isKnown) return () => false
  // By meaning every file is more or less similar; its share decides.
  if (raw.dense !== undefined) return () => true
  const speaking = [bm25f, hist, cochg, msgvote]
  return (position) =>
    speaking.some((it) => (it?.[position] ?? 0) > 0) || (dirmax?.[position] ?? 0) >= NEAR_A_MATCH
}

/** A file with this share of the best match supports its neighbours. */
const NEAR_A_MATCH = 0.5
