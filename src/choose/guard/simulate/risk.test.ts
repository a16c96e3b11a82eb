import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { type Evidence, riskOf } from "./risk.ts"

const NOTHING: Evidence = {
  reach: [],
  highest: undefined,
  code: 1,
  untested: 0,
  companions: [],
  claimed: 0,
  claimedNear: 0,
  riskPath: undefined,
  unseen: 0,
}

describe("riskOf", () => {
  test("[GUARD-5] a change without reasons has risk 0", () => {
    expect(riskOf(NOTHING)).toEqual({ risk: 0, reasons: [] })
  })

  test("[GUARD-5] each reason has a text and a number, the largest first", () => {
    const near = { hops: 1, confidence: "import" } as const
    const { risk, reasons } = riskOf({
      reach: [...Array.from({ length: 8 }, () => near), { hops: 2, confidence: "ambiguous" }],
      highest: { path: "src/a.ts", rank: 0.5 },
      code: 2,
      untested: 1,
      companions: [{ path: "src/b.ts", times: 4, of: 5 }],
      claimed: 1,
      claimedNear: 2,
      riskPath: { path: "src/auth/a.ts", pattern: "**/auth/**" },
      unseen: 1,
    })
    expect(reasons).toMatchInlineSnapshot(`
      [
        {
          "number": 0.5,
          "text": "1 claim of other sessions on the changed files",
        },
        {
          "number": 0.35,
          "text": "src/auth/a.ts is high-risk (pattern **/auth/**)",
        },
        {
          "number": 0.25,
          "text": "9 files depend on it, 1 of them indirectly",
        },
        {
          "number": 0.2,
          "text": "src/b.ts changed with it in 4 of 5 commits and is not part of this change",
        },
        {
          "number": 0.2,
          "text": "2 claims of other sessions on dependent files",
        },
        {
          "number": 0.2,
          "text": "the map does not parse 1 file, so dependents are unknown",
        },
        {
          "number": 0.15,
          "text": "no test covers 1 of 2 files",
        },
        {
          "number": 0.1,
          "text": "src/a.ts has 50 % of the import rank of the most imported file",
        },
      ]
    `)
    expect(risk).toBe(0.9)
  })

  test("[GUARD-5] a single common commit is no reason", () => {
    expect(riskOf({ ...NOTHING, companions: [{ path: "b", times: 1, of: 1 }] }).risk).toBe(0)
  })

  const confidence = fc.constantFrom("import", "package", "unique", "ambiguous" as const)
  const reached = fc.record({ hops: fc.constantFrom(1, 2), confidence })
  const evidence: fc.Arbitrary<Evidence> = fc.record({
    reach: fc.array(reached, { maxLength: 300 }),
    highest: fc.option(
      fc.record({ path: fc.constant("a"), rank: fc.double({ min: 0, max: 1, noNaN: true }) }),
      { nil: undefined },
    ),
    code: fc.constant(5),
    untested: fc.nat({ max: 5 }),
    companions: fc
      .array(fc.record({ path: fc.constant("b"), times: fc.integer({ min: 1, max: 9 }) }), {
        maxLength: 2,
      })
      .map((all) => all.map((it) => ({ ...it, of: 9 }))),
    claimed: fc.nat({ max: 3 }),
    claimedNear: fc.nat({ max: 3 }),
    riskPath: fc.option(fc.constant({ path: "a", pattern: "**" }), { nil: undefined }),
    unseen: fc.nat({ max: 2 }),
  })

  test("[GUARD-5] the risk is between 0 and 1, follows from the reasons, and never falls with more dependents", () => {
    fc.assert(
      fc.property(evidence, reached, (evidenceValue, more) => {
        const { risk, reasons } = riskOf(evidenceValue)
        const left = reasons.reduce((product, it) => product * (1 - it.number), 1)
        expect(Math.abs(risk - (1 - left))).toBeLessThan(0.005_001)
        expect(risk).toBeGreaterThanOrEqual(0)
        expect(risk).toBeLessThan(1)
        expect(reasons.every((it) => it.number > 0 && it.number <= 0.5)).toBe(true)
        expect(
          riskOf({ ...evidenceValue, reach: [...evidenceValue.reach, more] }).risk,
        ).toBeGreaterThanOrEqual(risk)
      }),
      fcParameters({ numRuns: 500 }),
    )
  })
})
