import { expect, test } from "vitest"
import { fitFile, fitSegment } from "../fit.fixture.ts"
import { createBoard } from "./budget-board.ts"
import { expectationOf, segmentChance } from "./expected-need.ts"
import { fillBudget } from "./fill-budget.ts"
import { FIT_WEIGHTS, optionsInOrder } from "./value-density.ts"

const FACTS = {
  probability: 0.5,
  relative: 1,
  place: 0,
  isBeside: false,
  segments: 10,
  tokens: 200,
  local: 1,
  overall: 1,
  localPlace: 0,
  isNamed: false,
  isFirst: false,
  isFunction: true,
}

test("[PACK-34] the best function of the best source file has the highest chance", () => {
  for (const kind of ["issue", "task"] as const) {
    const best = segmentChance(FACTS, kind)
    const others = [
      { place: 3, relative: 0.4, probability: 0.2 },
      { isBeside: true },
      { localPlace: 6, local: 0.2, overall: 0.2 },
      { segments: 200 },
      { isFunction: false },
    ]
    for (const it of others) expect(segmentChance({ ...FACTS, ...it }, kind)).toBeLessThan(best)
  }
})

test("[PACK-34] a package that the cap ends has what the curve expects of its size", () => {
  const chances = [0.9, 0.8, 0.6, 0.5, 0.4, 0.3, 0.25, 0.2, 0.2, 0.2]
  const files = ["a.ts", "b.ts"].map((path, at) =>
    fitFile(
      path,
      chances.map((chance) => fitSegment(92, 1, { chance: chance / (at + 1) })),
      { headingTokens: 41, signatures: [] },
    ),
  )
  const options = optionsInOrder(createBoard(files, 0).choices, {
    taskKind: "issue",
    weights: FIT_WEIGHTS,
  })
  const parts = options.map(({ choice, segments }) => ({ file: choice.file, segments }))
  for (const budgetTokens of [500, 1_000]) {
    const limits = { budgetTokens, truncate: "signatures", fill: false, taskKind: "issue" } as const
    const { chosen } = fillBudget(files, limits)
    const sent = new Map(chosen.map((it) => [it.path, new Set(it.segments)]))
    const sentOf = (path: string) => sent.get(path) ?? new Set<number>()
    const { recall, curve } = expectationOf(files, { sentOf, ordered: parts, tokenFactor: 1 })
    const expected = curve.find((it) => it.tokens === budgetTokens)?.recall ?? 0
    // The package saves labels between adjacent segments, so it may have one segment more.
    expect(recall).toBeGreaterThanOrEqual(expected)
    expect(recall).toBeLessThan(expected + 0.12)
  }
})

test("[PACK-34] the curve adds segments that no package has after all others", () => {
  // Many short segments that match in words, but are unlikely to be needed; and a long one that is.
  const short = Array.from({ length: 30 }, () => fitSegment(8, 1, { chance: 0.001 }))
  const long = fitSegment(400, 0.4, { chance: 0.3 })
  const files = [
    fitFile("a.ts", [...short, long], { headingTokens: 41, signatures: [] }),
    fitFile("b.ts", [fitSegment(600, 0.1, { chance: 0.001 })], { signatures: [] }),
  ]
  const order = { taskKind: "task", weights: { ...FIT_WEIGHTS, wholeTokens: 0 } } as const
  const options = optionsInOrder(createBoard(files, 0).choices, order)
  const ordered = options.map(({ choice, segments }) => ({ file: choice.file, segments }))
  expect(ordered[0]?.segments).toEqual([30])
  const curveFor = (tokenFactor: number) =>
    expectationOf(files, { sentOf: () => new Set(), ordered, tokenFactor }).curve
  const at = (size: number, factor: number) =>
    curveFor(factor).find((it) => it.tokens === size)?.recall
  expect(at(500, 1)).toBeGreaterThan(0.8)
  expect(at(500, 2)).toBe(0)
  expect(at(1_000, 2)).toBe(at(500, 1))
})
