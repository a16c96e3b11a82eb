import { z } from "zod"
import { defineOperations } from "../operation.ts"
import { TokenCount } from "../tokens.ts"

export const tokensOperations = defineOperations("tokens", {
  count: {
    summary: "Count the tokens of files or a text",
    effect: "read",
    surfaces: ["cli", "http", "mcp"],
    cli: {
      words: ["tokens"],
      args: ["paths"],
      group: "Context",
      examples: ["qm tokens README.md CLAUDE.md", 'qm tokens --text "some text"'],
    },
    input: z.object({
      paths: z.array(z.string().min(1)).default([]).describe("Files to count"),
      text: z.string().optional().describe("Text to count, with or instead of files"),
      budget: z
        .int()
        .positive()
        .optional()
        .describe("Tokens that equal 100 % (default: setting tokens.window)"),
    }),
    output: TokenCount,
  },
})
