import { describeScale, type TokenEncoding, type TokenScale } from "#ground/contract"
import type { TokenCounter } from "./counter.ts"

/** Requests of one model: our count of their text, and the provider's own. */
export type UsageSample = {
  readonly model: string
  readonly countedTokens: number
  readonly providerTokens: number
}

/** How many tokens a model counts for one of ours. */
export type ModelScale = {
  readonly factor: number
  /** `measured`: from recorded usage; `stated`: the provider's statement; `none`: no correction. */
  readonly basis: "measured" | "stated" | "none"
  readonly model: string | null
}

/** Anthropic: Claude 4.7 and later count about 30 % more for the same text. */
const NEWER_CLAUDE_FACTOR = 1.3

/** Below it one unusual request decides. */
const LEAST_MEASURED_TOKENS = 20_000

/** A ratio outside is a request that we did not read completely. */
const [LEAST_FACTOR, MOST_FACTOR] = [0.7, 2]

/**
 * Measured from the samples of this model if they are large enough, else as stated for the model. An
 * unknown model of the `claude` encoding counts as a current one.
 */
export function scaleOf(
  model: string | null,
  encoding: TokenEncoding,
  samples: readonly UsageSample[],
): ModelScale {
  const own = samples.filter((it) => it.model === model)
  const counted = own.reduce((sum, it) => sum + it.countedTokens, 0)
  const factor = own.reduce((sum, it) => sum + it.providerTokens, 0) / counted
  const isMeasured =
    counted >= LEAST_MEASURED_TOKENS && factor >= LEAST_FACTOR && factor <= MOST_FACTOR
  if (isMeasured) return { factor: Math.round(factor * 1_000) / 1_000, basis: "measured", model }
  if (encoding === "claude" && isNewerClaude(model)) {
    return { factor: NEWER_CLAUDE_FACTOR, basis: "stated", model }
  }
  return { factor: 1, basis: "none", model }
}

/** Claude 4.7 and later; null counts as a current model. */
export function isNewerClaude(model: string | null): boolean {
  if (model === null) return true
  const [, major, minor = "0"] =
    /claude-[a-z]+-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/i.exec(model) ?? []
  if (major === undefined) return false
  return Number(major) > 4 || (Number(major) === 4 && Number(minor) >= 7)
}

/** Null if counts need no correction. */
export function toTokenScale({ factor, basis, model }: ModelScale): TokenScale | null {
  return basis === "none" || factor === 1 ? null : { model, factor, basis }
}

/** The counter itself without a scale. */
export function scaleCounter(counter: TokenCounter, scale: TokenScale | null): TokenCounter {
  if (scale === null) return counter
  return {
    encoding: counter.encoding,
    exact: false,
    count: scaleCount(counter.count, scale),
    describe: () => `${counter.encoding} encoding, ${describeScale(scale)}`,
  }
}

export function scaleTokens(tokens: number, scale: Pick<TokenScale, "factor"> | null): number {
  return scale === null || scale.factor === 1 ? tokens : Math.round(tokens * scale.factor)
}

export function scaleCount(
  count: TokenCounter["count"],
  { factor }: Pick<ModelScale, "factor">,
): TokenCounter["count"] {
  return factor === 1 ? count : (text) => Math.ceil(count(text) * factor)
}
