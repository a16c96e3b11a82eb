import { z } from "zod"
import { TokenEncoding } from "../config.ts"

/** From tokens of an encoding to tokens of a model. */
export const TokenScale = z.object({
  model: z
    .string()
    .nullable()
    .describe("Model whose tokens are counted; null for current Claude models, if none is known"),
  factor: z.number().positive().describe("Tokens of the model for each token of the encoding"),
  basis: z
    .enum(["measured", "stated"])
    .describe("Measured with recorded requests, or stated by the provider"),
})
export type TokenScale = z.infer<typeof TokenScale>

/** Completes a figure: "8,000 tokens, counted for …". */
export function describeScale({ model, factor, basis }: TokenScale): string {
  const source = basis === "measured" ? "measured here" : "stated by the provider"
  return `counted for ${model ?? "current Claude models"} (factor ${factor}, ${source})`
}

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
  scale: TokenScale.nullable().describe("Null if the tokens are those of the encoding"),
  exact: z.boolean().describe("Whether the count is exact for the encoding"),
  meaning: z.string().describe("Meaning of the count and its limits"),
})
export type TokenCount = z.infer<typeof TokenCount>
