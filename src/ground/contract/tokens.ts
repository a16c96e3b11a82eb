import { z } from "zod"
import { TokenEncoding } from "./config.ts"

export const TokensCountInput = z.object({
  paths: z.array(z.string().min(1)).default([]).describe("Files to count"),
  text: z.string().optional().describe("Text to count, beside or instead of files"),
  budget: z
    .int()
    .positive()
    .optional()
    .describe("Tokens the shares are taken of; the configured window unless given"),
})

export const CountedText = z.object({
  path: z.string().describe("The path as it was given; absent for `text`").optional(),
  tokens: z.int().nonnegative(),
  bytes: z.int().nonnegative().describe("Size in UTF-8 bytes, for a file its size on disk"),
  share: z.number().nonnegative().describe("Of the budget; more than 1 does not fit"),
})
export type CountedText = z.infer<typeof CountedText>

export const TokenCount = z.object({
  files: z.array(CountedText),
  total: CountedText.omit({ path: true }),
  budget: z.int().positive(),
  encoding: TokenEncoding,
  exact: z.boolean().describe("Whether the count is exact for the encoding"),
  meaning: z.string().describe("What the figure is, and what it is not"),
})
export type TokenCount = z.infer<typeof TokenCount>
