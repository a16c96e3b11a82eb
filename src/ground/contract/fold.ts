import { z } from "zod"
import { MemoryInjected } from "./memory.ts"

const Count = z.int().nonnegative()
const Paths = z.array(z.string())

export const BRANCH_STATUSES = [
  "created",
  "active",
  "completed",
  "timeout",
  "failed",
  "cancelled",
] as const
export const BranchStatus = z.enum(BRANCH_STATUSES)
export type BranchStatus = z.infer<typeof BranchStatus>

export const BranchEndReason = z.enum([
  "returned",
  "budget",
  "timeout",
  "parent-returned",
  "session-ended",
  "shutdown",
])
export type BranchEndReason = z.infer<typeof BranchEndReason>

export const FoldMode = z.enum(["wire", "sub-agent", "handle", "none"])
export type FoldMode = z.infer<typeof FoldMode>

/** A sub-task with a budget, a time, and at the end a result. */
export const Branch = z.object({
  id: z.string(),
  sessionId: z.string(),
  parentId: z.string().nullable(),
  depth: Count.describe("0 for a branch of the root"),
  children: Count,
  description: z.string(),
  prompt: z.string(),
  scope: Paths.describe("Paths and globs it said it would touch; empty means anywhere"),
  client: z.string().nullable().describe("What the caller calls itself"),
  mode: FoldMode,
  budgetTotal: z.int().positive(),
  budgetUsed: Count,
  isLowerBound: z.boolean().describe("Only our own tools were metered, so it may have used more"),
  timeoutSeconds: z.int().positive(),
  deadlineAt: z.int(),
  status: BranchStatus,
  endReason: BranchEndReason.nullable(),
  isPartial: z.boolean().describe("Ended by force: the result is what was known by then"),
  result: z.string().nullable(),
  resultTokens: Count,
  error: z.string().nullable(),
  evidence: z.array(z.string()),
  files: Paths.describe("Files the return names"),
  openQuestions: z.array(z.string()),
  outOfScope: Paths.describe("Files touched or named that the scope does not have"),
  progress: z.string().nullable().describe("The last note on how far it is"),
  touchedPaths: Paths,
  injectedMemoryIds: z.array(z.string()),
  distillation: z.enum(["asked", "done"]).nullable(),
  redactions: Count.describe("Secrets replaced in what it was given and what it gave back"),
  tokensKeptOut: Count.describe("What it used and its parent does not see"),
  createdAt: z.int(),
  completedAt: z.int().nullable(),
  isArchived: z.boolean().describe("Finished for more than an hour"),
})
export type Branch = z.infer<typeof Branch>

/** One step of a branch, as it is kept. Secrets are replaced before it is written. */
export const TrailEntry = z.object({
  seq: z.int().positive(),
  at: z.int(),
  kind: z
    .enum(["prompt", "call", "charge", "progress", "wire", "result", "forced"])
    .describe("wire: taken out of the window by the gateway"),
  tool: z.string().nullable(),
  text: z.string(),
  tokens: Count,
  handle: z.string().nullable().describe("Where the whole result lies, when it was large"),
})
export type TrailEntry = z.infer<typeof TrailEntry>

// What an agent asks. Lengths and figures are judged by the room, which says limit and length.

export const FoldBranch = z.object({
  branchId: z.string(),
  budgetAllocated: z.int().positive(),
  timeoutSeconds: z.int().positive(),
  depth: Count,
  memories: z.array(MemoryInjected),
  mode: FoldMode,
  next: z.string().describe("What the caller does now, in this mode"),
  package: z.string().nullable().describe("For the host's own sub-agent: all it needs, or null"),
  receipt: z.string().nullable().describe("For the gateway: that this branch was opened, or null"),
})
export type FoldBranch = z.infer<typeof FoldBranch>

export const FoldReturn = z.object({
  branchId: z.string(),
  status: BranchStatus,
  message: z.string(),
  evidence: z.array(z.string()),
  files: Paths,
  openQuestions: z.array(z.string()),
  outOfScope: Paths,
  endedChildren: z.array(z.string()),
  redactions: Count,
  budgetUsed: Count,
  budgetTotal: z.int().positive(),
  tokensKeptOut: Count.nullable().describe("Null on the wire: what is folded is counted later"),
  isLowerBound: z.boolean(),
  mode: FoldMode,
  distill: z.string().nullable().describe("What to remember is asked for, or null"),
  receipt: z.string().nullable().describe("For the gateway: fold it now and for ever, or null"),
  note: z.string().describe("What becomes of the work in the window, in words"),
})
export type FoldReturn = z.infer<typeof FoldReturn>

export const FoldStatus = z.object({
  branch: Branch.nullable().describe("The one asked for, or null when none is active"),
  active: z.array(z.object({ branchId: z.string(), description: z.string(), depth: Count })),
  pending: z
    .array(z.object({ branchId: z.string(), endReason: BranchEndReason, result: z.string() }))
    .describe("Children that were ended by force, and what they knew"),
})
export type FoldStatus = z.infer<typeof FoldStatus>

export const FoldCharge = z.object({
  outcome: z.enum(["charged", "warned", "ended", "none"]),
  branchId: z.string().nullable(),
  budgetUsed: Count,
  budgetTotal: Count,
})
export type FoldCharge = z.infer<typeof FoldCharge>

export const FoldRead = z.object({
  handle: z.string(),
  label: z.string(),
  totalLines: Count,
  totalTokens: Count,
  fromLine: z.int().positive(),
  text: z.string(),
  nextLine: z.int().positive().nullable(),
  matches: z.array(z.object({ line: z.int().positive(), text: z.string() })),
})
export type FoldRead = z.infer<typeof FoldRead>

export const FoldEnded = z.object({ ended: z.array(z.string()) })

// What a person asks.

export const FoldList = z.object({
  branches: z.array(Branch).describe("Newest first"),
  active: Count,
  total: Count.describe("All that are kept"),
  tokensKeptOut: Count.describe("By those listed"),
})
export type FoldList = z.infer<typeof FoldList>

export const FoldTree = z.object({
  sessions: z.array(
    z.object({
      sessionId: z.string(),
      client: z.string().nullable(),
      startedAt: z.int(),
      budgetUsed: Count,
      tokensKeptOut: Count,
      branches: z.array(Branch).describe("Each followed by its children, oldest first"),
    }),
  ),
})
export type FoldTree = z.infer<typeof FoldTree>

export const FoldShow = z.object({ branch: Branch, trail: z.array(TrailEntry) })
export type FoldShow = z.infer<typeof FoldShow>

export const FoldSearch = z.object({
  found: z.array(
    z.object({
      branchId: z.string(),
      description: z.string(),
      seq: z.int().positive(),
      at: z.int(),
      kind: TrailEntry.shape.kind,
      tool: z.string().nullable(),
      line: z.string().describe("The line that has the words"),
    }),
  ),
  searched: Count.describe("Branches whose trails were looked at"),
})
export type FoldSearch = z.infer<typeof FoldSearch>

export const FoldRestore = z.object({
  branchId: z.string(),
  text: z.string().describe("The trail, written for a model"),
  tokens: Count,
  leftOut: Count.describe("Steps that had no room"),
})
export type FoldRestore = z.infer<typeof FoldRestore>
