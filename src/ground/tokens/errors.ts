import { defineError } from "#ground/base"
import { MOST_COUNTED_PATHS } from "./limits.ts"

export const NothingToCount = defineError<Record<never, never>>()("TOKENS_NOTHING_TO_COUNT", {
  family: "invalid",
  message: () => "No path and no text given.",
  hint: () => "Pass one or more files, or the text itself in `text`.",
})

export const TooManyPaths = defineError<{ paths: number }>()("TOKENS_TOO_MANY_PATHS", {
  family: "invalid",
  message: (it) => `${it.paths} paths given; the limit per call is ${MOST_COUNTED_PATHS}.`,
  hint: () => "Count one folder at a time, or pass fewer files.",
})
