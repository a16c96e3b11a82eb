import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { withSeed } from "../../test-seed.ts"
import { ticksFor } from "./ticks.ts"

const texts = (durationMs: number, widthPx: number): readonly string[] =>
  ticksFor(durationMs, widthPx).map((it) => it.text)

describe("time scale of a run", () => {
  it("ticks are round, start at 0, and the end is the last tick", () => {
    expect(texts(372_000, 900)).toEqual(["0:00", "1:00", "2:00", "3:00", "4:00", "5:00", "6:12"])
    expect(texts(4_200, 900)).toEqual(["0.0 s", "1.0 s", "2.0 s", "3.0 s", "4.2 s"])
    expect(texts(372_000, 200)).toEqual(["0:00", "2:00", "4:00", "6:12"])
    expect(texts(31, 900)).toEqual(["0 ms", "10 ms", "20 ms", "31 ms"])
    expect(texts(0, 900)).toEqual(["0 ms"])
  })

  it("no two labels overlap or are equal, for any duration and width", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 400_000_000 }),
        fc.integer({ min: 0, max: 2_000 }),
        (durationMs, widthPx) => {
          const ticks = ticksFor(durationMs, widthPx)
          const boxes = ticks.map(({ ms, text }, i) => {
            const px = text.length * 6.5
            const left = i === ticks.length - 1 ? widthPx - px : (ms / durationMs) * widthPx
            return { left, right: left + px }
          })
          for (const [i, box] of boxes.entries()) {
            expect(box.left).toBeGreaterThan(boxes[i - 1]?.right ?? -Infinity)
          }
          expect(new Set(ticks.map((it) => it.text)).size).toBe(ticks.length)
          expect(ticks.length).toBeLessThanOrEqual(9)
        },
      ),
      withSeed(),
    )
  })
})
