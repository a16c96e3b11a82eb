import { describe, expect, it } from "vitest"
import { graphNodes, linkLines } from "./link-lines.ts"
import { aLink, aShownSymbol, aSymbol } from "./map.fixture.ts"

const inFile = (path: string, name: string, hops: 1 | 2 = 1) =>
  aLink(name, { symbol: aSymbol(name, { path }), hops })

describe("neighbours of a symbol", () => {
  it("they are grouped by hop, then by file, and an empty first hop says so", () => {
    const shown = aShownSymbol({
      callers: [
        inFile("b.ts", "x"),
        inFile("a.ts", "y"),
        inFile("b.ts", "z"),
        inFile("c.ts", "w", 2),
      ],
      others: [aSymbol("roundLine", { path: "other.ts" })],
    })
    const description = linkLines(shown).map((it) => {
      if (it.kind === "heading") return `${it.name} ${it.count}`
      if (it.kind === "file") return it.path
      return `- ${it.kind === "link" ? it.link.symbol.name : it.symbol.path}`
    })
    expect(description).toEqual([
      "Callers 3",
      "b.ts",
      "- x",
      "- z",
      "a.ts",
      "- y",
      "Callees 0",
      "Callers, two hops 1",
      "c.ts",
      "- w",
      "Same name 1",
      "- other.ts",
    ])
    expect(new Set(linkLines(shown).map((it) => it.key)).size).toBe(description.length)
  })

  it("in the graph an uncertain link is marked, and control characters in names are escaped", () => {
    const shown = aShownSymbol({
      callers: [aLink("a\u202Eb", { confidence: "ambiguous" })],
      called: [aLink("far", { hops: 2, via: "src/rounding.ts#near" })],
    })
    const nodes = graphNodes(shown, (it) => `/map?show=${it.name}`)
    expect(nodes).toMatchObject([
      { label: "a\\u{202e}b", side: "before", isSure: false, via: null },
      { label: "far", side: "after", isSure: true, via: "src/rounding.ts#near" },
    ])
  })
})
