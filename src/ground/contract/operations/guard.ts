import { z } from "zod"
import { defineOperations } from "../operation.ts"
import { GuardOverride, GuardTry, GuardVerdicts, Simulation, VerdictKind } from "../shapes/guard.ts"
import { HookName } from "../shapes/kit.ts"

const InputPath = z.string().min(1).max(4_096)

const limit = z.int().min(1).max(2_000).default(200).describe("Maximum number of rows")

const sinceHours = z
  .number()
  .positive()
  .max(24 * 90)
  .default(24)
  .describe("Only the last hours")

export const guardOperations = defineOperations("guard", {
  simulate: {
    summary: "Show what a change would affect and its risk; stores a receipt",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: {
      words: ["simulate"],
      args: ["paths"],
      group: "Guard",
      examples: ["qm simulate src/billing/tax.ts"],
    },
    input: z.strictObject({
      paths: z.array(InputPath).min(1).max(200).describe("Files or folders you plan to change"),
    }),
    output: Simulation,
  },
  verdicts: {
    summary: "List verdicts of the hooks, newest first",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      words: ["guard"],
      aliases: ["guard verdicts"],
      group: "Guard",
      examples: ["qm guard", "qm guard --since-hours 2 --verdict deny"],
    },
    input: z.strictObject({
      sinceHours,
      session: z.string().max(500).optional().describe("Only this session"),
      rule: HookName.optional().describe("Only verdicts of this hook"),
      verdict: VerdictKind.optional().describe("Only this verdict"),
      reported: z.boolean().default(false).describe("Leave out silent verdicts"),
      limit,
    }),
    output: GuardVerdicts,
  },
  try: {
    summary: "Test risk paths against recent edits, without enabling them",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      args: ["patterns"],
      group: "Guard",
      examples: ['qm guard try "src/billing/**,!**/*.test.ts"'],
    },
    input: z.strictObject({
      patterns: z
        .string()
        .min(1)
        .max(8_000)
        .describe("Globs separated by commas, as in guard.highRiskPaths"),
      sinceHours,
      limit,
    }),
    output: GuardTry,
  },
  override: {
    summary: "Allow edits that the guard blocks, for some minutes, with a reason",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: {
      words: ["override"],
      args: ["paths"],
      group: "Guard",
      examples: ['qm override src/billing/tax.ts --reason "Approved by Ana" --minutes 15'],
    },
    input: z.strictObject({
      paths: z.array(InputPath).min(1).max(200).describe("Files or folders to allow"),
      reason: z.string().min(3).max(500).describe("Reason; it is recorded"),
      minutes: z.int().min(1).max(240).default(30).describe("Minutes until it expires"),
    }),
    output: GuardOverride,
  },
})
