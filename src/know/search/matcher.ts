import type { Ranking } from "./ranker/rank.ts"

/**
 * Whether a file has anything to do with the task. The ranker orders all files, those too that
 * share nothing with it. Where no file has a word of it, the past has nothing to go by either, and
 * there is no match at all.
 */
export function matcherOf({ raw }: Ranking): (position: number) => boolean {
  const { bm25f, hist, cochg, msgvote, dirmax } = raw
  const isKnown = bm25f?.some((it) => it > 0) ?? false
  if (!isKnown) return () => false
  // By meaning every file is more or less near: its share alone decides.
  if (raw.dense !== undefined) return () => true
  const speaking = [bm25f, hist, cochg, msgvote]
  return (position) =>
    speaking.some((it) => (it?.[position] ?? 0) > 0) || (dirmax?.[position] ?? 0) >= NEAR_A_MATCH
}

/** From this share of the best match on, a file speaks for those beside it. */
const NEAR_A_MATCH = 0.5
