import { z } from "zod"
import { defineOperations } from "../operation.ts"
import { BenchRecall, BenchScan } from "../shapes/bench.ts"

/** Command line only: they read any given folder and take minutes. */
export const benchOperations = defineOperations("bench", {
  recall: {
    summary: "Measure how well packages contain what past commits edited",
    effect: "read",
    surfaces: ["cli"],
    cli: { group: "Store", examples: ["qm bench recall --tasks 50 --budget 8000"] },
    input: z.object({
      repo: z.string().min(1).max(4_096).default(".").describe("Git repository"),
      tasks: z.int().min(1).max(2_000).default(150).describe("Number of commits to use as tasks"),
      budget: z
        .int()
        .min(500)
        .max(1_000_000)
        .default(8_000)
        .describe("Token budget of each package"),
      half: z
        .enum(["report", "tune", "all"])
        .default("report")
        .describe("Commits to use: not used for tuning (report), used for tuning (tune), or all"),
      ablation: z.boolean().default(false).describe("Also measure without each ranking signal"),
    }),
    output: BenchRecall,
  },
  scan: {
    summary: "Measure indexing speed and compare it with other installed tools",
    effect: "read",
    surfaces: ["cli"],
    cli: { group: "Store", examples: ["qm bench scan --repo ../other-project"] },
    input: z.object({
      repo: z.string().min(1).max(4_096).default(".").describe("Directory to scan"),
      commits: z
        .int()
        .min(0)
        .max(1_000)
        .default(0)
        .describe("Also replay this many commits and compare each with a fresh index"),
    }),
    output: BenchScan,
  },
})
