import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { CONTEXT_KINDS } from "#ground/contract"
import { KINDS } from "../../base/kinds.ts"
import { withSeed } from "../../test-seed.ts"
import { layoutBar } from "./layout.ts"

describe("budget bar", () => {
  it("[CONSOLE-13] it draws the kinds of the contract in its order", () => {
    expect(KINDS).toEqual(CONTEXT_KINDS)
  })

  it("[CONSOLE-13] the bar extends past the budget mark", () => {
    expect(layoutBar({ tokens: { files: 20_000 }, budget: 20_000 })).toEqual({
      segments: [{ kind: "files", tokens: 20_000, isCut: false, share: 1 / 1.2 }],
      notch: 1 / 1.2,
      total: 20_000,
    })
  })

  it("[CONSOLE-13] a window bar ranges from 0 to the window size", () => {
    const { segments } = layoutBar({ tokens: { history: 50_000 }, window: 200_000 })
    expect(segments).toMatchObject([{ kind: "history", share: 0.25 }])
  })

  it("[CONSOLE-13] left-out tokens are drawn after the used ones", () => {
    const { segments } = layoutBar({ tokens: { tools: 10 }, cut: { files: 30 }, budget: 20 })
    expect(segments).toEqual([
      { kind: "tools", tokens: 10, isCut: false, share: 0.25 },
      { kind: "files", tokens: 30, isCut: true, share: 0.75 },
    ])
  })

  it("[CONSOLE-13] nothing is drawn past the edge, for any amounts", () => {
    const amounts = fc.dictionary(fc.constantFrom(...KINDS), fc.nat(1_000_000))
    const limit = fc.option(fc.integer({ min: 1, max: 500_000 }), { nil: undefined })
    const content = fc.record({ tokens: amounts, cut: amounts, budget: limit, window: limit })
    fc.assert(
      fc.property(content, ({ tokens, cut, budget, window }) => {
        const { segments, notch } = layoutBar({
          tokens,
          cut,
          ...(budget === undefined ? {} : { budget }),
          ...(window === undefined ? {} : { window }),
        })
        const sum = segments.reduce((total, it) => total + it.share, 0)
        expect(sum).toBeLessThanOrEqual(1 + 1e-9)
        expect(notch ?? 0).toBeLessThanOrEqual(1)
      }),
      withSeed(),
    )
  })
})
