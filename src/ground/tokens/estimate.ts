import { estimateTokens } from "#ground/base"
import type { TokenEncoding } from "#ground/contract"
import type { TokenCounter } from "./counter.ts"

export function createEstimator(encoding: TokenEncoding): TokenCounter {
  return {
    encoding,
    exact: false,
    count: (text) => estimateTokens(text, encoding),
    describe: () => `estimated from features of the text, for the ${encoding} encoding`,
  }
}
