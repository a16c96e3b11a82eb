import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { compareText } from "#ground/base"
import { fcParameters } from "#test/seed"
import { mergedRows, newestToMerge } from "../merge-segments.ts"
import { tableOf } from "../read-text.ts"
import { encodeBlocks, findInBlock, placeOf, type Row, rowsOfBlock } from "./blocks.ts"
import { createGatheredTerms } from "./store-contents.ts"

const term = fc.oneof(
  fc.stringMatching(/^[a-z_]{1,12}$/),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }),
)
const count = fc.nat({ max: 100_000 })

const rows: fc.Arbitrary<readonly Row[]> = fc
  .uniqueArray(
    fc.tuple(
      term,
      fc.array(fc.tuple(fc.integer({ min: 1, max: 9_000_000 }), count, count), {
        minLength: 1,
        maxLength: 30,
      }),
    ),
    {
      maxLength: 400,
      selector: ([it]) => it,
    },
  )
  .map((all) =>
    all
      .map(([it, steps]): Row => {
        let number = 0
        return [it, steps.flatMap(([step, one, two]) => [(number += step), one, two])]
      })
      .toSorted(([a], [b]) => compareText(a, b)),
  )

describe("postings blocks", () => {
  test("every row is found by its term and in order; no other term is found", () => {
    fc.assert(
      fc.property(rows, term, (input, other) => {
        const { firsts, bodies } = encodeBlocks(input)
        expect(bodies.flatMap((it) => [...rowsOfBlock(it)])).toEqual(input)
        const find = (it: string) => {
          const body = bodies[placeOf(firsts, it)]
          return body === undefined ? undefined : findInBlock(body, it)
        }
        for (const [it, row] of input) expect(find(it)).toEqual(row)
        if (!input.some(([it]) => it === other)) expect(find(other)).toBeUndefined()
      }),
      fcParameters({ numRuns: 100 }),
    )
  })

  test("merged rows contain all sources in order", () => {
    const one: readonly Row[] = [
      ["a", [1, 1, 0]],
      ["c", [2, 1, 1]],
    ]
    const two: readonly Row[] = [
      ["b", [5, 2, 0]],
      ["c", [6, 3, 0]],
    ]
    expect([...mergedRows([one, two].map((it) => it.values()))]).toEqual([
      ["a", [1, 1, 0]],
      ["b", [5, 2, 0]],
      ["c", [2, 1, 1, 6, 3, 0]],
    ])
  })

  test("rows gathered in batches are sorted by term, then by content, and taken once", () => {
    const gathered = createGatheredTerms()
    gathered.add(tableOf(["moor", "berth"], [0, 0, 2, 1, 1, 1, 3, 0]), 0)
    gathered.add(tableOf(["ﬂut", "berth", "𝔭ier"], [1, 0, 7, 0, 2, 0, 1, 0, 0, 0, 4, 0]), 2)
    const taken = () => gathered.take(10).bodies.flatMap((it) => [...rowsOfBlock(it)])
    expect(taken()).toEqual([
      ["berth", [11, 3, 0, 12, 7, 0]],
      ["moor", [10, 2, 1]],
      // In the order of UTF-16 units, not of bytes.
      ["𝔭ier", [12, 1, 0]],
      ["ﬂut", [12, 4, 0]],
    ])
    gathered.add(tableOf(["crane"], [0, 0, 1, 1]), 0)
    expect(taken()).toEqual([["crane", [10, 1, 1]]])
  })

  test.for([
    [[7000, 1, 1, 1, 1, 1, 1, 1], 0],
    [[7000, 1, 1, 1, 1, 1, 1, 1, 1], 8],
    [[7000, 8, 1, 1, 1, 1, 1, 1, 1], 7],
    [[7000, 900, 800, 700, 600, 500, 400, 300, 200], 8],
    [[1, 1, 1, 1, 1, 1, 1, 1, 7000], 9],
  ] as const)("of segments with %j contents the newest %i are merged", ([sizes, joined]) => {
    expect(newestToMerge(sizes)).toBe(joined)
  })
})
