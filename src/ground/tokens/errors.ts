import { defineError } from "#ground/base"
import { MOST_COUNTED_PATHS } from "./limits.ts"

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
