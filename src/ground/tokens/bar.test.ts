import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { CONTEXT_KINDS } from "#ground/contract"
import { fcParameters } from "#test/seed"
import { layoutBar } from "./bar.ts"

const kind = fc.constantFrom(...CONTEXT_KINDS)

describe("budget bar", () => {
  test("[TOKENS-8] cells are proportional to tokens, in the order of the kinds", () => {
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

  test("[TOKENS-8] more tokens than the scale fill the bar", () => {
    const segments = [
      { kind: "files", tokens: 300 },
      { kind: "tools", tokens: 100 },
    ] as const
    expect(layoutBar(segments, { width: 8, scale: 200 })).toEqual({
      cells: [
        { kind: "tools", cells: 2 },
        { kind: "files", cells: 6 },
      ],
      free: 0,
    })
  })

  test("[TOKENS-8] with fewer cells than kinds the largest kinds are drawn", () => {
    const segments = CONTEXT_KINDS.map((it, index) => ({ kind: it, tokens: 10 + index }))
    expect(layoutBar(segments, { width: 2, scale: 0 })).toEqual({
      cells: [
        { kind: "knowledge", cells: 1 },
        { kind: "history", cells: 1 },
      ],
      free: 0,
    })
    const oneIsLarge = [{ kind: "files", tokens: 98 } as const, ...segments.slice(2, 4)]
    expect(layoutBar(oneIsLarge, { width: 2, scale: 0 }).cells).toHaveLength(2)
  })

  test.for([0, -3, Number.NaN, 0.9])("[TOKENS-8] a width of %d gives no cells", (width) => {
    const segments = [{ kind: "files", tokens: 5 }] as const
    expect(layoutBar(segments, { width, scale: 10 })).toEqual({ cells: [], free: 0 })
  })

  test("[TOKENS-8] without tokens all cells are free", () => {
    expect(layoutBar([], { width: 7, scale: 0 })).toEqual({ cells: [], free: 7 })
    const wrong = [{ kind: "files", tokens: Number.NaN }] as const
    expect(layoutBar(wrong, { width: 7, scale: 10 })).toEqual({ cells: [], free: 7 })
  })

  test("[TOKENS-8] cells sum to the width, each kind has a cell, and shares are proportional", () => {
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
