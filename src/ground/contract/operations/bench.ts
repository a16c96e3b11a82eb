import { z } from "zod"
import { BenchRecall, BenchScan } from "../bench.ts"
import { defineOperations } from "../operation.ts"

/** For the command line only: they read any folder that is named, and take minutes. */
export const benchOperations = defineOperations("bench", {
  recall: {
    summary: "Measure how well files and edited lines of past commits are found",
    effect: "read",
    surfaces: ["cli"],
    cli: { group: "Keep" },
    input: z.object({
      repo: z.string().min(1).default(".").describe("A git repository"),
      tasks: z.int().min(1).max(2_000).default(150).describe("How many commits are taken as tasks"),
      budget: z.int().min(500).max(1_000_000).default(8_000).describe("Tokens of a package"),
      half: z
        .enum(["report", "tune", "all"])
        .default("report")
        .describe("Which commits: those that nothing was tuned on, the others, or both"),
      ablation: z.boolean().default(false).describe("Also without each signal"),
    }),
    output: BenchRecall,
  },
  scan: {
    summary: "Measure how fast a tree is indexed, beside other tools that are installed",
    effect: "read",
    surfaces: ["cli"],
    cli: { group: "Keep" },
    input: z.object({
      repo: z.string().min(1).default(".").describe("The tree to scan"),
      commits: z
        .int()
        .min(0)
        .max(1_000)
        .default(0)
        .describe("Also go through so many commits and compare with a clean index after each"),
    }),
    output: BenchScan,
  },
})
