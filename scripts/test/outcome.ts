/** Prefix of the title of an unchecked promise: `needs` writes it, the reporter looks for it. */
export const NOT_CHECKED = "NOT CHECKED:"

/**
 * The result of a run. The reporter writes it to the file in QM_TEST_OUTCOME for scripts/test.ts.
 */
export type Outcome = {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly notChecked: readonly string[]
}

/** The last lines of a run, in an order that scripts can rely on: the counts are the last line. */
export function closingLines(outcome: Outcome, seed: string): string {
  const { passed, failed, skipped } = outcome
  const counts = `${passed} passed, ${failed} failed, ${skipped} skipped`
  return [`SEED=${seed}`, ...outcome.notChecked, counts, ""].join("\n")
}
