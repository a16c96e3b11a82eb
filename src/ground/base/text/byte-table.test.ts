import fc from "fast-check"
import { expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { createByteTable } from "./byte-table.ts"

test("[BASE-48] numbers words in the order of their first use, like a map of strings", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "é", "\0"), maxLength: 5 })
  fc.assert(
    fc.property(fc.array(word, { maxLength: 200 }), (words) => {
      // Fewer than there may be, so that the table grows.
      const table = createByteTable(4)
      const expected = new Map<string, number>()
      for (const it of words) {
        if (!expected.has(it)) expected.set(it, expected.size)
        const bytes = Buffer.from(`<${it}>`)
        expect(table.numberOf(bytes, 1, bytes.length - 1)).toBe(expected.get(it))
      }
      expect(table.size()).toBe(expected.size)
      expect([...expected.values()].map(table.textOf)).toEqual([...expected.keys()])
    }),
    fcParameters({ numRuns: 100 }),
  )
})

test("[BASE-48] a cleared table starts again, also with more bytes than before", () => {
  const table = createByteTable(4)
  const long = Buffer.alloc(200_000, "x")
  expect(table.numberOf(long, 0, 3)).toBe(0)
  table.clear()
  expect(table.numberOf(long, 0, long.length)).toBe(0)
  expect(table.numberOf(long, 0, 3)).toBe(1)
  expect(table.numberOf(long, 0, long.length)).toBe(0)
})
