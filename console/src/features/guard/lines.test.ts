import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { withSeed } from "../../test-seed.ts"
import { aLine, NOW } from "./guard.fixture.ts"
import { byDay, keyed, matching } from "./rows.tsx"

describe("the lines of the log", () => {
  it("[CONSOLE-45] what comes in later moves no key of what is there, also at the same moment", () => {
    const moments = fc.array(fc.integer({ min: NOW - 5, max: NOW }), { maxLength: 12 })
    fc.assert(
      fc.property(moments, fc.nat(12), (given, older) => {
        const newestFirst = given.toSorted((a, b) => b - a).map((at) => aLine({ at }))
        const before = keyed(newestFirst.slice(Math.min(older, newestFirst.length)))
        const after = keyed(newestFirst)
        expect(after.slice(after.length - before.length)).toEqual(before)
        expect(new Set(after.map((it) => it.key)).size).toBe(after.length)
      }),
      withSeed(),
    )
  })

  it("[CONSOLE-45] words narrow it by path, text, tool, rule, host and session, all of them", () => {
    const rows = keyed([
      aLine({ at: NOW, tool: "Write" }),
      aLine({ paths: ["docs/a.md"], rule: null, tool: null, text: "Quay 7" }),
    ])
    const found = (text: string) => matching(rows, text).map((it) => rows.indexOf(it))
    expect([found(""), found("WRITE rounding"), found("quay"), found("quay write")]).toEqual([
      [0, 1],
      [0],
      [1],
      [],
    ])
    expect([found("risk"), found("5f0c"), found("claude-code docs")]).toEqual([[0], [0, 1], [1]])
  })

  it("[CONSOLE-45] days are groups with how many they have", () => {
    const rows = keyed([aLine(), aLine({ at: NOW - 86_400_000 })])
    expect(
      byDay(rows, NOW).flatMap((it) => (it.kind === "day" ? [it.name, it.count] : [])),
    ).toEqual(["Today", 1, "Yesterday", 1])
  })
})
