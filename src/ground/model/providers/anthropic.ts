import { createAnthropic } from "@ai-sdk/anthropic"
import type { LanguageModelV4 } from "@ai-sdk/provider"
import type { Destination } from "../settings.ts"
import { safeFetch } from "./classify.ts"

export function anthropicModel(to: Destination): LanguageModelV4 {
  // Both are passed even if empty, otherwise the package reads them from the environment.
  return createAnthropic({ baseURL: to.baseUrl, apiKey: to.key ?? "", fetch: safeFetch })(to.model)
}

/**
 * Models that decide how long they think and accept an effort. Older ones have a thinking budget of
 * tens of thousands of tokens in the package's table, so no effort is sent.
 */
export function takesEffort(model: string): boolean {
  return /claude-(?:(?:sonnet|opus|haiku|fable)-(?:[5-9]|\d\d)|opus-4-[678]|sonnet-4-6)/.test(model)
}
