import fc from "fast-check"

/**
 * The seed of this run: `SEED=123 npm test` repeats it. vitest.config.ts creates one seed per run
 * and prints it at the end.
 */
export function seed(): number {
  const requested = Number(process.env.SEED)
  if (process.env.SEED !== undefined && Number.isSafeInteger(requested)) return requested
  const made = newSeed()
  process.env.SEED = String(made)
  process.stderr.write(`SEED=${made}\n`)
  return made
}

/** fast-check takes a signed 32-bit seed. */
export function newSeed(): number {
  return Math.floor(Math.random() * 2 ** 31)
}

export function isNight(): boolean {
  return process.env.QM_NIGHT === "1"
}

/**
 * The rows of a table that start a real host each: by day a part, in which every kind of row is
 * present, at night all. Pass a test for daily rows, or n for every nth row.
 */
export function rowsOfThisRun<Row>(
  rows: readonly Row[],
  daily: number | ((row: Row) => boolean),
): readonly Row[] {
  if (isNight()) return rows
  return rows.filter((row, at) => (typeof daily === "number" ? at % daily === 0 : daily(row)))
}

/** A limit against hanging: the counts of the night take up to an hour on a loaded machine. */
export function longestTestMs(): number {
  return isNight() ? 7_200_000 : 1_800_000
}

/**
 * Parameters for `fc.assert`: `fc.assert(property, fcParameters({ numRuns: 500 }))`. A failure
 * prints `SEED=…` first, then fast-check's report.
 */
export function fcParameters<Values>(options: {
  readonly numRuns: number
  /** Number of runs at night (default: ten times `numRuns`). */
  readonly nightRuns?: number
}): fc.Parameters<Values> {
  const ofThisRun = seed()
  return {
    seed: ofThisRun,
    numRuns: isNight() ? (options.nightRuns ?? options.numRuns * 10) : options.numRuns,
    reporter(details) {
      if (!details.failed) return
      const report = fc.defaultReportMessage(details) ?? "the property failed"
      throw new Error(`SEED=${ofThisRun} repeats this run\n${report}`, {
        cause: details.errorInstance,
      })
    },
  }
}
