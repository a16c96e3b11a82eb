import { z } from "zod"
import { defineOperations } from "#ground/contract"

export const tideOperations = defineOperations("tide", {
  next: {
    summary: "Show when the next high tide is",
    effect: "read",
    surfaces: ["cli", "http", "mcp"],
    cli: { args: ["harbour"], group: "Knowledge", examples: ["qm tide next Rotterdam"] },
    mcp: {
      set: "core",
      title: "Next high tide",
      description: "Show when the next high tide reaches a harbour.",
    },
    input: z.strictObject({
      harbour: z.string().min(1).describe("Name of the harbour"),
      afterHours: z.int().min(0).default(0).describe("Earliest time, in hours"),
    }),
    output: z.object({ harbour: z.string(), inHours: z.int() }),
  },
})
