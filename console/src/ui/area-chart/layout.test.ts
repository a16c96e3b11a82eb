import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { withSeed } from "../../test-seed.ts"
import {
  type AreaMark,
  type AreaPoint,
  layoutAreas,
  placeLabels,
  placeMarks,
  pointAt,
  topFor,
  topWithin,
  totalOf,
} from "./layout.ts"

const point = (atMs: number, kinds: AreaPoint["kinds"]): AreaPoint => ({
  key: String(atMs),
  atMs,
  kinds,
  name: `Request ${atMs}`,
  description: "tokens, exact",
})
const mark = (atMs: number, label: string): AreaMark => ({
  key: String(atMs),
  atMs,
  label,
  title: label,
})

describe("area chart of a window over time", () => {
  it("it is a step chart: values are constant between two requests, and kinds are stacked", () => {
    const points = [point(0, { instructions: 50, history: 50 }), point(500, { instructions: 50 })]
    expect(layoutAreas(points, { wholeMs: 1_000, top: 100 })).toEqual([
      {
        kind: "instructions",
        path: "M0 50L500 50L500 50L1000 50L1000 100L500 100L500 100L0 100Z",
      },
      { kind: "history", path: "M0 0L500 0L500 50L1000 50L1000 50L500 50L500 50L0 50Z" },
    ])
    expect(layoutAreas([], { wholeMs: 1, top: 100 })).toEqual([])
  })

  it("the scale ends at a round number and contains every value", () => {
    expect([0, 99, 11_537, 415_323].map(topFor)).toEqual([100, 100, 12_000, 500_000])
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 50_000_000 }), (most) => {
        expect(topFor(most)).toBeGreaterThanOrEqual(most)
        expect(topFor(most)).toBeLessThanOrEqual(most * 1.5)
      }),
      withSeed(),
    )
  })

  it("a tall chart ends at the window if the values fill a fifth of it", () => {
    const top = (most: number) => topWithin(most, 200_000)
    expect([39_000, 40_000, 200_000, 210_000].map(top)).toEqual([40_000, 200_000, 200_000, 250_000])
    expect(topWithin(40_000, undefined)).toBe(40_000)
  })

  it("labels of bands never overlap and stay beside the chart", () => {
    const labels = placeLabels(
      { system: 13_600, instructions: 3_900, files: 44_100, symbols: 62_700, history: 200 },
      { top: 200_000, heightPx: 272 },
    )
    const tops = labels.map((it) => Math.round(it.topPx))
    expect(labels.map((it) => it.kind)).toEqual([
      "system",
      "instructions",
      "files",
      "symbols",
      "history",
    ])
    for (const [i, it] of tops.entries())
      if (i > 0) expect((tops[i - 1] ?? 0) - it).toBeGreaterThan(14)
    const full = placeLabels({ system: 1, tools: 1, mcp: 99_998 }, { top: 100_000, heightPx: 40 })
    expect(Math.min(...full.map((it) => it.topPx))).toBeGreaterThanOrEqual(0)
  })

  it("no area leaves the chart, for any data", () => {
    const kinds = fc.record({ instructions: fc.nat(90_000), tools: fc.nat(90_000) })
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(10_000), kinds), { minLength: 1 }), (tuples) => {
        const points = tuples.toSorted((a, b) => a[0] - b[0]).map(([at, it]) => point(at, it))
        const top = topFor(Math.max(...points.map((it) => totalOf(it.kinds))))
        for (const { path } of layoutAreas(points, { wholeMs: 10_000, top })) {
          const figures = path.slice(1, -1).split(/[L ]/).map(Number)
          for (const [i, it] of figures.entries()) {
            expect(it).toBeGreaterThanOrEqual(0)
            expect(it).toBeLessThanOrEqual(i % 2 === 0 ? 1_000 : 100)
          }
        }
      }),
      withSeed(),
    )
  })

  it("every fold is a line, and its label is left out where it would overlap another", () => {
    const marks = [mark(100, "−403.1k"), mark(110, "−12.0k"), mark(980, "−9.1k")]
    const placed = placeMarks(marks, { wholeMs: 1_000, widthPx: 900 })
    expect(placed.map((it) => [it.share, it.isNamed, it.isTurned])).toEqual([
      [0.1, true, false],
      [0.11, false, false],
      [0.98, true, true],
    ])
  })

  it("a point in time belongs to the request before it", () => {
    const points = [point(10, {}), point(20, {})]
    expect([0, 15, 20, 99].map((ms) => pointAt(points, ms)?.atMs)).toEqual([10, 10, 20, 20])
    expect(pointAt([], 5)).toBeUndefined()
  })
})
