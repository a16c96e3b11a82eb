import { describe, expect, it } from "vitest"
import { linesOf } from "./document-rows.tsx"
import { aDocument, aFolder, aHit, aStatus } from "./knowledge.fixture.ts"
import { describeAdded, searchInput } from "./use-knowledge.ts"
import { describeReasons, describeSearchMethod, describeTotals } from "./words.ts"

describe("reasons for a search hit", () => {
  it("a hit is found by words, by meaning, by both, or by a reference", () => {
    expect(describeReasons(aHit("a"))).toBe("words, rank 1 (arrived)")
    expect(describeReasons(aHit("a", { words: null, meaning: 3, matched: [] }))).toBe(
      "meaning, rank 3",
    )
    expect(describeReasons(aHit("a", { meaning: 2 }))).toBe(
      "both: words, rank 1 (arrived); meaning, rank 2",
    )
    const hop = { from: "b", kind: "refers", depth: 2 }
    expect(describeReasons(aHit("a", { words: null, hop, matched: [] }))).toBe("2 hops over refers")
  })

  it("the search method is shown, and the reason if meaning is off", () => {
    expect(describeSearchMethod(aStatus().by)).toBe(
      "Searched by words only: no embedder is configured",
    )
    expect(describeSearchMethod({ words: true, meaning: "small", note: null })).toBe(
      "Searched by words and by meaning (small)",
    )
    expect(describeTotals(aStatus())).toBe("1 document, 41 paragraphs, 22 references")
    expect(searchInput("x", { tier: "guide", hops: true })).toMatchObject({
      tier: "guide",
      hops: 1,
    })
    expect(searchInput("x", { tier: null, hops: false })).toEqual({ query: "x", limit: 50 })
  })

  it("documents are listed below their folder, and folders of other tiers are left out", () => {
    const folders = [aFolder("/docs"), aFolder("/guides"), aFolder("/empty", { documents: 0 })]
    const documents = [aDocument("a"), aDocument("b", { folder: "/lost" })]
    expect(linesOf(folders, documents).map((it) => it.key)).toEqual([
      "folder /docs",
      "a",
      "folder /empty",
      "b",
    ])
  })

  it("the result of indexing is given in numbers", () => {
    const added = {
      folder: "/docs",
      tier: "primary" as const,
      added: 3,
      changed: 0,
      removed: 1,
      unchanged: 2,
      documents: 6,
      paragraphs: 80,
      skipped: [{ path: "a.png", reason: "no text" }],
      by: aStatus().by,
    }
    expect(describeAdded(added)).toBe("Indexed: 3 added, 1 removed, 2 unchanged, 1 skipped")
    expect(describeAdded({ ...added, added: 0, removed: 0, unchanged: 0, skipped: [] })).toBe(
      "Indexed: no document",
    )
  })
})
