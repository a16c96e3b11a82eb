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

describe("[PROOF-8] the map by page rank", () => {
  test("[PROOF-8] what others lean on comes first, and more so what is used more", () => {
    expect(ranked("")).toEqual(["escape.ts", "render.ts", "parse.ts", "main.ts", "alone.ts"])
  })

  test("[PROOF-8] a file whose name stands in the task is where the walk begins", () => {
    expect(ranked("rework alone please")[0]).toBe("alone.ts")
  })

  test("[PROOF-8] a name of the task is leant on tenfold", () => {
    const before = ranked("").indexOf("parse.ts")
    expect(ranked("the function parse is slow").indexOf("parse.ts")).toBeLessThan(before)
  })

  test("[PROOF-8] every file has one place, and no file leans on itself", () => {
    expect(ranked("").toSorted()).toEqual(FILES.map((it) => it.path.slice(4)).toSorted())
    expect(rankByLeaning([], "task")).toEqual([])
    expect(rankByLeaning([file("b", ["y"]), file("a", ["x"], { x: 9 })], "")).toEqual([0, 1])
  })
})
