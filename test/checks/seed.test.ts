import fc from "fast-check"
import { expect, test } from "vitest"
import { fcParameters, seed } from "#test/seed"

test("[TEST-3] a run has one seed", () => {
  expect(seed()).toBe(Number(process.env.SEED))
  expect(fcParameters({ numRuns: 10 }).seed).toBe(seed())
})

test("[TEST-3] a failing property prints its SEED", async () => {
  const never = fc.property(fc.integer(), () => false)
  expect(() => fc.assert(never, fcParameters({ numRuns: 10 }))).toThrow(`SEED=${seed()} repeats`)

  const neverLater = fc.asyncProperty(fc.integer(), async () => false)
  const failing = fc.assert(neverLater, fcParameters({ numRuns: 10 }))
  await expect(failing).rejects.toThrow(`SEED=${seed()} repeats`)
})

test("[TEST-3] a passing property prints nothing and runs the configured number of times", () => {
  let runs = 0
  const always = fc.property(fc.integer(), () => {
    runs += 1
  })
  fc.assert(always, fcParameters({ numRuns: 25, nightRuns: 25 }))
  expect(runs).toBe(25)
})
