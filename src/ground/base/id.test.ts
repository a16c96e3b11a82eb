import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { testClock } from "#test/clock"
import { fcParameters } from "#test/seed"
import { createIds, systemRandom } from "./id.ts"
import { compareText } from "./text/text.ts"

describe("ids", () => {
  test("[BASE-4] an id is prefix, time and random part; equal random bytes give equal ids", () => {
    const random = { bytes: (count: number) => new Uint8Array(count).fill(33) }
    const ids = createIds({ clock: testClock({ now: 36 ** 8 }), random })
    expect(ids.next("pk")).toBe("pk_1000000001111111111")
  })

  test("[BASE-4] ids sort by creation time, from 1970 to the year 5188", () => {
    const moment = fc.integer({ min: 0, max: 36 ** 9 - 1 })
    fc.assert(
      fc.property(moment, moment, (a, b) => {
        const at = (now: number) => createIds({ clock: testClock({ now }), random: systemRandom })
        const order = compareText(at(a).next("ev").slice(0, 12), at(b).next("ev").slice(0, 12))
        expect(order).toBe(Math.sign(a - b))
      }),
      fcParameters({ numRuns: 300 }),
    )
  })

  test("[BASE-4] ids do not repeat within a millisecond", () => {
    const ids = createIds({ clock: testClock(), random: systemRandom })
    const made = Array.from({ length: 20_000 }, () => ids.next("ev"))
    expect(new Set(made).size).toBe(made.length)
    expect(made.every((it) => /^ev_[0-9a-z]{19}$/.test(it))).toBe(true)
  })
})
