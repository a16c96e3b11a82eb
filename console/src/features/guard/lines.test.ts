import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { withSeed } from "../../test-seed.ts"
import { aLine, NOW } from "./guard.fixture.ts"
import { byDay, keyed, matching } from "./rows.tsx"

describe("rows of the guard log", () => {
  it("new verdicts change no key of listed ones, even with the same timestamp", () => {
    const moments = fc.array(fc.integer({ min: NOW - 5, max: NOW }), { maxLength: 12 })
    fc.assert(
      fc.property(moments, fc.nat(12), (times, older) => {
        const newestFirst = times.toSorted((a, b) => b - a).map((at) => aLine({ at }))
        const before = keyed(newestFirst.slice(Math.min(older, newestFirst.length)))
        const after = keyed(newestFirst)
        expect(after.slice(after.length - before.length)).toEqual(before)
        expect(new Set(after.map((it) => it.key)).size).toBe(after.length)
      }),
      withSeed(),
    )
  })

  it("every word of the filter must match path, text, tool, rule, host or session", () => {
    const rows = keyed([
      aLine({ at: NOW, tool: "Write" }),
      aLine({ paths: ["docs/a.md"], rule: null, tool: null, text: "Quay 7" }),
    ])
    const indexesOf = (text: string) => matching(rows, text).map((it) => rows.indexOf(it))
    expect([
      indexesOf(""),
      indexesOf("WRITE rounding"),
      indexesOf("quay"),
      indexesOf("quay write"),
    ]).toEqual([[0, 1], [0], [1], []])
    expect([indexesOf("risk"), indexesOf("5f0c"), indexesOf("claude-code docs")]).toEqual([
      [0],
      [0, 1],
      [1],
    ])
  })

  it("verdicts are grouped by day with their count", () => {
    const rows = keyed([aLine(), aLine({ at: NOW - 86_400_000 })])
    expect(
      byDay(rows, NOW).flatMap((it) => (it.kind === "day" ? [it.name, it.count] : [])),
    ).toEqual(["Today", 1, "Yesterday", 1])
  })
})
