export type { BarLayout, BarSegment } from "./bar.ts"
export { layoutBar } from "./bar.ts"
export type { Budget, BudgetShare, TakeOutcome } from "./budget.ts"
export { createBudget, remaining, shares, take, taken, tryTake } from "./budget.ts"
export type { Cost, Usage } from "./cost.ts"
export { costOf } from "./cost.ts"
export type { TokenCounter } from "./counter.ts"
export {
  AmountInvalid,
  BudgetInvalid,
  BudgetSpent,
  NothingToCount,
  TooManyPaths,
} from "./errors.ts"
export { tokensHandlers } from "./handlers.ts"
export type { PriceRow, Prices, PriceTable } from "./prices.ts"
export { PRICE_TABLE } from "./prices.ts"
export type { Tokens } from "./tokens.ts"
export { createTokens } from "./tokens.ts"
export type { PreparedTables, Tables } from "./vocabulary.ts"
