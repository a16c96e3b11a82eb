import { z } from "zod"
import { defineOperations } from "../operation.ts"
import { Autonomy, AutonomyArea } from "../shapes/autonomy.ts"

const area = AutonomyArea.optional().describe("Area (default: all)")

export const autonomyOperations = defineOperations("autonomy", {
  show: {
    summary: "Show what automation may do without asking, and why",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      words: ["autonomy"],
      group: "Board",
      examples: ["qm autonomy", "qm autonomy --set autonomy.grade=3"],
      notes: ["Set the grade with `qm config set autonomy.grade 3`."],
    },
    input: z.strictObject({}),
    output: Autonomy,
  },
  stop: {
    summary: "Stop automation in an area at once, at every grade",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: {
      args: ["area"],
      group: "Board",
      examples: ["qm autonomy stop", "qm autonomy stop swarm-dispatch"],
    },
    input: z.strictObject({ area }),
    output: Autonomy,
  },
  resume: {
    summary: "Resume automation in a stopped area, as far as the grade allows",
    effect: "write",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: { args: ["area"], group: "Board", examples: ["qm autonomy resume"] },
    input: z.strictObject({ area }),
    output: Autonomy,
  },
})
