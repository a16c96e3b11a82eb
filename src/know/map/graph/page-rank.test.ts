import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { rankNodes } from "./page-rank.ts"

const to = (...nodes: readonly number[]) => nodes.map((it) => ({ to: it, weight: 1 }))

describe("page rank of files", () => {
  test("[MAP-42] the most imported file has 1, a file without importers 0", () => {
    const ranks = rankNodes([to(2), to(2), to(3), [], to(3)])
    expect(ranks[3]).toBe(1)
    expect([ranks[0], ranks[1], ranks[4]]).toEqual([0, 0, 0])
    expect(ranks[2]).toBeGreaterThan(0.2)
  })

  test("[MAP-42] an import by a highly ranked file counts more", () => {
    const ranks = rankNodes([to(3), to(3), to(3), to(5), to(6), [], []])
    expect(ranks[5]).toBeGreaterThan(2 * (ranks[6] ?? 1))
  })

  test("[MAP-42] an edge with more weight passes on more rank", () => {
    const [, heavy = 0, light = 1] = rankNodes([
      [
        { to: 1, weight: 3 },
        { to: 2, weight: 1 },
      ],
      [],
      [],
    ])
    expect(heavy).toBe(1)
    expect(light).toBeCloseTo(1 / 3, 9)
  })

  test("[MAP-42] no file, one file and a cycle have rank 0", () => {
    expect([...rankNodes([])]).toEqual([])
    expect([...rankNodes([[]])]).toEqual([0])
    expect([...rankNodes([to(1), to(2), to(0)])]).toEqual([0, 0, 0])
  })

  test("[MAP-42] ranks are between 0 and 1 and do not depend on names or order", () => {
    const graph = fc.integer({ min: 2, max: 12 }).chain((size) =>
      fc.record({
        edges: fc.array(fc.uniqueArray(fc.nat({ max: size - 1 }), { maxLength: 4 }), {
          minLength: size,
          maxLength: size,
        }),
        order: fc.shuffledSubarray([...Array(size).keys()], { minLength: size }),
      }),
    )
    fc.assert(
      fc.property(graph, ({ edges, order }) => {
        const ranks = rankNodes(edges.map((it) => to(...it)))
        expect([...ranks].every((it) => it >= 0 && it <= 1)).toBe(true)
        const moved = rankNodes(
          order.map((old) => to(...(edges[old] ?? []).map((it) => order.indexOf(it)))),
        )
        for (const [index, old] of order.entries()) {
          expect(moved[index]).toBeCloseTo(ranks[old] ?? -1, 9)
        }
      }),
      fcParameters({ numRuns: 60 }),
    )
  })
})
