import fc from "fast-check"
import { expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { createRecentCache } from "./recent-cache.ts"

test("[BASE-39] the least recently used values are dropped first", () => {
  const cache = createRecentCache<string, number>({ maxSize: 10, sizeOf: (value) => value })
  cache.set("a", 4)
  cache.set("b", 4)
  expect(cache.get("a")).toBe(4)
  cache.set("c", 4)
  expect([cache.get("a"), cache.get("b"), cache.get("c")]).toEqual([4, undefined, 4])
})

test("[BASE-39] a value larger than the cache is not kept and leaves the others", () => {
  const cache = createRecentCache<string, number>({ maxSize: 10, sizeOf: (value) => value })
  cache.set("a", 4)
  cache.set("b", 11)
  expect([cache.get("a"), cache.get("b")]).toEqual([4, undefined])
  cache.set("a", 11)
  expect(cache.get("a")).toBe(undefined)
})

test("[BASE-39] it equals a list of the last uses, whatever the order of calls", () => {
  const call = fc.record({
    key: fc.nat(5),
    value: fc.integer({ min: 1, max: 7 }),
    isSet: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(call), (calls) => {
      const cache = createRecentCache<number, number>({ maxSize: 10, sizeOf: (value) => value })
      let uses: (readonly [number, number])[] = []
      for (const { key, value, isSet } of calls) {
        const stored = uses.find((it) => it[0] === key)?.[1]
        const next = isSet ? value : stored
        if (isSet) cache.set(key, value)
        else expect(cache.get(key)).toBe(stored)
        if (next === undefined) continue
        uses = [...uses.filter((it) => it[0] !== key), [key, next]]
        while (uses.reduce((sum, it) => sum + it[1], 0) > 10) uses.shift()
      }
      for (const key of [0, 1, 2, 3, 4, 5]) {
        expect(cache.get(key)).toBe(uses.find((it) => it[0] === key)?.[1])
      }
    }),
    fcParameters({ numRuns: 300 }),
  )
})
