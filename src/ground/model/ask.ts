import type { Effort, TokenUsage } from "#ground/contract"
import { PromptTooLarge } from "./errors.ts"
import { LONGEST_PROMPT_CHARACTERS } from "./limits.ts"

/** Without figures from a provider, a token is taken for so many characters. */
const CHARACTERS_A_TOKEN = 4

export type JsonSchema = Readonly<Record<string, unknown>>

export type ModelAsk = {
  readonly name: string
  readonly instructions: string
  readonly prompt: string
  readonly model?: string | undefined
  readonly effort?: Effort | undefined
  readonly maxOutputTokens: number
  /** JSON schema of the answer; without one the text itself is the answer. */
  readonly schema?: JsonSchema | undefined
  readonly signal: AbortSignal
  /** The text as far as it came; a try that starts anew starts with less. */
  onText?(soFar: string): void
}

export type ModelAnswer = {
  readonly text: string
  readonly value: unknown
  /** Why the answer is not what was asked for, in words the model can be given. */
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

/** For a model that counts nothing: better than a budget that is never spent. */
export function estimateUsage(given: string, answered: string): TokenUsage {
  return {
    input: Math.ceil(given.length / CHARACTERS_A_TOKEN),
    output: Math.ceil(answered.length / CHARACTERS_A_TOKEN),
    cacheRead: 0,
    cacheWrite: 0,
  }
}
