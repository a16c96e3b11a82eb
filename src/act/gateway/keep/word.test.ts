import fc from "fast-check"
import { expect, test } from "vitest"
import { CONTEXT_KINDS } from "#ground/contract"
import { fcParameters } from "#test/seed"
import { scaled } from "./word.ts"

const aKind = fc.record({
  kind: fc.constantFrom(...CONTEXT_KINDS),
  tokens: fc.nat({ max: 1_000_000 }),
})

test("[GATE-74] kinds scaled to a figure sum to it, each within one token of its share", () => {
  fc.assert(
    fc.property(fc.array(aKind), fc.nat({ max: 2_000_000 }), (kinds, total) => {
      const counted = kinds.reduce((sum, it) => sum + it.tokens, 0)
      const shares = scaled(kinds, total)
      const isKnown = counted > 0
      expect(shares.map((it) => it.kind)).toEqual(isKnown ? kinds.map((it) => it.kind) : [])
      expect(shares.reduce((sum, it) => sum + it.tokens, 0)).toBe(isKnown ? total : 0)
      for (const [at, { tokens }] of shares.entries()) {
        const share = ((kinds[at]?.tokens ?? 0) / counted) * total
        expect(Math.abs(tokens - share)).toBeLessThan(1)
      }
    }),
    fcParameters({ numRuns: 300 }),
  )
})
