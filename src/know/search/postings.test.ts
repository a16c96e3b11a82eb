import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { createPostings } from "./postings.ts"

const term = fc.constantFrom("quay", "tug", "berth", "a_very_long_identifier", "__proto__")
const counts = fc.array(fc.tuple(term, fc.integer({ min: 1, max: 9 }))).map((it) => new Map(it))
const fields = fc.tuple(counts, counts)

describe("createPostings", () => {
  test("a row has a document with its counts, by ascending number", () => {
    const table = createPostings(2)
    table.put(7, [new Map([["quay", 2]]), new Map([["tug", 1]])])
    table.put(3, [new Map([["quay", 1]]), new Map([["quay", 4]])])
    expect(table.of("quay")).toEqual([3, 1, 4, 7, 2, 0])
    expect(table.of("tug")).toEqual([7, 0, 1])
    expect(table.of("berth")).toEqual([])
    table.remove(7)
    table.remove(99)
    expect(table.rows()).toEqual([["quay", [3, 1, 4]]])
  })

  test("after any changes in any order, the table equals a new one", () => {
    const change = fc.tuple(fc.nat(12), fc.option(fields))
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const followed = createPostings(2)
        const left = new Map<number, readonly ReadonlyMap<string, number>[]>()
        for (const [document, content] of changes) {
          if (content === null) followed.remove(document)
          else followed.put(document, content)
          if (content === null) left.delete(document)
          else left.set(document, content)
        }
        const anew = createPostings(2)
        for (const [document, content] of left) anew.put(document, content)
        expect(followed.rows()).toEqual(anew.rows())
      }),
      fcParameters({ numRuns: 300 }),
    )
  })
})
