import { z } from "zod"

const Count = z.int().nonnegative()
const Share = z.number().min(0).max(1)

/** In percentage points, with its 95 % interval by a paired bootstrap over tasks. */
export const PairedDifference = z.object({
  mean: z.number(),
  low: z.number(),
  high: z.number(),
})
export type PairedDifference = z.infer<typeof PairedDifference>

const MissingPeers = z.array(z.string()).describe("Requested tools that are not installed")

const HunkRecall = z.object({ budget: z.int().positive(), recall: Share })

export const RankerResult = z.object({
  ranker: z.string().describe("qm, bm25, page-rank, or qm without one signal"),
  recallAt10: Share,
  recallAt20: Share,
  mrr: Share,
  hunks: z.array(HunkRecall).describe("Share of edited hunks that are whole in the package"),
  truthInBudget: Share.describe("Share of changed files that are in the package in any form"),
  overBm25: z
    .object({
      recallAt10: PairedDifference,
      recallAt20: PairedDifference,
      mrr: PairedDifference,
      hunks: z.array(z.object({ budget: z.int().positive(), difference: PairedDifference })),
    })
    .nullable()
    .describe("Null for BM25"),
})
export type RankerResult = z.infer<typeof RankerResult>

export const BenchRecall = z.object({
  repository: z.string(),
  head: z.string(),
  files: Count.describe("Source files at the newest task"),
  tasks: Count,
  tasksSkipped: Count.describe("Commits that were unsuitable as a task"),
  budget: z.int().positive(),
  rankers: z.array(RankerResult),
  missingPeers: MissingPeers,
  millisecondsPerTask: z.number().nonnegative(),
})
export type BenchRecall = z.infer<typeof BenchRecall>

export const ScanRow = z.object({
  tool: z.string(),
  seconds: z.number().nonnegative().nullable().describe("Null if it is not installed"),
  cpuSeconds: z.number().nonnegative().nullable(),
  peakMegabytes: z.number().nonnegative().nullable(),
  filesPerSecond: z.number().nonnegative().nullable(),
  megabytesPerSecond: z.number().nonnegative().nullable(),
  note: z.string(),
})
export type ScanRow = z.infer<typeof ScanRow>

export const BenchScan = z.object({
  repository: z.string(),
  files: Count,
  lines: Count,
  megabytes: z.number().nonnegative(),
  rows: z.array(ScanRow),
  oneFileChangedMs: z.number().nonnegative().nullable(),
  commitsCompared: Count,
  commitsEqual: Count,
})
export type BenchScan = z.infer<typeof BenchScan>

const AtRank = z.object({ rank: z.int().positive(), value: Share })
const DifferenceAtRank = z.object({ rank: z.int().positive(), difference: PairedDifference })

export const IssueRanker = z.object({
  ranker: z.string(),
  accuracy: z.array(AtRank).describe("Share of tasks with all expected files in the first ranks"),
  recall: z.array(AtRank).describe("Mean share of the expected files in the first ranks"),
  mrr: Share,
  overBm25: z
    .object({ accuracy: z.array(DifferenceAtRank), recall: z.array(DifferenceAtRank) })
    .nullable()
    .describe("Null for BM25"),
})
export type IssueRanker = z.infer<typeof IssueRanker>

export const BenchMemory = z.object({
  questions: Count,
  sets: Count.describe("Groups of memories that are searched together"),
  memories: Count,
  skipped: z.array(z.object({ reason: z.string(), tasks: Count })),
  rankers: z.array(IssueRanker),
  millisecondsPerQuestion: z.number().nonnegative(),
})
export type BenchMemory = z.infer<typeof BenchMemory>

const SkippedTasks = z.array(z.object({ reason: z.string(), tasks: Count }))

export const BenchIssues = z.object({
  tasks: Count,
  repositories: Count,
  skipped: SkippedTasks,
  rankers: z.array(IssueRanker),
  missingPeers: MissingPeers,
  millisecondsPerTask: z.number().nonnegative(),
})
export type BenchIssues = z.infer<typeof BenchIssues>

export const LineResult = z.object({
  ranker: z.string(),
  budget: z.int().positive(),
  recall: Share.describe("Mean share of the expected lines that are in the package"),
  precision: Share.describe("Mean share of the package's lines that are expected"),
  f1: Share.describe("Mean of the harmonic means of both"),
  filePrecision: Share.describe("Mean share of the package's files that are expected"),
  files: z.number().nonnegative().describe("Mean number of files in the package"),
  tokens: z.number().nonnegative().describe("Mean number of tokens in the package"),
})
export type LineResult = z.infer<typeof LineResult>

export const BenchLines = z.object({
  tasks: Count,
  repositories: Count,
  skipped: SkippedTasks,
  results: z.array(LineResult),
  missingPeers: MissingPeers,
  millisecondsPerTask: z.number().nonnegative(),
})
export type BenchLines = z.infer<typeof BenchLines>
