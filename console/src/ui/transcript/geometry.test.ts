import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { withSeed } from "../../test-seed.ts"
import { anchorAt, heightOf, layOut, rangeFor, rowAt, topFor } from "./geometry.ts"

const heightsOf = (keys: readonly string[], px: (i: number) => number) =>
  new Map(keys.map((key, i) => [key, px(i)] as const))

const names = (count: number, from = 0) => Array.from({ length: count }, (_, i) => `r${from + i}`)

describe("rows of any height", () => {
  it("[CONSOLE-31] measured heights are used, others are estimated", () => {
    const geometry = layOut(["a", "b", "c"], new Map([["b", 100]]), () => 30)
    expect([...geometry.edges]).toEqual([0, 30, 130, 160])
    expect(heightOf(geometry)).toBe(160)
    expect([0, 29, 30, 129, 130, 999].map((top) => rowAt(geometry, top))).toEqual([
      0, 0, 1, 1, 2, 2,
    ])
  })

  it("[CONSOLE-31] of 100,000 rows only those near the viewport are drawn", () => {
    const geometry = layOut(names(100_000), new Map(), () => 30)
    const range = rangeFor(geometry, { top: 1_500_000, height: 900 }, 500)
    expect(range.to - range.from).toBeLessThan(80)
    expect(
      rangeFor(
        layOut([], new Map(), () => 30),
        { top: 0, height: 900 },
        500,
      ),
    ).toEqual({
      from: 0,
      to: 0,
    })
  })

  it("[CONSOLE-31] every row in the viewport is drawn, at any scroll position", () => {
    const rows = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 200 })
    fc.assert(
      fc.property(rows, fc.double({ min: 0, max: 1, noNaN: true }), (px, share) => {
        const keys = names(px.length)
        const geometry = layOut(
          keys,
          heightsOf(keys, (i) => px[i] ?? 1),
          () => 30,
        )
        const top = share * Math.max(0, heightOf(geometry) - 900)
        const { from, to } = rangeFor(geometry, { top, height: 900 }, 0)
        expect(geometry.edges[from] ?? 0).toBeLessThanOrEqual(top)
        const bottom = Math.min(top + 900, heightOf(geometry))
        expect(geometry.edges[to] ?? 0).toBeGreaterThanOrEqual(bottom)
      }),
      withSeed(),
    )
  })

  it("[CONSOLE-31] the visible row keeps its position when rows are added above it or grow", () => {
    const count = fc.integer({ min: 1, max: 60 })
    fc.assert(
      fc.property(count, count, fc.integer({ min: 0, max: 1_000 }), (held, older, scrolled) => {
        const keys = names(held, older)
        const before = layOut(keys, new Map(), () => 30)
        const top = Math.min(scrolled, heightOf(before) - 1)
        const anchor = anchorAt(before, top)
        const more = [...names(older), ...keys]
        const after = layOut(
          more,
          heightsOf(names(older), (i) => 20 + i),
          () => 30,
        )
        const moved = (topFor(after, anchor) ?? 0) - top
        expect(moved).toBeCloseTo(heightOf(after) - heightOf(before))
      }),
      withSeed(),
    )
  })

  it("[CONSOLE-31] when the anchor row is merged into another, the next row keeps the position", () => {
    const before = layOut(["a", "b", "c"], new Map(), () => 30)
    const anchor = anchorAt(before, 10)
    const after = layOut(["group", "c"], new Map(), () => 30)
    expect(topFor(after, anchor)).toBe(30 - 50)
    expect(
      topFor(
        layOut(["other"], new Map(), () => 30),
        anchor,
      ),
    ).toBeNull()
  })
})
