export type { BarSegment } from "./bar.ts"
export { layoutBar } from "./bar.ts"
export { addUsage, costOf, LONG_PROMPT_TOKENS, PRICES_VERSION, pricesOf } from "./cost.ts"
export type { TokenCounter } from "./counter.ts"
export { tokensHandlers } from "./handlers.ts"
export type { ModelScale, UsageSample } from "./model-scale.ts"
export {
  isNewerClaude,
  scaleCount,
  scaleCounter,
  scaleOf,
  scaleTokens,
  toTokenScale,
} from "./model-scale.ts"
export type { Tokens } from "./tokens.ts"
export { createTokens } from "./tokens.ts"
