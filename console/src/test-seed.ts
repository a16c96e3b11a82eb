import fc from "fast-check"

// Tests run in Node; the console's sources have no Node types on purpose.
declare const process: { readonly env: Readonly<Record<string, string | undefined>> }

/** Parameters for `fc.assert`: `SEED=…` repeats a run, and a failure prints its seed. */
export function withSeed<Values>(): fc.Parameters<Values> {
  const seed = Number(process.env.SEED)
  const hasSeed = process.env.SEED !== undefined && Number.isSafeInteger(seed)
  return {
    ...(hasSeed ? { seed: seed } : {}),
    reporter(details) {
      if (!details.failed) return
      const report = fc.defaultReportMessage(details) ?? "the property failed"
      throw new Error(`SEED=${details.seed} repeats this run\n${report}`, {
        cause: details.errorInstance,
      })
    },
  }
}
