import { expect, test } from "vitest"
import { confidenceOf, MOST_COUNTED_SIGNS } from "./confidence.ts"

const NONE = { helpful: 0, unhelpful: 0, succeeded: 0, failed: 0 }
const SOURCE = {
  session: null,
  actor: "agent",
  commit: null,
  isUntrusted: false,
  isDistilled: false,
} as const
const proposed = { signals: NONE, state: "proposed", source: SOURCE } as const

test("[MEMORY-11] a new memory has confidence 0.7 exactly, a confirmed one more", () => {
  expect(confidenceOf(proposed, 0)).toBe(0.7)
  expect(confidenceOf({ ...proposed, state: "confirmed" }, 0)).toBe(0.85)
  expect(confidenceOf({ ...proposed, source: { ...SOURCE, actor: "human" } }, 0)).toBe(0.85)
  const foreign = { ...SOURCE, actor: "human", isUntrusted: true } as const
  expect(confidenceOf({ ...proposed, source: foreign }, 0)).toBe(0.7)
})

test("[MEMORY-11] verdicts weigh more than outcomes, and outcomes more than uses", () => {
  const verdict = confidenceOf({ ...proposed, signals: { ...NONE, helpful: 1 } }, 0)
  const outcome = confidenceOf({ ...proposed, signals: { ...NONE, succeeded: 1 } }, 0)
  expect(verdict).toBeCloseTo(8 / 11)
  expect(outcome).toBeCloseTo(7.5 / 10.5)
  expect(confidenceOf(proposed, 1)).toBeCloseTo(7.02 / 10.02)
  expect(confidenceOf({ ...proposed, signals: { ...NONE, failed: 1 } }, 0)).toBeCloseTo(7 / 10.5)
})

test("[MEMORY-11] no number of uses outweighs one bad verdict, and forged counts never reach 1", () => {
  const bad = { ...proposed, signals: { ...NONE, unhelpful: 1 } }
  expect(confidenceOf(bad, 1_000_000)).toBeLessThan(0.7)
  const forged = { ...proposed, signals: { ...NONE, helpful: 1e12, succeeded: 1e12 } }
  const most = {
    ...proposed,
    signals: { ...NONE, helpful: MOST_COUNTED_SIGNS, succeeded: MOST_COUNTED_SIGNS },
  }
  expect(confidenceOf(forged, 0)).toBe(confidenceOf(most, 0))
  expect(confidenceOf(forged, 0)).toBeLessThan(0.97)
})
