import type { Effort, TokenUsage } from "#ground/contract"
import { PromptTooLarge } from "./errors.ts"
import { LONGEST_PROMPT_CHARACTERS } from "./limits.ts"

/** Used to estimate tokens if the provider returns no usage. */
const CHARACTERS_A_TOKEN = 4

export type JsonSchema = Readonly<Record<string, unknown>>

export type ModelAsk = {
  readonly name: string
  readonly instructions: string
  readonly prompt: string
  readonly model?: string | undefined
  readonly effort?: Effort | undefined
  readonly maxOutputTokens: number
  /** Without a schema the text itself is the result. */
  readonly schema?: JsonSchema | undefined
  readonly signal: AbortSignal
  /** The whole text so far; after a retry it starts again with a shorter text. */
  onText?(soFar: string): void
}

export type ModelAnswer = {
  readonly text: string
  readonly value: unknown
  /** Why the response does not match the request, in words that a model can read. */
  readonly problem: string | undefined
  readonly isCut: boolean
  readonly usage: TokenUsage
  readonly usd: number | null
  readonly model: string
  readonly retries: number
  readonly durationMs: number
}

export function checkLength(ask: Pick<ModelAsk, "instructions" | "prompt">): void {
  const characters = ask.instructions.length + ask.prompt.length
  if (characters > LONGEST_PROMPT_CHARACTERS) throw PromptTooLarge({ characters })
}

/** For a provider without usage numbers; without an estimate a budget would never be spent. */
export function estimateUsage(prompt: string, answered: string): TokenUsage {
  return {
    input: Math.ceil(prompt.length / CHARACTERS_A_TOKEN),
    output: Math.ceil(answered.length / CHARACTERS_A_TOKEN),
    cacheRead: 0,
    cacheWrite: 0,
  }
}
