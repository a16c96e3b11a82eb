import fc from "fast-check"
import { expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { CONTEXT_LINES, diffLines, MOST_COMPARED_LINES, MOST_EDITS } from "./line-diff.ts"

test("[CAPTURE-9] changed lines are shown with line numbers and context lines", () => {
  const before = ["a", "b", "c", "d", "e", "f", "g", "h", "i"].join("\n")
  const after = ["a", "b", "c", "d", "E", "f", "g", "h", "i", "j"].join("\n")
  const diff = diffLines(before, after)
  expect(diff).toMatchObject({ added: 2, removed: 1 })
  expect(
    diff?.lines.map((it) => `${it.before ?? ""}${it.sign}${it.after ?? ""} ${it.text}`),
  ).toEqual([
    "2 2 b",
    "3 3 c",
    "4 4 d",
    "5- e",
    "+5 E",
    "6 6 f",
    "7 7 g",
    "8 8 h",
    "9 9 i",
    "+10 j",
  ])
})

test("[CAPTURE-9] lines far from a change are left out", () => {
  const lines = Array.from({ length: 50 }, (_, i) => `line ${i}`)
  const diff = diffLines(lines.join("\n"), [...lines, "one more"].join("\n"))
  expect(diff?.lines).toHaveLength(CONTEXT_LINES + 1)
})

test("[CAPTURE-9] texts that are too long or completely different have no line diff", () => {
  const many = (count: number, report: string) =>
    Array.from({ length: count }, (_, i) => `${report}${i}`).join("\n")
  expect(diffLines(many(MOST_COMPARED_LINES + 1, "a"), "a")).toBeUndefined()
  expect(diffLines(many(MOST_EDITS, "a"), many(MOST_EDITS, "b"))).toBeUndefined()
})

test("[CAPTURE-9] applying the line diff to the older text gives the newer text", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", ""), { minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(text, text, (a, b) => {
      const lines = diffLines(a.join("\n"), b.join("\n"))?.lines ?? []
      const gone = new Set(lines.filter((it) => it.sign === "-").map((it) => it.before))
      const come = new Map(lines.filter((it) => it.sign === "+").map((it) => [it.after, it.text]))
      const left = a.filter((_, index) => !gone.has(index + 1))
      const rebuilt = b.map((_, index) => come.get(index + 1) ?? left.shift())
      expect(rebuilt).toEqual(b)
      expect(left).toEqual([])
    }),
    fcParameters({ numRuns: 300 }),
  )
})
