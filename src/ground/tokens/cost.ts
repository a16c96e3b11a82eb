import type { TokenUsage } from "#ground/contract"
import { PRICE_TABLE, type PriceRow, type Prices, type PriceTable } from "./prices.ts"

/** Tokens of one request, each counted in one field only: `inputTokens` excludes cached tokens. */
export type Usage = {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens?: number
  readonly cacheWriteTokens?: number
  readonly cacheWriteHourTokens?: number
}

export type Cost =
  | {
      readonly kind: "priced"
      readonly usd: number
      readonly model: string
      readonly prices: Prices
      readonly tableVersion: string
    }
  | { readonly kind: "unknown-model"; readonly model: string; readonly tableVersion: string }

/** Of the prices that `costOf` uses by default. */
export const PRICES_VERSION = PRICE_TABLE.version

/** Sizes of a prompt above which some model has other prices, ascending. */
export const LONG_PROMPT_TOKENS: readonly number[] = [
  ...new Set(PRICE_TABLE.rows.flatMap((it) => it.longPrompt?.aboveTokens ?? [])),
].toSorted((a, b) => a - b)

export function costOf(usage: Usage, model: string, table: PriceTable = PRICE_TABLE): Cost {
  const prices = pricesOf(model, promptTokens(usage), table)
  const tableVersion = table.version
  if (prices === undefined) return { kind: "unknown-model", model, tableVersion }
  const name = plainModelName(model)
  return { kind: "priced", usd: multiply(usage, prices), model: name, prices, tableVersion }
}

/** US dollars per million tokens of a request with a prompt of this size. */
export function pricesOf(
  model: string,
  prompt: number,
  table: PriceTable = PRICE_TABLE,
): Prices | undefined {
  const name = plainModelName(model)
  const row = table.rows.find((it) => it.models.includes(name))
  return row === undefined ? undefined : pricesFor(row, prompt)
}

/** `us.anthropic.claude-opus-4-5-20251101-v1:0` and `anthropic/claude-opus-4.5` are one model. */
function plainModelName(model: string): string {
  return model
    .toLowerCase()
    .replace(/^.*[/]/, "")
    .replace(/^(?:[a-z]+\.)*anthropic\./, "")
    .replace(/\[1m\]$/, "")
    .replace(/-v\d+(?::\d+)?$/, "")
    .replace(/[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, "")
    .replaceAll(".", "-")
}

function promptTokens(usage: Usage): number {
  const { cacheReadTokens = 0, cacheWriteTokens = 0, cacheWriteHourTokens = 0 } = usage
  return usage.inputTokens + cacheReadTokens + cacheWriteTokens + cacheWriteHourTokens
}

function pricesFor(row: PriceRow, prompt: number): Prices {
  const { longPrompt } = row
  return longPrompt !== undefined && prompt > longPrompt.aboveTokens
    ? longPrompt.prices
    : row.prices
}

function multiply(usage: Usage, prices: Prices): number {
  const perMillion =
    usage.inputTokens * prices.input +
    usage.outputTokens * prices.output +
    (usage.cacheReadTokens ?? 0) * prices.cacheRead +
    (usage.cacheWriteTokens ?? 0) * prices.cacheWrite +
    (usage.cacheWriteHourTokens ?? 0) * prices.cacheWriteHour
  return perMillion / 1_000_000
}

export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  }
}
