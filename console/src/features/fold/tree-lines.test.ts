import { describe, expect, it } from "vitest"
import { ACTIVE, aBranch, aTree } from "./fold.fixture.ts"
import { sumsOf, treeLines, turnLine } from "./tree-lines.ts"

const TREE = aTree([
  aBranch("a", { children: 2 }),
  aBranch("b", { parentId: "a", depth: 1, children: 1 }),
  aBranch("c", { parentId: "b", depth: 2 }),
  aBranch("d", { parentId: "a", depth: 1 }),
  aBranch("e", { sessionId: "s-2" }),
])

const drawn = (closed: readonly string[]) =>
  treeLines(TREE, closed).map(({ key, depth, isOpen }) => `${depth} ${key} ${isOpen}`)

describe("rows of the page Folds", () => {
  it("a branch is listed below its session and its parent branch", () => {
    expect(drawn([])).toEqual([
      "0 session s-1 true",
      "1 a true",
      "2 b true",
      "3 c null",
      "2 d null",
      "0 session s-2 true",
      "1 e null",
    ])
  })

  it("a collapsed row hides its descendants and no other row", () => {
    expect(drawn(["a"])).toEqual([
      "0 session s-1 true",
      "1 a false",
      "0 session s-2 true",
      "1 e null",
    ])
    expect(drawn(["session s-1", "b"])).toEqual([
      "0 session s-1 false",
      "0 session s-2 true",
      "1 e null",
    ])
    expect(turnLine(turnLine(["x"], "a"), "a")).toEqual(["x"])
  })

  it("each row has its position and set size for assistive technology", () => {
    const places = treeLines(TREE, []).map(({ key, position, siblings }) => [
      key,
      position,
      siblings,
    ])
    expect(places).toEqual([
      ["session s-1", 1, 2],
      ["a", 1, 1],
      ["b", 1, 2],
      ["c", 1, 1],
      ["d", 2, 2],
      ["session s-2", 2, 2],
      ["e", 1, 1],
    ])
  })

  it("a branch whose parent is unknown or itself is listed below the session", () => {
    const tree = aTree([
      aBranch("x", { parentId: "gone", depth: 2 }),
      aBranch("y", { parentId: "y" }),
    ])
    expect(treeLines(tree, []).map((it) => it.depth)).toEqual([0, 1, 1])
  })

  it("the totals equal the sum of the rows, and one lower bound makes the total one", () => {
    const tree = aTree([
      aBranch("a"),
      aBranch("b", { ...ACTIVE, tokensInWindow: 0, tokensKeptOut: 800, resultTokens: 0 }),
      aBranch("c", { mode: "none", tokensInWindow: 100, tokensKeptOut: 0 }),
      aBranch("d", { mode: "handle", tokensInWindow: 300, tokensKeptOut: 2_800, resultTokens: 40 }),
    ])
    expect(sumsOf(tree)).toEqual({
      branches: 4,
      active: 1,
      keptOut: 9_400 + 800 + 2_800,
      seen: 412 + 100 + 300,
      returned: 864,
      isLowerBound: false,
    })
    expect(sumsOf(aTree([aBranch("a", { isLowerBound: true })])).isLowerBound).toBe(true)
  })
})
