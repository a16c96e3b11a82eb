import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { CONTEXT_KINDS } from "#ground/contract"
import { fcParameters } from "#test/seed"
import { layoutBar } from "./bar.ts"
import { createBudget, remaining, shares, take, taken, tryTake } from "./budget.ts"
import { AmountInvalid, BudgetInvalid, BudgetSpent } from "./errors.ts"

const kind = fc.constantFrom(...CONTEXT_KINDS)

describe("[TOKENS-7] a budget is never exceeded, not by one token", () => {
  test("[TOKENS-7] what fits is taken, what does not is refused with the number missing", () => {
    const budget = take(createBudget(100), "files", 60)
    expect(tryTake(budget, "memory", 41)).toEqual({ kind: "too-big", missing: 1 })
    expect(tryTake(budget, "memory", 40)).toMatchObject({ kind: "taken" })
    expect(remaining(budget)).toBe(40)
  })

  test("[TOKENS-7] what must fit and does not says the numbers", () => {
    const budget = take(createBudget(100), "files", 60)
    expect(() => take(budget, "files", 50)).toThrow(
      expect.objectContaining({
        code: BudgetSpent.code,
        message: "50 tokens do not fit: 40 of 100 are left.",
        hint: "Raise the budget by at least 10, or leave something out.",
      }),
    )
  })

  test.for([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])("[TOKENS-7] %d is no amount", (bad) => {
    expect(() => createBudget(bad)).toThrow(expect.objectContaining({ code: BudgetInvalid.code }))
    expect(() => tryTake(createBudget(5), "files", bad)).toThrow(
      expect.objectContaining({ code: AmountInvalid.code }),
    )
  })

  test("[TOKENS-7] shares are of the limit, every kind in the order of the bar", () => {
    const budget = take(take(createBudget(200), "history", 50), "files", 10)
    expect(shares(budget).map((it) => it.kind)).toEqual(CONTEXT_KINDS)
    expect(shares(budget).filter((it) => it.tokens > 0)).toEqual([
      { kind: "files", tokens: 10, share: 0.05 },
      { kind: "history", tokens: 50, share: 0.25 },
    ])
    expect(shares(createBudget(0)).every((it) => it.share === 0)).toBe(true)
  })

  test("[TOKENS-7] any order of takings keeps the sum within the limit", () => {
    fc.assert(
      fc.property(fc.nat(10_000), fc.array(fc.tuple(kind, fc.nat(3_000))), (limit, wishes) => {
        let budget = createBudget(limit)
        let expected = 0
        for (const [of, tokens] of wishes) {
          const outcome = tryTake(budget, of, tokens)
          expect(outcome.kind).toBe(tokens <= limit - expected ? "taken" : "too-big")
          if (outcome.kind !== "taken") continue
          budget = outcome.budget
          expected += tokens
        }
        expect(taken(budget)).toBe(expected)
        expect(taken(budget)).toBeLessThanOrEqual(limit)
        expect(remaining(budget)).toBe(limit - expected)
      }),
      fcParameters({ numRuns: 500 }),
    )
  })
})

describe("[TOKENS-8] the bar has exactly its width, and what is small stays visible", () => {
  test("[TOKENS-8] cells follow the tokens, in the order of the kinds", () => {
    const segments = [
      { kind: "history", tokens: 50_000 },
      { kind: "instructions", tokens: 20_000 },
      { kind: "memory", tokens: 10 },
      { kind: "files", tokens: 0 },
    ] as const
    expect(layoutBar(segments, { width: 40, scale: 200_000 })).toEqual({
      cells: [
        { kind: "instructions", cells: 4 },
        { kind: "memory", cells: 1 },
        { kind: "history", cells: 10 },
      ],
      free: 25,
    })
  })

  test("[TOKENS-8] more than the scale fills the bar", () => {
    const segments = [
      { kind: "files", tokens: 300 },
      { kind: "tools", tokens: 100 },
    ] as const
    expect(layoutBar(segments, { width: 8, scale: 200 })).toEqual({
      cells: [
        { kind: "files", cells: 6 },
        { kind: "tools", cells: 2 },
      ],
      free: 0,
    })
  })

  test("[TOKENS-8] with fewer cells than kinds the largest are drawn", () => {
    const segments = CONTEXT_KINDS.map((it, index) => ({ kind: it, tokens: 10 + index }))
    expect(layoutBar(segments, { width: 2, scale: 0 })).toEqual({
      cells: [
        { kind: "tools", cells: 1 },
        { kind: "history", cells: 1 },
      ],
      free: 0,
    })
    const oneIsLarge = [{ kind: "files", tokens: 98 } as const, ...segments.slice(2, 4)]
    expect(layoutBar(oneIsLarge, { width: 2, scale: 0 }).cells).toHaveLength(2)
  })

  test.for([0, -3, Number.NaN, 0.9])("[TOKENS-8] a width of %d is no cell", (width) => {
    const segments = [{ kind: "files", tokens: 5 }] as const
    expect(layoutBar(segments, { width, scale: 10 })).toEqual({ cells: [], free: 0 })
  })

  test("[TOKENS-8] nothing in it leaves the bar free", () => {
    expect(layoutBar([], { width: 7, scale: 0 })).toEqual({ cells: [], free: 7 })
    const wrong = [{ kind: "files", tokens: Number.NaN }] as const
    expect(layoutBar(wrong, { width: 7, scale: 10 })).toEqual({ cells: [], free: 7 })
  })

  test("[TOKENS-8] sums to the width, no kind without a cell, none out of proportion", () => {
    const segments = fc.array(fc.record({ kind, tokens: fc.nat(2 ** 30) }), { maxLength: 12 })
    fc.assert(
      fc.property(segments, fc.nat(200), fc.nat(2 ** 31), (parts, width, scale) => {
        const layout = layoutBar(parts, { width, scale })
        const sum = layout.cells.reduce((total, it) => total + it.cells, 0)
        expect(sum + layout.free).toBe(width)
        expect(layout.free).toBeGreaterThanOrEqual(0)

        const tokensOf = (of: string) =>
          parts.reduce((total, it) => total + (it.kind === of ? it.tokens : 0), 0)
        const present = CONTEXT_KINDS.filter((it) => tokensOf(it) > 0)
        const drawn = layout.cells.map((it) => it.kind)
        expect(drawn).toEqual(present.filter((it) => drawn.includes(it)))
        expect(drawn).toHaveLength(Math.min(present.length, width))

        const total = Math.max(
          scale,
          present.reduce((all, it) => all + tokensOf(it), 0),
        )
        for (const it of layout.cells) {
          const quota = (tokensOf(it.kind) / total) * width
          expect(it.cells).toBeLessThanOrEqual(Math.max(1, Math.ceil(quota)))
        }
        for (const [a, b] of layout.cells.flatMap((one) => layout.cells.map((two) => [one, two]))) {
          if (a === undefined || b === undefined) continue
          if (tokensOf(a.kind) > tokensOf(b.kind)) expect(a.cells).toBeGreaterThanOrEqual(b.cells)
        }
      }),
      fcParameters({ numRuns: 2_000 }),
    )
  })
})
