import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import type { LanguageModelV4 } from "@ai-sdk/provider"
import type { Destination } from "../settings.ts"
import { safeFetch } from "./classify.ts"

export function openaiModel(to: Destination): LanguageModelV4 {
  return openaiProvider(to).chatModel(to.model)
}

export function openaiProvider(to: Destination) {
  const isAzure = to.provider === "azure"
  const isCustom = to.provider === "custom"
  return createOpenAICompatible({
    name: PROVIDER_OPTIONS,
    baseURL: to.baseUrl,
    fetch: safeFetch,
    includeUsage: true,
    supportsStructuredOutputs: true,
    ...(isAzure ? { queryParams: { "api-version": to.apiVersion } } : {}),
    ...(isAzure && to.key !== undefined ? { headers: { "api-key": to.key } } : {}),
    ...(!isAzure && to.key !== undefined ? { apiKey: to.key } : {}),
    // Models that think refuse the older name; custom servers may know only that.
    ...(isCustom ? {} : { transformRequestBody: withCompletionTokens }),
  })
}

export const PROVIDER_OPTIONS = "openaiCompatible"

function withCompletionTokens(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { max_tokens: most, ...rest } = body
  return most === undefined ? rest : { ...rest, max_completion_tokens: most }
}

/** The o series and GPT-5 and later, judged by the name of the model or deployment. */
export function takesEffort(model: string): boolean {
  return /^(?:o\d|gpt-(?:[5-9]|\d\d))/i.test(model) && !/chat/i.test(model)
}
