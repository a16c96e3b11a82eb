import { defineError } from "#ground/base"
import { MOST_COUNTED_PATHS } from "./limits.ts"

export const BudgetInvalid = defineError<{ limit: number }>()("TOKENS_BUDGET_INVALID", {
  family: "invalid",
  message: (it) => `A budget of ${it.limit} tokens is not a whole number of at least 0.`,
  hint: () => "Give the budget as a whole number of tokens, for example 24000.",
})

export const AmountInvalid = defineError<{ tokens: number }>()("TOKENS_AMOUNT_INVALID", {
  family: "invalid",
  message: (it) => `${it.tokens} is not a whole number of tokens of at least 0.`,
  hint: () => "Count the text first and take the count.",
})

export const BudgetSpent = defineError<{ limit: number; remaining: number; needed: number }>()(
  "TOKENS_BUDGET_SPENT",
  {
    family: "full",
    message: (it) => `${it.needed} tokens do not fit: ${it.remaining} of ${it.limit} are left.`,
    hint: (it) =>
      `Raise the budget by at least ${it.needed - it.remaining}, or leave something out.`,
  },
)

export const NothingToCount = defineError<Record<never, never>>()("TOKENS_NOTHING_TO_COUNT", {
  family: "invalid",
  message: () => "Neither a path nor a text was given.",
  hint: () => "Name one or more files, or pass the text itself in `text`.",
})

export const TooManyPaths = defineError<{ paths: number }>()("TOKENS_TOO_MANY_PATHS", {
  family: "invalid",
  message: (it) => `${it.paths} paths were given; one call counts at most ${MOST_COUNTED_PATHS}.`,
  hint: () => "Count a folder at a time, or name fewer files.",
})
