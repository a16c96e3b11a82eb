import type { TokenUsage } from "#ground/contract"
import { costOf } from "#ground/tokens"

/** US dollars by our price table; undefined when it does not have the model. */
export function priceOf(usage: TokenUsage, model: string): number | undefined {
  const cost = costOf(
    {
      inputTokens: usage.input,
      outputTokens: usage.output,
      cacheReadTokens: usage.cacheRead,
      cacheWriteTokens: usage.cacheWrite,
    },
    model,
  )
  return cost.kind === "priced" ? cost.usd : undefined
}
