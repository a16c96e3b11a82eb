import { z } from "zod"
import { defineOperations } from "../operation.ts"
import { TokenCount } from "../tokens.ts"

export const tokensOperations = defineOperations("tokens", {
  count: {
    summary: "Count the tokens of files or of a text",
    effect: "read",
    surfaces: ["cli", "http", "mcp"],
    cli: { words: ["tokens"], args: ["paths"], group: "See" },
    input: z.object({
      paths: z.array(z.string().min(1)).default([]).describe("Files to count"),
      text: z.string().optional().describe("Text to count, beside or instead of files"),
      budget: z
        .int()
        .positive()
        .optional()
        .describe("Tokens the shares are taken of; the configured window unless given"),
    }),
    output: TokenCount,
  },
})
