import fc from "fast-check"
import { expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { BudgetTooSmall } from "../errors.ts"
import { fitFile, fitSegment } from "../fit.fixture.ts"
import { type FitFile, frameTokens, isBareText, PIECE_TOKENS, sum } from "./budget-board.ts"
import { type ChosenFile, fillBudget, leastForTargets } from "./fill-budget.ts"
import { FIT_WEIGHTS } from "./value-density.ts"

const chosenIn = (
  files: readonly FitFile[],
  budgetTokens: number,
  truncate: "signatures" | "relevance" = "signatures",
) => fillBudget(files, { budgetTokens, truncate }).chosen

function costOf(chosen: readonly ChosenFile[], files: readonly FitFile[]): number {
  return sum(
    chosen.map(({ path, segments, signatures }) => {
      const file = files.find((it) => it.path === path)
      if (file === undefined) throw new Error(`${path} was not given`)
      const pieces = segments.filter((it) => !segments.includes(it - 1)).length
      const sent = sum(segments.map((it) => file.segments[it]?.tokens ?? 0))
      const listed = sum(
        signatures.map((it) => file.signatures.find((one) => one.symbol === it)?.tokens ?? 0),
      )
      return frameTokens(file) + pieces * PIECE_TOKENS + sent + listed
    }),
  )
}

const segment = fc.record({
  chance: fc.double({ min: 0, max: 1, noNaN: true }),
  tokens: fc.integer({ min: 1, max: 400 }),
  score: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 30, noNaN: true })),
  isNamed: fc.boolean(),
  isSent: fc.boolean(),
  isBare: fc.boolean(),
  head: fc.option(fc.nat({ max: 3 }), { nil: undefined }),
})
const anyFile = fc.record({
  segments: fc.array(segment, { maxLength: 8 }),
  naming: fc.constantFrom("target", "task", undefined, undefined, undefined, undefined),
  form: fc.constantFrom(
    "full",
    "symbols",
    "signatures",
    "path",
    ...Array<undefined>(12).fill(undefined),
  ),
})
const anyFiles = fc
  .array(anyFile, { maxLength: 12 })
  .map((all) => all.map(({ segments, ...fields }, at) => fitFile(`f${at}.ts`, segments, fields)))

test("[PACK-13] no selection exceeds the budget, and the same files give the same selection", () => {
  fc.assert(
    fc.property(
      anyFiles,
      fc.integer({ min: 0, max: 4_000 }),
      fc.constantFrom("signatures", "relevance"),
      (files, budgetTokens, truncate) => {
        const isTooSmall = leastForTargets(files) > budgetTokens
        if (isTooSmall) {
          expect(() => fillBudget(files, { budgetTokens, truncate })).toThrow("needs")
          return
        }
        const fitted = fillBudget(files, { budgetTokens, truncate })
        expect(costOf(fitted.chosen, files)).toBeLessThanOrEqual(budgetTokens)
        expect(fitted.roomTokens).toBe(budgetTokens - costOf(fitted.chosen, files))
        expect(fillBudget(files, { budgetTokens, truncate })).toEqual(fitted)
        const paths = [...fitted.chosen, ...fitted.left].map((it) => it.path)
        expect(paths.toSorted()).toEqual(files.map((it) => it.path).toSorted())
        for (const it of files) {
          const mustEnter = it.naming === "target" || it.form !== undefined
          if (mustEnter) expect(fitted.chosen.map((one) => one.path)).toContain(it.path)
        }
      },
    ),
    fcParameters({ numRuns: 500 }),
  )
})

test("[PACK-14] a small file enters whole, a large one as matching segments with the heads of their classes", () => {
  const small = fitFile("small.ts", [fitSegment(50), fitSegment(60, 3), fitSegment(40)])
  const large = fitFile("large.ts", [
    fitSegment(30),
    fitSegment(20),
    fitSegment(900),
    fitSegment(200, 9, { head: 1 }),
    fitSegment(900),
  ])
  expect(chosenIn([small, large], 600)).toEqual([
    { path: "small.ts", form: "full", segments: [0, 1, 2], signatures: [], sentBefore: false },
    { path: "large.ts", form: "symbols", segments: [0, 1, 3], signatures: [], sentBefore: false },
  ])
})

test("[PACK-14] with enough budget, every file is whole", () => {
  const files = [1, 2, 3].map((at) =>
    fitFile(`f${at}.ts`, [fitSegment(500, at), fitSegment(700), fitSegment(10)]),
  )
  expect(chosenIn(files, 10_000).map((it) => it.form)).toEqual(["full", "full", "full"])
})

test("[PACK-14] brackets and blank lines are never sent alone, and small gaps are filled", () => {
  const bare = fitSegment(3, 9, { isBare: true })
  const file = fitFile("a.ts", [
    fitSegment(200, 9),
    bare,
    fitSegment(200, 9),
    fitSegment(900),
    bare,
    fitSegment(900),
  ])
  // Two excerpts use the whole budget; filling the gap costs less than the label it saves.
  const budget = 400 + 2 * PIECE_TOKENS + frameTokens(file)
  expect(chosenIn([file], budget)[0]?.segments).toEqual([0, 1, 2])
  expect(chosenIn([file], budget + 60)[0]?.segments).toEqual([0, 1, 2])
})

