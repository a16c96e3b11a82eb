import { describe, expect, test } from "vitest"
import { rankByLeaning } from "./page-rank.ts"

function file(
  path: string,
  defines: readonly string[],
  uses: Readonly<Record<string, number>> = {},
) {
  return { path, defines, uses: new Map(Object.entries(uses)) }
}

const FILES = [
  file("app/main.ts", ["main"], { render: 3, parse: 1 }),
  file("app/render.ts", ["render"], { escape: 2 }),
  file("app/parse.ts", ["parse"]),
  file("app/escape.ts", ["escape"]),
  file("app/alone.ts", ["alone"]),
]

function ranked(task: string): readonly string[] {
  return rankByLeaning(FILES, task).map((it) => FILES[it]?.path.slice(4) ?? "")
}

describe("the page-rank map", () => {
  test("[PROOF-8] ranks files with more and more frequent uses first", () => {
    expect(ranked("")).toEqual(["escape.ts", "render.ts", "parse.ts", "main.ts", "alone.ts"])
  })

  test("[PROOF-8] starts the walk at a file whose name is in the task", () => {
    expect(ranked("rework alone please")[0]).toBe("alone.ts")
  })

  test("[PROOF-8] weighs a name from the task tenfold", () => {
    const before = ranked("").indexOf("parse.ts")
    expect(ranked("the function parse is slow").indexOf("parse.ts")).toBeLessThan(before)
  })

  test("[PROOF-8] ranks every file once, and ignores uses inside a file", () => {
    expect(ranked("").toSorted()).toEqual(FILES.map((it) => it.path.slice(4)).toSorted())
    expect(rankByLeaning([], "task")).toEqual([])
    expect(rankByLeaning([file("b", ["y"]), file("a", ["x"], { x: 9 })], "")).toEqual([0, 1])
  })
})
