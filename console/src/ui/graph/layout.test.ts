import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { withSeed } from "../../test-seed.ts"
import { type GraphNode, layoutGraph, MOST_IN_A_COLUMN, nodeBeside } from "./layout.ts"

const node = (id: string, overrides: Partial<GraphNode> = {}): GraphNode => ({
  id,
  label: id,
  title: id,
  href: `/${id}`,
  side: "before",
  hops: 1,
  via: null,
  isSure: true,
  ...overrides,
})

describe("graph of a neighbourhood", () => {
  it("callers are on the left, callees on the right, second hops outside", () => {
    const layout = layoutGraph([
      node("far", { hops: 2, via: "a" }),
      node("a"),
      node("b", { side: "after" }),
      node("beyond", { side: "after", hops: 2 }),
    ])
    const columns = layout.nodes.map((it) => [it.id, it.column])
    expect(columns).toEqual([
      ["far", 0],
      ["a", 1],
      ["b", 3],
      ["beyond", 4],
    ])
    expect(layout.centre.column).toBe(2)
  })

  it("a second-hop column exists only if it has a node", () => {
    const shape = (nodes: readonly GraphNode[]) => {
      const { columns, centre } = layoutGraph(nodes)
      return [columns, centre.column]
    }
    expect(shape([node("a")])).toEqual([3, 1])
    expect(shape([node("a", { hops: 2 })])).toEqual([4, 2])
    expect(shape([node("a", { side: "after", hops: 2 })])).toEqual([4, 1])
  })

  it("a second hop is connected to its intermediate node, and has no line if that is unknown", () => {
    const edges = (via: string | null) =>
      layoutGraph([node("a"), node("far", { hops: 2, via, isSure: false })]).edges.map(
        ({ from, to, isSure }) => [from.column, to.column, isSure],
      )
    expect(edges("a")).toEqual([
      [0, 1, false],
      [1, 2, true],
    ])
    expect(edges(null)).toEqual([[1, 2, true]])
    expect(edges("somebody else")).toEqual([[1, 2, true]])
  })

  it("nodes without space are counted, and a repeated node is drawn once at its nearest hop", () => {
    const many = Array.from({ length: MOST_IN_A_COLUMN + 5 }, (_, i) => node(`n${i}`))
    expect(layoutGraph(many).hidden).toEqual([5, 0, 0])
    const twice = layoutGraph([node("a", { hops: 2, via: "a" }), node("a")])
    expect(twice.nodes.map((it) => [it.id, it.hops])).toEqual([["a", 1]])
  })

  it("arrow keys reach every node and stop at the edges", () => {
    const nodes = fc.array(
      fc.record({
        id: fc.string({ minLength: 1, maxLength: 3 }),
        side: fc.constantFrom("before" as const, "after" as const),
        hops: fc.constantFrom(1 as const, 2 as const),
      }),
      { minLength: 1, maxLength: 40 },
    )
    fc.assert(
      fc.property(nodes, (drawn) => {
        const layout = layoutGraph(drawn.map((it) => node(it.id, it)))
        const reached = new Set(layout.nodes.slice(0, 1))
        for (const at of reached) {
          for (const key of ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"]) {
            const next = nodeBeside(layout, at, key)
            if (next !== undefined) reached.add(next)
          }
        }
        // Up and down reach each node of a column; left and right skip no column with nodes.
        expect(reached.size).toBe(layout.nodes.length)
      }),
      withSeed(),
    )
  })
})
