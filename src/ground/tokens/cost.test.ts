import { expect, test } from "vitest"
import { costOf } from "./cost.ts"
import { PRICE_TABLE } from "./prices.ts"

const MILLION = 1_000_000

test("[TOKENS-9] each kind of token has its own price", () => {
  const usage = {
    inputTokens: MILLION,
    outputTokens: MILLION,
    cacheReadTokens: MILLION,
    cacheWriteTokens: MILLION,
    cacheWriteHourTokens: MILLION,
  }
  const cost = costOf(usage, "claude-opus-4-5")
  expect(cost).toMatchObject({ kind: "priced", tableVersion: PRICE_TABLE.version })
  expect(cost.kind === "priced" && cost.usd).toBeCloseTo(5 + 25 + 0.5 + 6.25 + 10, 9)
})

test.for([
  ["claude-opus-4-5-20251101", "claude-opus-4-5"],
  ["anthropic/claude-opus-4.5", "claude-opus-4-5"],
  ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"],
  ["claude-haiku-4-5@20251001", "claude-haiku-4-5"],
  ["claude-sonnet-4-5[1m]", "claude-sonnet-4-5"],
  ["claude-3-5-haiku-latest", "claude-3-5-haiku"],
  ["GPT-5.4", "gpt-5-4"],
  ["openai/gpt-4.1-mini-2025-04-14", "gpt-4-1-mini"],
  ["o4-mini", "o4-mini"],
] as const)("[TOKENS-9] %s is priced as %s", ([given, name]) => {
  expect(costOf({ inputTokens: 1, outputTokens: 1 }, given)).toMatchObject({
    kind: "priced",
    model: name,
  })
})

test.for(["", "claude", "claude-opus-9", "gpt-5-pro", "gpt-5.4-pro", "toString", "llama-4"])(
  "[TOKENS-9] the price of %j is unknown, not 0",
  (model) => {
    expect(costOf({ inputTokens: 1, outputTokens: 1 }, model)).toEqual({
      kind: "unknown-model",
      model,
      tableVersion: PRICE_TABLE.version,
    })
  },
)

test("[TOKENS-9] a long prompt has its own price from the first token above the limit", () => {
  const at = (inputTokens: number) =>
    costOf({ inputTokens, outputTokens: 0, cacheReadTokens: 50_000 }, "claude-haiku-5-5")
  expect(at(50_000)).toMatchObject({ prices: { input: 0.1 } })
  expect(at(50_001)).toMatchObject({ prices: { input: 0.5 } })
})

test("[TOKENS-9] a price table passed to costOf replaces ours", () => {
  const prices = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0 }
  const own = { version: "ours", source: "contract", rows: [{ models: ["house"], prices }] }
  expect(costOf({ inputTokens: MILLION, outputTokens: 0 }, "house", own)).toEqual({
    kind: "priced",
    usd: 1,
    model: "house",
    prices,
    tableVersion: "ours",
  })
  expect(costOf({ inputTokens: 1, outputTokens: 0 }, "gpt-5", own).kind).toBe("unknown-model")
})

test("[TOKENS-9] the table has each model once, in normalized form, with prices above 0", () => {
  const models = PRICE_TABLE.rows.flatMap((it) => it.models)
  expect(new Set(models).size).toBe(models.length)
  for (const model of models) {
    const cost = costOf({ inputTokens: 1, outputTokens: 1 }, model)
    expect(cost).toMatchObject({ kind: "priced", model })
  }
  for (const row of PRICE_TABLE.rows) {
    for (const price of Object.values(row.prices)) expect(price).toBeGreaterThan(0)
    expect(row.prices.cacheRead).toBeLessThan(row.prices.input)
    expect(row.prices.input).toBeLessThan(row.prices.output)
  }
})
