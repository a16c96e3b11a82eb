import { createAnthropic } from "@ai-sdk/anthropic"
import type { LanguageModelV4 } from "@ai-sdk/provider"
import type { Destination } from "../settings.ts"
import { safeFetch } from "./classify.ts"

export function anthropicModel(to: Destination): LanguageModelV4 {
  // Both are given even when empty, or the package would look into the environment for them.
  return createAnthropic({ baseURL: to.baseUrl, apiKey: to.key ?? "", fetch: safeFetch })(to.model)
}

/**
 * Models that decide by themselves how long they think and take an effort. The ones before them
 * have a thinking budget in tokens, tens of thousands by the package's table: they think unasked.
 */
export function takesEffort(model: string): boolean {
  return /claude-(?:(?:sonnet|opus|haiku|fable)-(?:[5-9]|\d\d)|opus-4-[678]|sonnet-4-6)/.test(model)
}
