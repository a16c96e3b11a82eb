import { z } from "zod"
import { defineOperations } from "../operation.ts"
import { TokenCount } from "../shapes/tokens.ts"

export const tokensOperations = defineOperations("tokens", {
  count: {
    summary: "Count the tokens of files or a text",
    effect: "read",
    ownerFields: { paths: "always" },
    surfaces: ["cli", "http", "mcp"],
    cli: {
      words: ["tokens"],
      args: ["paths"],
      group: "Context",
      examples: [
        "qm tokens README.md CLAUDE.md",
        'qm tokens --text "some text"',
        "qm tokens README.md --model claude-opus-5-5",
      ],
    },
    input: z.object({
      paths: z
        .array(z.string().min(1).max(4_096))
        .max(100_000)
        .default([])
        .describe("Files to count"),
      text: z
        .string()
        .max(10_000_000)
        .optional()
        .describe("Text to count, with or instead of files"),
      model: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe(
          "Model to count for (default: setting tokens.model, else the model used last, else current Claude models)",
        ),
      budget: z
        .int()
        .positive()
        .optional()
        .describe("Tokens that equal 100 % (default: setting tokens.window)"),
    }),
    output: TokenCount,
  },
})
