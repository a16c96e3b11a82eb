import { z } from "zod"
import { defineOperations } from "../operation.ts"
import { ScaffoldTests } from "../shapes/scaffold.ts"

export const scaffoldOperations = defineOperations("scaffold", {
  tests: {
    summary: "Plan happy, edge and failure tests from the map's symbols",
    effect: "write",
    surfaces: ["cli"],
    cli: {
      words: ["scaffold-tests"],
      args: ["paths"],
      group: "Code",
      examples: ["qm scaffold-tests", "qm scaffold-tests src/bill.ts --write"],
      notes: [
        "Knows vitest, jest, node:test, pytest, unittest, go test, cargo test and phpunit.",
        "With --write it creates missing starter tests. They run and fail until they are filled in.",
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
