import fc from "fast-check"

/**
 * The seed of this run: `SEED=123 npm test` repeats it. One run has one seed, made in
 * vitest.config.ts and printed once at the end.
 */
export function seed(): number {
  const given = Number(process.env.SEED)
  if (process.env.SEED !== undefined && Number.isSafeInteger(given)) return given
  const made = newSeed()
  process.env.SEED = String(made)
  process.stderr.write(`SEED=${made}\n`)
  return made
}

/** fast-check takes a signed 32-bit seed. */
export function newSeed(): number {
  return Math.floor(Math.random() * 2 ** 31)
}

/** Whether this is `npm run test:night`, where counts may be larger. */
export function isNight(): boolean {
  return process.env.QM_NIGHT === "1"
}

/**
 * Parameters for `fc.assert`: `fc.assert(property, fcParameters({ numRuns: 500 }))`. A failure says
 * `SEED=…` first, then what fast-check found.
 */
export function fcParameters<Values>(options: {
  readonly numRuns: number
  /** Runs at night; ten times as many unless said otherwise. */
  readonly nightRuns?: number
}): fc.Parameters<Values> {
  const ofThisRun = seed()
  return {
    seed: ofThisRun,
    numRuns: isNight() ? (options.nightRuns ?? options.numRuns * 10) : options.numRuns,
    reporter(details) {
      if (!details.failed) return
      const found = fc.defaultReportMessage(details) ?? "the property failed"
      throw new Error(`SEED=${ofThisRun} repeats this run\n${found}`, {
        cause: details.errorInstance,
      })
    },
  }
}
