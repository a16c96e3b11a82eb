import fc from "fast-check"
import { expect, test } from "vitest"
import { KEYWORDS } from "../find.ts"
import {
  createAutomaton,
  createComparison,
  createKeywordScan,
  type OnKeyword,
} from "./automaton.ts"

type Scan = (text: string, onKeyword: OnKeyword) => void

function hitsOf(scan: Scan, text: string): readonly string[] {
  const hits: string[] = []
  scan(text, (keyword, start) => hits.push(`${keyword}@${start}`))
  return hits
}

test("a short text and a long one have the same keywords in the same order", () => {
  const automaton = createAutomaton(KEYWORDS)
  const comparison = createComparison(KEYWORDS)
  const piece = fc.oneof(
    fc.constantFrom(...KEYWORDS),
    fc.constantFrom(...KEYWORDS).map((it) => it.toUpperCase()),
    fc.string({ unit: "binary", maxLength: 3 }),
    fc.constantFrom("İ", "ſ", "\u212a", "ẞ", "ß", "Ñ", " "),
  )
  const text = fc.array(piece, { maxLength: 12 }).map((it) => it.join(""))
  fc.assert(
    fc.property(text, (it) => {
      expect(hitsOf(comparison, it)).toEqual(hitsOf(automaton, it))
    }),
    { numRuns: 200 },
  )
})

test("overlapping keywords are all found", () => {
  const scan = createKeywordScan(["she", "he", "hers"])
  expect(hitsOf(scan, "uSHErs")).toEqual(["0@1", "1@2", "2@2"])
  expect(hitsOf(scan, `${"x".repeat(20_000)}she`)).toEqual(["0@20000", "1@20001"])
})
