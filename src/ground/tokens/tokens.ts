import type { TokenEncoding } from "#ground/contract"
import { createCounter, type TokenCounter } from "./counter.ts"
import { createEstimator } from "./estimate.ts"
import { loadVocabulary } from "./vocabulary.ts"

export type Tokens = ReturnType<typeof createTokens>

export function createTokens(options: { readonly encoding: TokenEncoding }) {
  let loading: Promise<TokenCounter> | undefined
  return {
    encoding: options.encoding,
    estimator: createEstimator(options.encoding),
    counter(): Promise<TokenCounter> {
      loading ??= loadVocabulary(options.encoding).then(createCounter)
      return loading
    },
  }
}
