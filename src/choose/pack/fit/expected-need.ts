import type { PackExpectation } from "#ground/contract"
import { type FitFile, frameTokens, PIECE_TOKENS } from "./budget-board.ts"

type SegmentFacts = {
  readonly tokens: number
  /** Its score, divided by the best of its file and by the best of all files. */
  readonly local: number
  readonly overall: number
  readonly isNamed: boolean
  readonly isFirst: boolean
  readonly segments: number
}

/**
 * Probability that a fix of the file edits the segment: a logistic regression on 13,131 segments of
 * 135 issues, the same that `relevanceOf` was fitted on.
 */
export function segmentChance(facts: SegmentFacts): number {
  const z =
    -2.85 +
    2.03 * facts.local -
    0.63 * facts.overall +
    0.48 * Math.log1p(facts.tokens) +
    (facts.isNamed ? 0.23 : 0) +
    (facts.isFirst ? 1.53 : 0) -
    0.66 * Math.log(Math.max(1, facts.segments))
  return 1 / (1 + Math.exp(-z))
}

/**
 * Least chance of a segment of 100 tokens in a package. Chosen on 49 issues and their titles,
 * with the functions that a fix edits as expected lines: for issues by F1; for short tasks by recall,
 * because their text says too little to be as strict. On the half of seven repositories that was not
 * used for a choice, no other value was better in F1 (docs/reference/issues.md).
 */
const LEAST_CHANCE = { issue: 0.05, task: 0.012 } as const

/**
 * The package ends where the chance of the next segment is lower than this. A longer segment must
 * have a higher chance, because it costs more.
 */
export function leastChance(tokens: number, kind: keyof typeof LEAST_CHANCE): number {
  return LEAST_CHANCE[kind] * ((tokens + PIECE_TOKENS) / 100) ** 0.3
}

/** Below this probability of the best file, the task is about something else. */
export const LEAST_PROBABILITY = 0.05

/** A file without a selected segment is listed with its signatures from this probability on. */
export const LISTED_PROBABILITY = 0.1

const CURVE_TOKENS = [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000] as const

/**
 * Expected share of the needed segments by the size of a package, if it takes the segments in the
 * order of chance per token.
 */
export function expectationOf(
  files: readonly FitFile[],
  sentOf: (path: string) => ReadonlySet<number>,
): PackExpectation {
  const parts = files.flatMap((file) => {
    const frame = frameTokens(file) / Math.max(1, file.segments.length)
    return file.segments.map(({ chance, tokens }, index) => ({
      chance,
      tokens: tokens + frame,
      isSent: sentOf(file.path).has(index),
    }))
  })
  const whole = parts.reduce((sum, it) => sum + it.chance, 0)
  if (whole === 0) return { recall: 0, curve: [] }
  const sent = parts.reduce((sum, it) => sum + (it.isSent ? it.chance : 0), 0)
  const ordered = parts.toSorted((a, b) => b.chance / b.tokens - a.chance / a.tokens)
  const curve: PackExpectation["curve"] = []
  let [tokens, gained, next] = [0, 0, 0]
  for (const segment of ordered) {
    const point = CURVE_TOKENS[next]
    if (point === undefined) break
    if (tokens + segment.tokens > point) {
      curve.push({ tokens: point, recall: round(gained / whole) })
      next++
    }
    tokens += segment.tokens
    gained += segment.chance
  }
  return { recall: round(sent / whole), curve }
}

function round(value: number): number {
  return Math.round(Math.min(1, value) * 1_000) / 1_000
}
