import { describe, expect, it } from "vitest"
import type { Branch } from "../../contract.ts"
import { type ContextPoint, contextChart, countMisses } from "./chart.ts"

const MINUTE = 60_000
const START = Date.UTC(2026, 10, 12, 8)

function point(minute: number, tokens: number, more: Partial<ContextPoint> = {}): ContextPoint {
  return {
    at: START + minute * MINUTE,
    turn: minute,
    model: "m",
    tokens,
    added: 0,
    input: 10,
    cacheRead: tokens - 10,
    cacheWrite: 0,
    output: 5,
    parts: { start: Math.min(tokens, 10_000), files: 0, results: 0, conversation: tokens - 10_000 },
    ...more,
  }
}

const POINTS = [point(0, 17_000), point(2, 90_000), point(80, 24_000), point(81, 30_000)]
const COMPACTIONS = [
  {
    at: START + 3 * MINUTE,
    turn: 2,
    cause: "auto",
    tokensBefore: 90_000,
    tokensAfter: 24_000,
    removed: {
      turns: 2,
      fileCount: 1,
      files: [{ path: "src/a.ts", tokens: 9_000, againTokens: 4_000 }],
      fileTokens: 9_000,
      againTokens: 4_000,
      tools: [],
    },
  },
]

describe("context over time", () => {
  it("[CONSOLE-68] each call is a point, and a long wait is a break", () => {
    const chart = contextChart({ points: POINTS, compactions: COMPACTIONS }, [])
    expect(chart.points.map((it) => it.name)).toEqual([
      "Call 1, turn 0",
      "Call 2, turn 2",
      "Call 3, turn 80",
      "Call 4, turn 81",
    ])
    expect(chart.axis.breaks).toHaveLength(1)
    expect(chart.axis.breaks[0]?.label).toBe("1 h 18 min waiting, not to scale")
    expect(chart.wholeMs).toBeLessThan(10 * MINUTE)
    const [first] = chart.points
    expect(first?.kinds).toEqual({ system: 10_000, files: 0, symbols: 0, history: 7_000 })
  })

  it("[CONSOLE-68] compactions and folds are marked with their sizes", () => {
    const branch = {
      sessionId: "s",
      description: "find the test",
      tokensKeptOut: 31_400,
      createdAt: START,
      completedAt: START + MINUTE,
    } as Branch
    const { marks, lanes } = contextChart({ points: POINTS, compactions: COMPACTIONS }, [branch])
    expect(marks.map((it) => [it.label, it.key])).toEqual([["90.0k → 24.0k", "3"]])
    expect(marks[0]?.title).toBe("Compacted after turn 2, 90.0k → 24.0k (auto)")
    expect(marks[0]?.note?.detail).toBe("Removed conversation 66.0k")
    expect(lanes.map((it) => [it.name, it.spans.map((span) => [span.label, span.key])])).toEqual([
      ["Folds", [["31.4k kept out", "2"]]],
      ["Cache misses", []],
      ["Waiting", [["1 h 18 min, not to scale", "3"]]],
    ])
  })

  it("a call that reads less than half of the prompt before from the cache is a miss", () => {
    const missed = point(3, 95_000, { cacheRead: 9_000, cacheWrite: 86_000 })
    expect(countMisses([point(1, 80_000), point(2, 90_000), missed])).toBe(1)
    const compacted = point(4, 20_000, { cacheRead: 0 })
    expect(countMisses([point(1, 80_000), compacted]), "a smaller prompt is no miss").toBe(0)
    expect(countMisses([point(1, 2_000), point(2, 3_000, { cacheRead: 0 })])).toBe(0)
  })

  it("2,000 calls are laid out", () => {
    const points = Array.from({ length: 2_000 }, (_, i) => point(i, 20_000 + i * 50))
    expect(contextChart({ points, compactions: [] }, []).points).toHaveLength(2_000)
  })
})
