export type Prices = {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  /** Lifetime of five minutes, or the provider's default. */
  readonly cacheWrite: number
  readonly cacheWriteHour: number
}

export type PriceRow = {
  /** Model ids without provider, date and version suffix; dots become hyphens. */
  readonly models: readonly string[]
  readonly prices: Prices
  /** Some models cost more for the whole request if its prompt is long. */
  readonly longPrompt?: { readonly aboveTokens: number; readonly prices: Prices }
}

export type PriceTable = {
  /** The day of the last price check. */
  readonly version: string
  readonly source: string
  readonly rows: readonly PriceRow[]
}

/** Anthropic: a cache write is 1.25 × input, for an hour 2 ×; a read is 0.1 × unless given. */
function anthropic(input: number, output: number, cacheRead = input / 10): Prices {
  return { input, output, cacheRead, cacheWrite: input * 1.25, cacheWriteHour: input * 2 }
}

/** OpenAI up to GPT-5.5: cache writes are automatic and cost plain input. */
function openai(input: number, output: number, cacheRead: number): Prices {
  return { input, output, cacheRead, cacheWrite: input, cacheWriteHour: input }
}

/** OpenAI from GPT-5.6 on: a write is 1.25 × input, a read 0.1 ×. */
function openaiWithWrites(input: number, output: number): Prices {
  const cacheWrite = input * 1.25
  return { input, output, cacheRead: input / 10, cacheWrite, cacheWriteHour: cacheWrite }
}

/**
 * The README lists which rows were checked against which source; callers can pass another table.
 */
export const PRICE_TABLE: PriceTable = {
  version: "2026-11-17",
  source: "providers' list prices, standard tier, without batch, priority or regional surcharges",
  rows: [
    { models: ["claude-fable-5-1"], prices: anthropic(10, 50, 0.25) },
    { models: ["claude-fable-5"], prices: anthropic(10, 50) },
    { models: ["claude-opus-5-5"], prices: anthropic(4, 20, 0.2) },
    {
      models: [
        "claude-opus-5",
        "claude-opus-4-8",
        "claude-opus-4-7",
        "claude-opus-4-6",
        "claude-opus-4-5",
      ],
      prices: anthropic(5, 25),
    },
    {
      models: ["claude-opus-4-1", "claude-opus-4", "claude-opus-4-0", "claude-3-opus"],
      prices: anthropic(15, 75),
    },
    { models: ["claude-sonnet-5-5", "claude-sonnet-5"], prices: anthropic(2, 10) },
    {
      models: ["claude-sonnet-4-6", "claude-3-7-sonnet", "claude-3-5-sonnet"],
      prices: anthropic(3, 15),
    },
    {
      models: ["claude-sonnet-4-5", "claude-sonnet-4", "claude-sonnet-4-0"],
      prices: anthropic(3, 15),
      longPrompt: { aboveTokens: 200_000, prices: anthropic(6, 22.5) },
    },
    {
      models: ["claude-haiku-5-5"],
      prices: anthropic(0.1, 0.5),
      longPrompt: { aboveTokens: 100_000, prices: anthropic(0.5, 2.5) },
    },
    { models: ["claude-haiku-4-5"], prices: anthropic(1, 5) },
    { models: ["claude-3-5-haiku"], prices: anthropic(0.8, 4) },
    {
      models: ["gpt-6-sol"],
      prices: openaiWithWrites(2, 10),
      longPrompt: { aboveTokens: 272_000, prices: openaiWithWrites(4, 15) },
    },
    {
      models: ["gpt-6-luna"],
      prices: openaiWithWrites(0.1, 0.5),
      longPrompt: { aboveTokens: 272_000, prices: openaiWithWrites(0.2, 0.75) },
    },
    {
      models: ["gpt-5-6-terra"],
      prices: openaiWithWrites(2, 12),
      longPrompt: { aboveTokens: 272_000, prices: openaiWithWrites(4, 18) },
    },
    {
      models: ["gpt-5-5"],
      prices: openai(5, 30, 0.5),
      longPrompt: { aboveTokens: 272_000, prices: openai(10, 45, 1) },
    },
    {
      models: ["gpt-5-4"],
      prices: openai(2.5, 15, 0.25),
      longPrompt: { aboveTokens: 272_000, prices: openai(5, 22.5, 0.5) },
    },
    { models: ["gpt-5-4-mini"], prices: openai(0.75, 4.5, 0.075) },
    { models: ["gpt-5-4-nano"], prices: openai(0.2, 1.25, 0.02) },
    {
      models: ["gpt-5-3-codex", "gpt-5-2", "gpt-5-2-codex"],
      prices: openai(1.75, 14, 0.175),
    },
    {
      models: ["gpt-5", "gpt-5-codex", "gpt-5-1", "gpt-5-1-codex"],
      prices: openai(1.25, 10, 0.125),
    },
    { models: ["gpt-5-mini"], prices: openai(0.25, 2, 0.025) },
    { models: ["gpt-5-nano"], prices: openai(0.05, 0.4, 0.005) },
    { models: ["gpt-4-1"], prices: openai(2, 8, 0.5) },
    { models: ["gpt-4-1-mini"], prices: openai(0.4, 1.6, 0.1) },
    { models: ["gpt-4-1-nano"], prices: openai(0.1, 0.4, 0.025) },
    { models: ["o3"], prices: openai(2, 8, 0.5) },
    { models: ["o4-mini"], prices: openai(1.1, 4.4, 0.275) },
    { models: ["o3-mini"], prices: openai(1.1, 4.4, 0.55) },
    { models: ["o1"], prices: openai(15, 60, 7.5) },
  ],
}
