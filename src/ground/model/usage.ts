import type { TokenUsage } from "#ground/contract"
import { CHARACTERS_A_TOKEN } from "./limits.ts"

/** For a model that counts nothing: better than a budget that is never spent. */
export function estimateUsage(given: string, answered: string): TokenUsage {
  return {
    input: Math.ceil(given.length / CHARACTERS_A_TOKEN),
    output: Math.ceil(answered.length / CHARACTERS_A_TOKEN),
    cacheRead: 0,
    cacheWrite: 0,
  }
}
