import { largest, smallest } from "./ranker/order.ts"
import type { Ranking } from "./ranker/rank.ts"

/**
 * Scores for reading, by position: 1 for the best file, 0 for an ordinary one and all below it, in
 * between as far apart as the ranker's own scores. If all are equal, the words decide.
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

/** With fewer files the one in the middle may well be part of the task. */
const FEWEST_FILES = 20

/**
 * What a file has that nothing speaks for. A long task shares a word with nearly all files, and then
 * it is the file in the middle. Where every one of a few files matches, the least has a half.
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

/** By position: whether a word of the task or a commit like it speaks for the file. */
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
