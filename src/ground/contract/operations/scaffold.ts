import { z } from "zod"
import { defineOperations } from "../operation.ts"
import { ScaffoldTests } from "../shapes/scaffold.ts"

export const scaffoldOperations = defineOperations("scaffold", {
  tests: {
    summary: "Plan tests of functions: happy, edge and failure cases",
    effect: "write",
    surfaces: ["cli"],
    cli: {
      words: ["scaffold-tests"],
      args: ["paths"],
      group: "Code",
      examples: ["qm scaffold-tests", "qm scaffold-tests src/bill.ts --write"],
      notes: [
        "Supports vitest, jest, node:test, pytest, unittest, go test, cargo test and phpunit.",
        "--write creates the missing test files. Their tests fail until you fill them in.",
      ],
    },
    input: z.strictObject({
      paths: z
        .array(z.string().min(1).max(4_096))
        .max(500)
        .default([])
        .describe("Source files or folders (default: the whole repository)"),
      write: z.boolean().default(false).describe("Create the missing starter tests"),
      limit: z.int().min(1).max(500).default(20).describe("Maximum number of source files"),
    }),
    output: ScaffoldTests,
  },
})
