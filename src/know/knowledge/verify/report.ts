import type { KbVerification } from "#ground/contract"
import { MOST_TOLD_FAILURES } from "./limits.ts"

export type Failure = KbVerification["failed"][number]

/** The score is the share that held; with nothing to hold against it is 1. */
export function reportOf(found: {
  readonly checked: number
  readonly failed: readonly Failure[]
  readonly bar: number
  readonly by?: KbVerification["by"]
}): KbVerification {
  const { checked, failed, bar, by = "words" } = found
  const score = checked === 0 ? 1 : (checked - failed.length) / checked
  return {
    score,
    bar,
    isPassed: score >= bar,
    checked,
    by,
    failed: failed.slice(0, MOST_TOLD_FAILURES),
  }
}
