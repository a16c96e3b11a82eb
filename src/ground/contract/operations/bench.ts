import { z } from "zod"
import { defineOperations } from "../operation.ts"
import { BenchIssues, BenchLines, BenchMemory, BenchRecall, BenchScan } from "../shapes/bench.ts"

const TaskFile = z
  .string()
  .min(1)
  .max(4_096)
  .describe("File of tasks, one JSON object per line: id, repo, base_commit, task, gold_files")

const TaskRepositories = z
  .string()
  .min(1)
  .max(4_096)
  .describe("Folder of git repositories, each as owner/name, owner+name or name")

const IssueHalf = z
  .enum(["report", "tune", "all"])
  .default("all")
  .describe("Tasks to use, split by a hash of their id")

const WithPeers = z
  .boolean()
  .default(false)
  .describe("Also measure repomix and aider's map, if they are installed")

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
      peers: WithPeers,
    }),
    output: BenchRecall,
  },
  issues: {
    summary: "Measure how well issue texts lead to the files their fixes changed",
    effect: "read",
    surfaces: ["cli"],
    cli: {
      args: ["file"],
      group: "Store",
      examples: ["qm bench issues tasks.jsonl --repos ~/src --half report"],
    },
    input: z.object({
      file: TaskFile,
      repos: TaskRepositories,
      tasks: z.int().min(1).max(10_000).default(1_000).describe("Maximum number of tasks"),
      half: IssueHalf,
      ablation: z.boolean().default(false).describe("Also measure without each ranking signal"),
      peers: WithPeers,
    }),
    output: BenchIssues,
  },
  lines: {
    summary: "Measure recall and precision of packages against expected lines",
    effect: "read",
    surfaces: ["cli"],
    cli: {
      args: ["file"],
      group: "Store",
      examples: ["qm bench lines lines.jsonl --repos ~/src"],
    },
    input: z.object({
      file: TaskFile.describe(
        "File of tasks as for `bench issues`, with gold_lines: path to spans",
      ),
      repos: TaskRepositories,
      tasks: z.int().min(1).max(10_000).default(1_000).describe("Maximum number of tasks"),
      half: IssueHalf,
      peers: WithPeers,
    }),
    output: BenchLines,
  },
  memory: {
    summary: "Measure how well questions find the memories that answer them",
    effect: "read",
    surfaces: ["cli"],
    cli: { args: ["file"], group: "Store", examples: ["qm bench memory questions.jsonl"] },
    input: z.object({
      file: z
        .string()
        .min(1)
        .max(4_096)
        .describe(
          "File with one JSON object per line: memories (set, memory, text) and questions (set, id, question, evidence)",
        ),
      questions: z.int().min(1).max(100_000).default(2_000).describe("Maximum number of questions"),
      half: IssueHalf,
    }),
    output: BenchMemory,
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
