import fc from "fast-check"
import { expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { createRecent } from "./recent.ts"

test("[TOKENS-4] the entry used longest ago goes first", () => {
  const recent = createRecent<number>({ maxEntries: 2, maxBytes: 10_000 })
  recent.set("a", 1)
  recent.set("b", 2)
  expect(recent.get("a")).toBe(1)
  recent.set("c", 3)
  expect([recent.get("a"), recent.get("b"), recent.get("c")]).toEqual([1, undefined, 3])
})

test("[TOKENS-4] a key that alone is over the bound is not kept", () => {
  const recent = createRecent<number>({ maxEntries: 10, maxBytes: 100 })
  recent.set("x".repeat(1_000), 1)
  expect(recent.size()).toEqual({ entries: 0, bytes: 0 })
})

test("[TOKENS-4] neither entries nor bytes ever pass their bounds, and a hit is what was set", () => {
  const limits = { maxEntries: 5, maxBytes: 400 }
  const step = fc.tuple(fc.string({ maxLength: 40 }), fc.option(fc.nat(), { nil: undefined }))
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const recent = createRecent<number>(limits)
      const truth = new Map<string, number>()
      for (const [key, value] of steps) {
        if (value === undefined) expect([undefined, truth.get(key)]).toContain(recent.get(key))
        else {
          recent.set(key, value)
          truth.set(key, value)
        }
        expect(recent.size().entries).toBeLessThanOrEqual(limits.maxEntries)
        expect(recent.size().bytes).toBeLessThanOrEqual(limits.maxBytes)
        expect(recent.size().bytes).toBeGreaterThanOrEqual(0)
      }
    }),
    fcParameters({ numRuns: 500 }),
  )
})
