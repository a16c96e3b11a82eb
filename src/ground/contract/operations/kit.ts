import { z } from "zod"
import { defineOperations } from "../operation.ts"
import { KitDone, KitHost, KitLevels } from "../shapes/kit.ts"

const KitLevel = z.int().min(1).max(7)

/** For the user at the terminal: they write into the settings of hosts. */
export const kitOperations = defineOperations("kit", {
  init: {
    summary: "Install hooks, commands and skills in your agents; shows a plan first",
    effect: "write",
    surfaces: ["cli"],
    cli: {
      words: ["init"],
      group: "Setup",
      examples: [
        "qm init --dry-run",
        "qm init --host claude-code --yes",
        "qm init --statusline --dry-run",
      ],
    },
    input: z.strictObject({
      host: z
        .array(KitHost)
        .max(4)
        .optional()
        .describe("Host to install into (default: all hosts found on this machine)"),
      level: KitLevel.optional().describe("Level, 1 to 7 (default: the repository's level, or 2)"),
      statusline: z
        .boolean()
        .default(false)
        .describe("Also set up the status line of Claude Code; your own one stays"),
      replaceStatusline: z
        .boolean()
        .default(false)
        .describe("Replace your own status line until `qm uninstall`, which restores it"),
      dryRun: z.boolean().default(false).describe("Show the plan and write nothing"),
      yes: z.boolean().default(false).describe("Apply the plan (default: only show it)"),
    }),
    output: KitDone,
  },
  uninstall: {
    summary: "Remove what `qm init` installed and restore your files",
    effect: "write",
    surfaces: ["cli"],
    cli: {
      words: ["uninstall"],
      group: "Setup",
      examples: ["qm uninstall --dry-run", "qm uninstall --yes"],
    },
    input: z.strictObject({
      dryRun: z.boolean().default(false).describe("Show the plan and change nothing"),
      yes: z.boolean().default(false).describe("Apply the plan (default: only show it)"),
    }),
    output: KitDone,
  },
  level: {
    summary: "List the seven levels with their cost, or set one",
    effect: "write",
    surfaces: ["cli"],
    cli: {
      words: ["level"],
      args: ["level"],
      group: "Setup",
      examples: ["qm level", "qm level 3"],
    },
    input: z.strictObject({
      level: KitLevel.optional().describe("Level to set, 1 to 7 (default: list the levels)"),
      measure: z
        .boolean()
        .default(false)
        .describe("Measure how long each hook takes; needs a few seconds"),
    }),
    output: KitLevels,
  },
})
