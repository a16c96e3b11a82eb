import { describe, expect, it } from "vitest"
import { compressTime } from "./compressed-time.ts"

const MINUTE = 60_000
const START = Date.UTC(2026, 10, 12, 8)
const at = (minutes: number) => START + minutes * MINUTE

describe("compressed time", () => {
  it("keeps short gaps and shortens each wait to the same length", () => {
    const { wholeMs, breaks, positionOf } = compressTime([at(0), at(4), at(90), at(92), at(900)])
    expect(breaks.map((it) => it.waitedMs)).toEqual([86 * MINUTE, 808 * MINUTE])
    const lengths = breaks.map((it) => it.toMs - it.fromMs)
    expect(new Set(lengths).size).toBe(1)
    const lastMs = 6 * MINUTE + 2 * (lengths[0] ?? 0)
    expect(positionOf(at(900))).toBeCloseTo(lastMs)
    expect(wholeMs).toBeGreaterThan(lastMs)
    expect(positionOf(at(4))).toBe(4 * MINUTE)
    expect(positionOf(at(92)) - positionOf(at(90))).toBe(2 * MINUTE)
    expect(positionOf(at(47))).toBeGreaterThan(positionOf(at(4)))
    expect(positionOf(at(47))).toBeLessThan(positionOf(at(90)))
  })

  it("a moment before the first or after the last is at that one", () => {
    const { positionOf } = compressTime([at(0), at(3)])
    expect([positionOf(at(-9)), positionOf(at(99))]).toEqual([0, 3 * MINUTE])
    expect(compressTime([]).wholeMs).toBe(0)
    expect(compressTime([at(1)]).breaks).toEqual([])
  })

  it("the last moment is before the end, so that its value has a width", () => {
    for (const moments of [[at(1)], [at(1), at(1)], [at(0), at(3)], [at(0), at(90)]]) {
      const { positionOf, wholeMs } = compressTime(moments)
      expect(positionOf(moments.at(-1) ?? 0) / wholeMs).toBeLessThan(0.97)
    }
  })

  it("ticks are in order, inside the axis, and name days where there are several", () => {
    const day = compressTime(Array.from({ length: 40 }, (_, i) => at(i)))
    expect(day.ticks.length).toBeGreaterThan(3)
    expect(day.ticks.map((it) => it.ms)).toEqual(
      day.ticks.map((it) => it.ms).toSorted((a, b) => a - b),
    )
    expect(day.ticks.at(-1)?.ms).toBeLessThanOrEqual(day.wholeMs)
    expect(compressTime([at(0), at(3_000)]).ticks[0]?.text).toMatch(/Nov/)
  })
})
