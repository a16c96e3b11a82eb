import { describe, expect, test } from "vitest"
import { pairedDifference } from "./paired.ts"

describe("[PROOF-6] a difference comes with its interval", () => {
  const zeros = (count: number) => Array.from({ length: count }, () => 0)

  test("[PROOF-6] one that is the same for every task has no width", () => {
    expect(pairedDifference([0.75, 0.5, 1], [0.5, 0.25, 0.75])).toEqual({
      mean: 25,
      low: 25,
      high: 25,
    })
    expect(pairedDifference([], [])).toEqual({ mean: 0, low: 0, high: 0 })
  })

  test("[PROOF-6] its width is that of the mean of as many tasks", () => {
    // Half the tasks won, half not: the mean has a deviation of 50 / sqrt(400) = 2.5 points.
    const values = Array.from({ length: 400 }, (_, at) => at % 2)
    const { mean, low, high } = pairedDifference(values, zeros(400))
    expect(mean).toBe(50)
    expect(Math.abs(low - (50 - 1.96 * 2.5))).toBeLessThan(0.5)
    expect(Math.abs(high - (50 + 1.96 * 2.5))).toBeLessThan(0.5)
  })

  test("[PROOF-6] pairs count, not the spread of the tasks", () => {
    const hard = Array.from({ length: 100 }, (_, at) => (at % 10) / 10)
    const better = hard.map((it) => it + 0.02)
    const { low, high } = pairedDifference(better, hard)
    expect(low).toBeCloseTo(2, 9)
    expect(high).toBeCloseTo(2, 9)
  })

  test("[PROOF-6] the same tasks give the same interval", () => {
    const values = Array.from({ length: 50 }, (_, at) => ((at * 7) % 11) / 11)
    expect(pairedDifference(values, zeros(50))).toEqual(pairedDifference(values, zeros(50)))
  })
})
