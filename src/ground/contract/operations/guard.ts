import { z } from "zod"
import { GuardOverride, GuardTry, GuardVerdicts, Simulation, VerdictKind } from "../guard.ts"
import { HookName } from "../kit.ts"
import { defineOperations } from "../operation.ts"

const Place = z.string().min(1).max(4_096)

const limit = z.int().min(1).max(2_000).default(200)

const sinceHours = z
  .number()
  .positive()
  .max(24 * 90)
  .default(24)

export const guardOperations = defineOperations("guard", {
  simulate: {
    summary: "Say what a change of files would reach and how risky it is, and keep a receipt",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { words: ["simulate"], args: ["paths"], group: "Choose" },
    input: z.strictObject({
      paths: z.array(Place).min(1).max(200).describe("Files or folders that would change"),
    }),
    output: Simulation,
  },
  verdicts: {
    summary: "Show what hooks said to agents, the newest first",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["guard"], alsoWords: ["guard", "verdicts"], group: "Choose" },
    input: z.strictObject({
      sinceHours,
      session: z.string().max(500).optional(),
      rule: HookName.optional(),
      verdict: VerdictKind.optional(),
      limit,
    }),
    output: GuardVerdicts,
  },
  try: {
    summary: "Try risk paths on the edits of the last hours, before they go live",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { args: ["patterns"], group: "Choose" },
    input: z.strictObject({
      patterns: z
        .string()
        .min(1)
        .max(8_000)
        .describe("Risk paths to try, as globs with commas, like guard.highRiskPaths"),
      sinceHours,
      limit,
    }),
    output: GuardTry,
  },
  override: {
    summary: "Allow edits that the guard refuses, for some minutes and with a reason",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { words: ["override"], args: ["paths"], group: "Choose" },
    input: z.strictObject({
      paths: z
        .array(Place)
        .min(1)
        .max(200)
        .describe("Files or folders that may be edited all the same"),
      reason: z.string().min(3).max(500).describe("Why; it is recorded"),
      minutes: z.int().min(1).max(240).default(30),
    }),
    output: GuardOverride,
  },
})