test("[PACK-14] a gap that costs more than its label, or was sent before, is not filled", () => {
  const ends = fitSegment(200, 9)
  const gapped = (gap: ReturnType<typeof fitSegment>) =>
    fitFile("a.ts", [ends, gap, ends, fitSegment(900)])
  const chosenOf = (gap: ReturnType<typeof fitSegment>) => {
    const budgetTokens = 440 + frameTokens(gapped(gap))
    return chosenIn([gapped(gap)], budgetTokens)[0]?.segments
  }
  expect(chosenOf(fitSegment(12))).toEqual([0, 1, 2])
  expect(chosenOf(fitSegment(12, 0, { isSent: true }))).toEqual([0, 2])
  expect(chosenOf(fitSegment(80))).toEqual([0, 2])
})

test("[PACK-14] only blank lines and lone brackets count as bare", () => {
  const texts = ["", "\n\n", "  }\n", "})\n\n];\n", "end\n", "};\nexport\n", "a\n", "ending\n"]
  expect(texts.map(isBareText)).toEqual([true, true, true, true, true, false, false, false])
})

test("[PACK-14] a file too large for the remaining budget enters as signatures", () => {
  const files = [fitFile("large.ts", [fitSegment(3_000, 5), fitSegment(2_000)])]
  expect(chosenIn(files, 500)).toEqual([
    { path: "large.ts", form: "signatures", segments: [], signatures: [0, 1], sentBefore: false },
  ])
})

test("[PACK-14] a better rank and a better match give a higher value", () => {
  const half = (path: string, score: number) => fitFile(path, [fitSegment(400, score)])
  const budget = 400 + 20 + 30
  const both = { ...FIT_WEIGHTS, signatureShare: 0 }
  const first = fillBudget([half("a.ts", 1), half("b.ts", 1)], {
    budgetTokens: budget,
    truncate: "signatures",
    weights: both,
  })
  expect(first.chosen.map((it) => it.path)).toEqual(["a.ts"])
  const second = fillBudget([half("a.ts", 0), half("b.ts", 9)], {
    budgetTokens: budget,
    truncate: "signatures",
    weights: both,
  })
  expect(second.chosen.map((it) => it.path)).toEqual(["b.ts"])
})

test("[PACK-15] a file has the form that the user chose", () => {
  const segments = [fitSegment(400, 1), fitSegment(30, 4), fitSegment(400)]
  const forms = (["full", "symbols", "signatures", "path"] as const).map((form) =>
    fitFile(`${form}.ts`, segments, { form }),
  )
  expect(chosenIn(forms, 1_200).map((it) => [it.path, it.form])).toEqual([
    ["full.ts", "full"],
    ["symbols.ts", "symbols"],
    ["signatures.ts", "signatures"],
    ["path.ts", "path"],
  ])
})

test('[PACK-16] with `truncate: "relevance"` a file enters whole or is left out', () => {
  const files = [
    fitFile("large.ts", [fitSegment(900, 5), fitSegment(900)]),
    fitFile("small.ts", [fitSegment(300, 1), fitSegment(300)]),
  ]
  const fitted = fillBudget(files, { budgetTokens: 1_000, truncate: "relevance" })
  expect(fitted.chosen.map((it) => [it.path, it.form])).toEqual([["small.ts", "full"]])
  expect(fitted.left).toEqual([
    {
      path: "large.ts",
      needs: 1_800 + frameTokens(fitFile("", [])) + PIECE_TOKENS,
      isUnlikely: false,
    },
  ])
})

test("[PACK-17] a budget below the smallest form of the targets is an error with a sufficient budget", () => {
  const files = [1, 2].map((at) =>
    fitFile(`f${at}.ts`, [fitSegment(800), fitSegment(700)], { naming: "target" }),
  )
  const needed = leastForTargets(files)
  const what = "The smallest form of the targets"
  expect(() => fillBudget(files, { budgetTokens: needed - 1, truncate: "signatures" })).toThrow(
    BudgetTooSmall({ budget: needed - 1, needed, what }),
  )
  expect(chosenIn(files, needed).map((it) => it.form)).toEqual(["signatures", "signatures"])
})

test("[PACK-20] lines that were sent before are left out, and their file is listed", () => {
  const sent = { isSent: true }
  const files = [
    fitFile("all.ts", [fitSegment(100, 5, sent), fitSegment(100, 1, sent)]),
    fitFile("half.ts", [fitSegment(100, 5, sent), fitSegment(100, 1)]),
  ]
  expect(chosenIn(files, 1_000)).toEqual([
    { path: "all.ts", form: "path", segments: [], signatures: [], sentBefore: true },
    { path: "half.ts", form: "symbols", segments: [1], signatures: [], sentBefore: false },
  ])
})
