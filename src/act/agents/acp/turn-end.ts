import { oneLine } from "#ground/base"
import type { TokenUsage } from "#ground/contract"
import type { PromptEnded } from "./schema.ts"

export function usageOf({ usage, _meta }: PromptEnded): TokenUsage | undefined {
  const quota = _meta?.quota?.token_count
  const input = usage?.inputTokens ?? quota?.input_tokens
  const output = usage?.outputTokens ?? quota?.output_tokens
  if (typeof input !== "number" && typeof output !== "number") return undefined
  const cacheRead = usage?.cachedReadTokens ?? 0
  return {
    input: input ?? 0,
    output: output ?? 0,
    cacheRead,
    cacheWrite: usage?.cachedWriteTokens ?? 0,
  }
}

export function outcomeOf(stopReason: string) {
  switch (stopReason) {
    case "end_turn":
      return { outcome: "completed" } as const
    case "cancelled":
      return { outcome: "stopped" } as const
    case "max_tokens":
      return { outcome: "failed", error: "The model reached its output limit." } as const
    case "max_turn_requests":
      return { outcome: "failed", error: "The turn reached its limit of model requests." } as const
    case "refusal":
      return { outcome: "failed", error: "The model refused to continue." } as const
    default:
      return {
        outcome: "failed",
        error: `Unknown stop reason ${oneLine(stopReason, 100)}.`,
      } as const
  }
}
