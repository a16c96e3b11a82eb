import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { rankNodes } from "./page-rank.ts"

const to = (...nodes: readonly number[]) => nodes.map((it) => ({ to: it, weight: 1 }))

describe("[MAP-42] ranks say how much the rest leans on a file", () => {
  test("[MAP-42] the most leant on has 1, what nobody leans on has 0", () => {
    const ranks = rankNodes([to(2), to(2), to(3), [], to(3)])
    expect(ranks[3]).toBe(1)
    expect([ranks[0], ranks[1], ranks[4]]).toEqual([0, 0, 0])
    expect(ranks[2]).toBeGreaterThan(0.2)
  })

  test("[MAP-42] being leant on by what is leant on counts more", () => {
    // Both have one importer; that of 5 has three itself.
    const ranks = rankNodes([to(3), to(3), to(3), to(5), to(6), [], []])
    expect(ranks[5]).toBeGreaterThan(2 * (ranks[6] ?? 1))
  })

  test("[MAP-42] an edge of more weight hands on more", () => {
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

  test("[MAP-42] nothing, one file and a ring have no rank", () => {
    expect([...rankNodes([])]).toEqual([])
    expect([...rankNodes([[]])]).toEqual([0])
    expect([...rankNodes([to(1), to(2), to(0)])]).toEqual([0, 0, 0])
  })

  test("[MAP-42] always from 0 to 1; names and order of the files do not matter", () => {
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
        for (const [place, old] of order.entries()) {
          expect(moved[place]).toBeCloseTo(ranks[old] ?? -1, 9)
        }
      }),
      fcParameters({ numRuns: 60 }),
    )
  })
})
