import type { MemoryEntry } from "./files/entry.ts"

/**
 * In observations. A verdict is about the memory itself; a task succeeds or fails for many reasons;
 * a use says almost nothing.
 */
const WEIGHTS = { verdict: 1, outcome: 0.5, use: 0.02 } as const

/** Less than half a verdict, so that handing out a memory does not raise its own rank. */
const MOST_USE_OBSERVATIONS = 0.4

/** People can write any number into a file. */
export const MOST_COUNTED_SIGNS = 50

/**
 * As observations for and against. Ten of them: one bad verdict moves a new memory below the
 * threshold of 0.7, five good ones move it to 0.8.
 */
const PRIORS = {
  proposed: { good: 7, bad: 3 },
  vouched: { good: 8.5, bad: 1.5 },
} as const

type ConfidenceInput = Pick<MemoryEntry, "signals" | "state" | "source">

export function confidenceOf({ signals, state, source }: ConfidenceInput, uses: number): number {
  const isVouched = state === "confirmed" || (source.actor === "human" && !source.isUntrusted)
  const prior = isVouched ? PRIORS.vouched : PRIORS.proposed
  const used = Math.min(MOST_USE_OBSERVATIONS, uses * WEIGHTS.use)
  const good = prior.good + weighed(signals.helpful, signals.succeeded) + used
  const bad = prior.bad + weighed(signals.unhelpful, signals.failed)
  return good / (good + bad)
}

function weighed(verdicts: number, outcomes: number): number {
  return (
    Math.min(verdicts, MOST_COUNTED_SIGNS) * WEIGHTS.verdict +
    Math.min(outcomes, MOST_COUNTED_SIGNS) * WEIGHTS.outcome
  )
}
