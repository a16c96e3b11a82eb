import { describe, expect, it } from "vitest"
import { anEntry, aTree } from "./map.fixture.ts"
import { type FolderAnswer, flatLines, shownFolders, treeLines, turnFolder } from "./tree-lines.ts"

const known = (entries: Parameters<typeof aTree>[0], total = entries.length): FolderAnswer => ({
  tree: aTree(entries, { total }),
  error: null,
})
const folder = (path: string) => anEntry(path, { kind: "folder" })
const formatLines = (answers: Parameters<typeof treeLines>[0]) =>
  treeLines(answers).map((it) =>
    it.kind === "note" ? `${it.depth} ${it.state}` : `${it.depth} ${it.key} ${it.isOpen}`,
  )

describe("rows of the tree", () => {
  it("the content of an open folder is listed below it, one level deeper", () => {
    const answers = new Map<string, FolderAnswer>([
      ["", known([folder("src"), anEntry("a.md")])],
      ["src", known([folder("src/tariff"), anEntry("src/a.ts")])],
    ])
    expect(formatLines(answers)).toEqual([
      "0 src true",
      "1 src/tariff false",
      "1 src/a.ts null",
      "0 a.md null",
    ])
  })

  it("a folder that is loading, failed or truncated shows that in its own row", () => {
    const waits = { tree: undefined, error: null }
    const fails = { tree: undefined, error: new Error("no") }
    const answers = new Map<string, FolderAnswer>([
      ["", known([folder("a"), folder("b"), folder("c")])],
      ["a", waits],
      ["b", fails],
      ["c", known([anEntry("c/1.ts")], 10_000)],
    ])
    expect(formatLines(answers)).toEqual([
      "0 a true",
      "1 loading",
      "0 b true",
      "1 failed",
      "0 c true",
      "1 c/1.ts null",
      "1 cut",
    ])
    const cut = treeLines(answers).at(-1)
    expect(cut).toMatchObject({
      description: "1 of 10,000 are listed. Search by path to find the others",
    })
  })

  it("only visible folders are requested, at most 200", () => {
    expect(shownFolders([])).toEqual([""])
    expect(shownFolders(["src/a", "src", "lib/x", "src"])).toEqual(["", "src/a", "src"])
    const many = Array.from({ length: 5_000 }, (_, i) => `f${i}`)
    expect(shownFolders(many)).toHaveLength(201)
  })

  it("collapsing a folder collapses its subfolders and no other folder", () => {
    expect(turnFolder(["src"], "src/a")).toEqual(["src", "src/a"])
    expect(turnFolder(["src", "src/a", "src-old"], "src")).toEqual(["src-old"])
  })

  it("files found by a part of their path are one flat list with full paths", () => {
    const lines = flatLines(aTree([anEntry("src/a.ts")], { total: 3 }))
    expect(lines[0]).toMatchObject({ key: "src/a.ts", entry: { name: "src/a.ts" } })
    expect(lines[1]).toMatchObject({ kind: "note", state: "cut" })
  })
})
