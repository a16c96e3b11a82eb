import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { withSeed } from "../../test-seed.ts"
import { axisFor, formatTick } from "./axis.ts"

describe("axis of the waterfall", () => {
  it.each([
    [16_981, "0 5k 10k 15k", 20_000],
    [134_740, "0 50k 100k 150k", 200_000],
    [2_730, "0 1k 2k 3k", 4_000],
    [0, "0 25 50 75", 100],
    [900_000, "0 250k 500k 750k", 1_000_000],
  ])("%d tokens use the ticks %s", (tokens, ticks, max) => {
    const axis = axisFor(tokens)
    expect(axis.ticks.map(formatTick).join(" ")).toBe(ticks)
    expect(axis.max).toBe(max)
  })

  it("the axis contains the value and is less than 2.5 times as long", () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 20_000_000 }), (tokens) => {
        const { max } = axisFor(tokens)
        expect(max).toBeGreaterThanOrEqual(tokens)
        expect(max).toBeLessThan(tokens * 2.5)
      }),
      withSeed(),
    )
  })
})
