/** How a title begins that names an unchecked promise: `needs` writes it, the reporter looks for it. */
export const NOT_CHECKED = "NOT CHECKED:"

/** What a run came to. The reporter writes it to the file in QM_TEST_OUTCOME for scripts/test.ts. */
export type Outcome = {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** Each promise this machine could not check, with the tool it needs. */
  readonly notChecked: readonly string[]
}

/** The last words of a run, in an order that scripts can rely on: the counts are the last line. */
export function closingLines(outcome: Outcome, seed: string): string {
  const { passed, failed, skipped } = outcome
  const counts = `${passed} passed, ${failed} failed, ${skipped} skipped`
  return [`SEED=${seed}`, ...outcome.notChecked, counts, ""].join("\n")
}
