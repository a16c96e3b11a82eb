import fc from "fast-check"

// Tests run in Node; the console's sources have no Node types on purpose.
declare const process: { readonly env: Readonly<Record<string, string | undefined>> }

/** Parameters for `fc.assert`: `SEED=…` repeats a run, and a failure prints its seed. */
export function withSeed<Values>(): fc.Parameters<Values> {
  const given = Number(process.env.SEED)
  const isGiven = process.env.SEED !== undefined && Number.isSafeInteger(given)
  return {
    ...(isGiven ? { seed: given } : {}),
    reporter(details) {
      if (!details.failed) return
      const found = fc.defaultReportMessage(details) ?? "the property failed"
      throw new Error(`SEED=${details.seed} repeats this run\n${found}`, {
        cause: details.errorInstance,
      })
    },
  }
}
