import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { editedRanges, type LineRange } from "./hunks.ts"

const lines = (...all: readonly string[]) => all.map((it) => `${it}\n`).join("")
const range = (fromLine: number, toLine: number): LineRange => ({ fromLine, toLine })

describe("hunks of a change", () => {
  test.for<readonly [string, string, string, readonly LineRange[]]>([
    ["equal texts have no hunk", lines("a", "b"), lines("a", "b"), []],
    ["one replaced line is a hunk", lines("a", "b", "c"), lines("a", "x", "c"), [range(2, 2)]],
    [
      "lines replaced by more lines are a hunk",
      lines("a", "b", "c"),
      lines("x", "y", "z", "c"),
      [range(1, 2)],
    ],
    ["removed lines are a hunk", lines("a", "b", "c", "d"), lines("a", "d"), [range(2, 3)]],
    [
      "two changes are two hunks",
      lines("a", "b", "c", "d", "e"),
      lines("x", "b", "c", "d", "y"),
      [range(1, 1), range(5, 5)],
    ],
    [
      "inserted lines belong to the line before them",
      lines("a", "b", "c"),
      lines("a", "b", "x", "c"),
      [range(2, 2)],
    ],
    [
      "lines inserted at the top belong to the first line",
      lines("a", "b"),
      lines("x", "a", "b"),
      [range(1, 1)],
    ],
    [
      "lines appended belong to the last line",
      lines("a", "b"),
      lines("a", "b", "x"),
      [range(2, 2)],
    ],
    ["an emptied file is one hunk", lines("a", "b"), "", [range(1, 2)]],
    ["an empty file has no hunk", "", lines("a"), []],
    ["a newline added at the end is no hunk", "a\nb", "a\nb\n", []],
    [
      "adjacent replaced and removed lines are one hunk",
      lines("a", "b", "c", "d"),
      lines("a", "x", "d"),
      [range(2, 3)],
    ],
  ])("[PROOF-4] %s", ([, before, after, expected]) => {
    expect(editedRanges(before, after)).toEqual(expected)
  })

  test("[PROOF-4] two texts without a common line are one hunk, however long", () => {
    const before = Array.from({ length: 3_000 }, (_, at) => `a${at}\n`).join("")
    const after = Array.from({ length: 3_000 }, (_, at) => `b${at}\n`).join("")
    expect(editedRanges(before, after)).toEqual([range(1, 3_000)])
  })

  const text = fc.array(fc.constantFrom("a", "b", "c", "d", "e"), { maxLength: 14 })

  test("[PROOF-4] lines outside all hunks are unchanged, and hunks are minimal", () => {
    const property = fc.property(text, text, (before, after) => {
      const ranges = editedRanges(lines(...before), lines(...after))
      const isEdited = (line: number) =>
        ranges.some((it) => it.fromLine <= line && line <= it.toLine)
      const unchanged = before.filter((_, at) => !isEdited(at + 1))
      expect(longestCommon(unchanged, after)).toBe(unchanged.length)
      expect(unchanged.length).toBeGreaterThanOrEqual(longestCommon(before, after) - ranges.length)
      const ends = ranges.flatMap((it) => [it.fromLine, it.toLine])
      expect(ends).toEqual(ends.toSorted((a, b) => a - b))
      const isSame = before.length === 0 || before.join() === after.join()
      expect(ranges.length === 0).toBe(isSame)
    })
    fc.assert(property, fcParameters({ numRuns: 500 }))
  })
})

/** The textbook algorithm, in quadratic time. */
function longestCommon(a: readonly string[], b: readonly string[]): number {
  const best = [...a, ""].map(() => [...b, ""].map(() => 0))
  for (const [i, left] of a.entries()) {
    for (const [j, right] of b.entries()) {
      const longer = Math.max(best[i]![j + 1]!, best[i + 1]![j]!)
      best[i + 1]![j + 1] = left === right ? best[i]![j]! + 1 : longer
    }
  }
  return best[a.length]![b.length]!
}
