import { z } from "zod"
import { KitDone, KitHost, KitLevels } from "../kit.ts"
import { defineOperations } from "../operation.ts"

const KitLevel = z.int().min(1).max(7)

/** For the person at the terminal: they write into the settings of hosts. */
export const kitOperations = defineOperations("kit", {
  init: {
    summary: "Install hooks, commands and skills into your agents; shows first what it writes",
    effect: "write",
    surfaces: ["cli"],
    cli: { words: ["init"], group: "Set up" },
    input: z.strictObject({
      host: z.array(KitHost).max(3).optional().describe("Default: those found on this machine"),
      level: KitLevel.optional().describe("Default: the level of this repository, or 2"),
      dryRun: z.boolean().default(false).describe("Only say what would be written"),
      yes: z.boolean().default(false).describe("Write it; without it the plan is shown"),
    }),
    output: KitDone,
  },
  uninstall: {
    summary: "Take back what was installed here; your own files are as they were",
    effect: "write",
    surfaces: ["cli"],
    cli: { words: ["uninstall"], group: "Set up" },
    input: z.strictObject({
      dryRun: z.boolean().default(false).describe("Only say what would be restored"),
      yes: z.boolean().default(false).describe("Do it; without it the plan is shown"),
    }),
    output: KitDone,
  },
  level: {
    summary: "Show the seven levels with what each costs, or set one",
    effect: "write",
    surfaces: ["cli"],
    cli: { words: ["level"], args: ["level"], group: "Set up" },
    input: z.strictObject({
      level: KitLevel.optional().describe(
        "The level to set, 1 to 7; without it the table is shown",
      ),
      measure: z.boolean().default(false).describe("Time the hooks now; takes a few seconds"),
    }),
    output: KitLevels,
  },
})
