import { describe, expect, test } from "vitest"
import { hunkRecall, measureRanking, pairedDifference, truthInPackage } from "./metrics.ts"

const ranked = Array.from({ length: 30 }, (_, at) => `f${at}`)

describe("metrics of a ranking and of a package", () => {
  test.for<readonly [readonly string[], readonly [number, number, number]]>([
    [["f0"], [1, 1, 1]],
    [["f9"], [1, 1, 0.1]],
    [["f10"], [0, 1, 1 / 11]],
    [
      ["f3", "f15", "f25", "gone"],
      [0.25, 0.5, 0.25],
    ],
    [["gone"], [0, 0, 0]],
  ])(
    "[PROOF-5] recall and reciprocal rank of a ranking with %j to be found",
    ([truth, [recallAt10, recallAt20, mrr]]) => {
      expect(measureRanking(ranked, new Set(truth))).toEqual({ recallAt10, recallAt20, mrr })
    },
  )

  const packed = new Map([
    ["a.ts", [range(10, 20), range(1, 4), range(5, 5)]],
    ["named.ts", []],
  ])

  test.for<readonly [string, number, number, number]>([
    ["a.ts", 10, 20, 1],
    ["a.ts", 2, 5, 1],
    ["a.ts", 4, 6, 0],
    ["a.ts", 20, 21, 0],
    ["named.ts", 1, 1, 0],
    ["other.ts", 1, 1, 0],
  ])(
    "[PROOF-5] a hunk counts only when all its lines are in the package: %s, %i to %i",
    ([path, from, to, expected]) => {
      expect(hunkRecall(packed, [{ path, hunks: [range(from, to)] }])).toBe(expected)
    },
  )

  test("[PROOF-5] every hunk of a task has the same weight, in any form of its file", () => {
    const edited = [
      { path: "a.ts", hunks: [range(1, 1), range(8, 8), range(12, 13)] },
      { path: "named.ts", hunks: [range(1, 1)] },
    ]
    expect(hunkRecall(packed, edited)).toBe(0.5)
    expect(truthInPackage(packed, new Set(["a.ts", "named.ts", "other.ts", "b.ts"]))).toBe(0.5)
  })
})

function range(fromLine: number, toLine: number) {
  return { fromLine, toLine }
}

describe("confidence intervals", () => {
  const zeros = (count: number) => Array.from({ length: count }, () => 0)

  test("[PROOF-6] a difference that is equal for every task has an interval of width 0", () => {
    expect(pairedDifference([0.75, 0.5, 1], [0.5, 0.25, 0.75])).toEqual({
      mean: 25,
      low: 25,
      high: 25,
    })
    expect(pairedDifference([], [])).toEqual({ mean: 0, low: 0, high: 0 })
  })

  test("[PROOF-6] the width is that of the mean over as many tasks", () => {
    // Half the tasks are won: the mean has a deviation of 50 / sqrt(400) = 2.5 points.
    const values = Array.from({ length: 400 }, (_, at) => at % 2)
    const { mean, low, high } = pairedDifference(values, zeros(400))
    expect(mean).toBe(50)
    expect(Math.abs(low - (50 - 1.96 * 2.5))).toBeLessThan(0.5)
    expect(Math.abs(high - (50 + 1.96 * 2.5))).toBeLessThan(0.5)
  })

  test("[PROOF-6] the interval depends on paired differences, not on the spread of the tasks", () => {
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
