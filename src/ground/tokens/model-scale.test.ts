import { expect, test } from "vitest"
import { scaleCount, scaleOf } from "./model-scale.ts"

const OPUS = "claude-opus-5-5"
const sample = (countedTokens: number, providerTokens: number, model = OPUS) => ({
  model,
  countedTokens,
  providerTokens,
})

test("[T9][TOKENS-12] a model's factor is measured from its recorded usage", () => {
  const samples = [sample(12_000, 15_000), sample(18_000, 22_500), sample(90_000, 90_000, "other")]
  expect(scaleOf(OPUS, "claude", samples)).toEqual({ factor: 1.25, basis: "measured", model: OPUS })
})

test.for([
  ["no sample", []],
  ["too few tokens", [sample(19_999, 25_000)]],
  ["requests that were not read completely", [sample(20_000, 90_000)]],
  ["nothing counted", [sample(0, 50_000)]],
] as const)("[TOKENS-12] with %s the stated factor is used", ([, samples]) => {
  expect(scaleOf(OPUS, "claude", samples)).toEqual({ factor: 1.3, basis: "stated", model: OPUS })
})

test.for([
  ["claude-opus-4-7", 1.3],
  ["claude-sonnet-5-5[1m]", 1.3],
  ["us.anthropic.claude-fable-5-1-v1:0", 1.3],
  ["claude-haiku-4-5-20251001", 1],
  ["claude-opus-4-20250514", 1],
  ["claude-3-5-haiku", 1],
  ["gpt-5.5", 1],
  [null, 1.3],
] as const)("[TOKENS-12] %s has the stated factor %d in the claude encoding", ([model, factor]) => {
  expect(scaleOf(model, "claude", []).factor).toBe(factor)
  expect(scaleOf(model, "o200k", []).factor).toBe(1)
})

test("[TOKENS-12] a scaled count is rounded up, and a factor of 1 changes nothing", () => {
  const count = (text: string) => text.length
  expect(scaleCount(count, { factor: 1.3 })("12345")).toBe(7)
  expect(scaleCount(count, { factor: 1 })).toBe(count)
})
