import { z } from "zod"
import { defineOperations } from "#ground/contract"

export const tideOperations = defineOperations("tide", {
  next: {
    summary: "Say when the next high tide is",
    effect: "read",
    surfaces: ["cli", "http", "mcp"],
    cli: { args: ["harbour"], group: "Know" },
    mcp: {
      set: "core",
      title: "Next high tide",
      description: "When the next high tide comes to a harbour.",
    },
    input: z.strictObject({
      harbour: z.string().min(1).describe("Name of the harbour"),
      afterHours: z.int().min(0).default(0).describe("Not before so many hours"),
    }),
    output: z.object({ harbour: z.string(), inHours: z.int() }),
  },
})
