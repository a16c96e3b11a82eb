import { describe, expect, test } from "vitest"
import { compactionContents, insideOf } from "./compaction-content.ts"

const read = (at: number, path: string) => ({
  at,
  role: "call",
  tool: "Read",
  tokens: 5,
  head: `Read ${path}\n200`,
})
const result = (at: number, tokens: number, tool = "Read") => ({
  at,
  role: "result",
  tool,
  tokens,
  head: "text",
})
const prompt = (at: number) => ({ at, role: "user", tool: null, tokens: 9, head: "Go" })

describe("what a compaction removed", () => {
  test("[SESSIONS-19] names files, results and turns, and what was read again until the next one", () => {
    const lines = [
      prompt(1),
      // Parallel calls: results keep the order of the calls.
      read(2, "a.ts"),
      read(3, "b.ts"),
      result(4, 100),
      result(5, 900),
      result(6, 40, "Bash"),
      result(7, 60, "Bash"),
      read(20, "b.ts"),
      result(21, 950),
      prompt(22),
      read(40, "b.ts"),
      result(41, 1),
    ]
    expect(compactionContents(lines, [10, 30])).toEqual([
      {
        turns: 1,
        fileCount: 2,
        files: [
          { path: "b.ts", tokens: 900, againTokens: 950 },
          { path: "a.ts", tokens: 100, againTokens: 0 },
        ],
        fileTokens: 1_000,
        againTokens: 950,
        tools: [{ tool: "Bash", results: 2, tokens: 100 }],
      },
      {
        turns: 1,
        fileCount: 1,
        files: [{ path: "b.ts", tokens: 950, againTokens: 1 }],
        fileTokens: 950,
        againTokens: 1,
        tools: [],
      },
    ])
  })

  test("[SESSIONS-19] files in the folder of the session have short paths", () => {
    const lines = [read(2, "/p/src/a.ts"), result(3, 9), read(4, "/p2/b.ts"), result(5, 8)]
    const [content] = compactionContents(lines, [10])
    if (content === undefined) throw new Error("there is one compaction")
    const pathsIn = (folder: string | null) => insideOf(folder, content).files.map((it) => it.path)
    expect(pathsIn("/p")).toEqual(["src/a.ts", "/p2/b.ts"])
    expect(pathsIn(null)).toEqual(["/p/src/a.ts", "/p2/b.ts"])
  })

  test("[SESSIONS-19] without lines, each compaction removed nothing that is known", () => {
    const nothing = { turns: 0, fileCount: 0, files: [], fileTokens: 0, againTokens: 0, tools: [] }
    expect(compactionContents([], [1, 2])).toEqual([nothing, nothing])
    expect(compactionContents([result(1, 5)], [])).toEqual([])
  })
})
