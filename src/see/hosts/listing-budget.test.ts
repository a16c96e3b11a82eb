import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fitDescriptions, shareDescriptions, widthOf } from "./listing-budget.ts"

const entry = (
  name: string,
  description: string,
  more: { score?: number; isFixed?: boolean } = {},
) => ({
  full: `- ${name}: ${description}`,
  nameOnly: `- ${name}`,
  isFixed: false,
  score: 0,
  ...more,
})

describe("the listing budget of Claude Code", () => {
  test("[HOSTS-64] a listing within its budget keeps every description", () => {
    const entries = [entry("a", "x".repeat(10)), entry("b", "y")]
    expect(fitDescriptions(entries, 15 + 6 + 1)).toEqual([true, true])
    expect(fitDescriptions(entries, 15 + 6)).toEqual([true, false])
  })

  test("[HOSTS-64] the most used skills get their description first; fixed ones keep theirs", () => {
    const long = "x".repeat(100)
    const entries = [
      entry("a", long),
      entry("b", long, { score: 2 }),
      entry("c", long, { isFixed: true }),
      entry("d", long, { score: 1 }),
    ]
    expect(fitDescriptions(entries, 105 + 3 * 3 + 3 + 102)).toEqual([false, true, true, false])
    expect(fitDescriptions(entries, 105 + 3 * 3 + 3 + 204)).toEqual([false, true, true, true])
  })

  test("[HOSTS-64] wide characters count twice, marks not at all", () => {
    expect(widthOf("abc")).toBe(3)
    expect(widthOf("日本")).toBe(4)
    expect(widthOf("e\u0301")).toBe(1)
  })
})

describe("the listing budget of Codex", () => {
  const anyEntry = fc.record({
    name: fc.string({ minLength: 1, maxLength: 12 }),
    description: fc.string({ minLength: 1, maxLength: 60, unit: "grapheme" }),
    path: fc.string({ minLength: 1, maxLength: 12 }),
  })
  const costOf = (lines: readonly (string | undefined)[]) =>
    lines.reduce(
      (sum, it) => sum + (it === undefined ? 0 : Math.ceil((Buffer.byteLength(it) + 1) / 4)),
      0,
    )

  test("[HOSTS-64] the lines never cost more than the budget, and one token more would be used", () => {
    fc.assert(
      fc.property(fc.array(anyEntry, { maxLength: 30 }), fc.nat(2_000), (entries, budget) => {
        const lines = shareDescriptions(entries, budget)
        expect(lines).toHaveLength(entries.length)
        expect(costOf(lines)).toBeLessThanOrEqual(budget)
      }),
    )
  })

  test("[HOSTS-64] if even the names exceed the budget, later skills are left out", () => {
    const entries = ["a", "b"].map((name) => ({ name, description: "d", path: "p" }))
    expect(shareDescriptions(entries, 4)).toEqual(["- a: (file: p)", undefined])
  })
})
