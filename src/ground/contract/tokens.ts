import { z } from "zod"
import { TokenEncoding } from "./config.ts"

export const CountedText = z.object({
  path: z.string().describe("The given path; absent for `text`").optional(),
  tokens: z.int().nonnegative(),
  bytes: z.int().nonnegative().describe("Size in UTF-8 bytes; for a file its size on disk"),
  share: z.number().nonnegative().describe("Share of the budget; above 1 it does not fit"),
})
export type CountedText = z.infer<typeof CountedText>

export const TokenCount = z.object({
  files: z.array(CountedText),
  total: CountedText.omit({ path: true }),
  budget: z.int().positive(),
  encoding: TokenEncoding,
  exact: z.boolean().describe("Whether the count is exact for the encoding"),
  meaning: z.string().describe("Meaning of the count and its limits"),
})
export type TokenCount = z.infer<typeof TokenCount>
