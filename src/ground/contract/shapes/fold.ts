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

/** The reporter of a charge. Of one piece of work only one source counts. */
export const CHARGE_SOURCES = ["tool", "hook", "usage", "wire"] as const
export const ChargeSource = z
  .enum(CHARGE_SOURCES)
  .describe(
    "tool: our tools; hook: the host's tools; usage: the provider's count minus the estimates it replaces; wire: counted when folded",
  )
export type ChargeSource = z.infer<typeof ChargeSource>

export const BranchCharges = z.object({
  source: ChargeSource,
  charges: Count.describe("Number of charges"),
  tokens: z
    .int()
    .describe("Sum of the charges; negative if the provider counted less than was estimated"),
})
export type BranchCharges = z.infer<typeof BranchCharges>

export const Branch = z.object({
  id: z.string(),
  sessionId: z.string(),
  parentId: z.string().nullable(),
  depth: Count.describe("0 for a top-level branch"),
  children: Count,
  description: z.string(),
  prompt: z.string(),
  scope: Paths.describe("Paths and globs it declared; empty means anywhere"),
  client: z.string().nullable().describe("Name that the caller reports"),
  mode: FoldMode,
  budgetTotal: z.int().positive(),
  budgetUsed: Count.describe("Sum of its charges; above the total if the host did more"),
  charges: z.array(BranchCharges).describe("Parts of budgetUsed, by source"),
  isExhausted: z.boolean().describe("Its budget is used up: it can only return"),
  isLowerBound: z
    .boolean()
    .describe("True if only our tools were metered, so it may have used more"),
  timeoutSeconds: z.int().positive(),
  deadlineAt: z.int(),
  status: BranchStatus,
  endReason: BranchEndReason.nullable(),
  isPartial: z.boolean().describe("Ended automatically: the result is partial"),
  result: z.string().nullable(),
  resultTokens: Count,
  error: z.string().nullable(),
  evidence: z.array(z.string()),
  files: Paths.describe("Files named by the return"),
  openQuestions: z.array(z.string()),
  outOfScope: Paths.describe("Files touched or named outside the scope"),
  progress: z.string().nullable().describe("Last progress note"),
  touchedPaths: Paths,
  injectedMemoryIds: z.array(z.string()),
  distillation: z.enum(["asked", "done"]).nullable(),
  redactions: Count.describe("Secrets redacted in its input and result"),
  tokensInWindow: Count.describe("Tokens of it in the parent's window now"),
  tokensKeptOut: Count.describe("Tokens that its parent does not see"),
  createdAt: z.int(),
  completedAt: z.int().nullable(),
  isArchived: z.boolean().describe("Ended more than an hour ago"),
})
export type Branch = z.infer<typeof Branch>

/** Redacted before it is stored. */
export const TrailEntry = z.object({
  seq: z.int().positive(),
  at: z.int(),
  kind: z
    .enum(["prompt", "call", "charge", "progress", "wire", "result", "forced"])
    .describe("wire: removed from the window by the gateway"),
  tool: z.string().nullable(),
  text: z.string(),
  tokens: Count,
  handle: z.string().nullable().describe("Handle of the whole result, if it was large"),
})
export type TrailEntry = z.infer<typeof TrailEntry>

// Requests of agents. The room checks lengths and numbers, so that its errors name the limit.

export const FoldBranch = z.object({
  branchId: z.string(),
  budgetAllocated: z.int().positive(),
  timeoutSeconds: z.int().positive(),
  depth: Count,
  memories: z.array(MemoryInjected),
  mode: FoldMode,
  next: z.string().describe("Next step for the caller, in this mode"),
  package: z.string().nullable().describe("Complete input for the host's own sub-agent, or null"),
  receipt: z.string().nullable().describe("Receipt of the opened branch for the gateway, or null"),
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
  tokensKeptOut: Count.nullable().describe("Null in fold mode: counted later"),
  isLowerBound: z.boolean(),
  mode: FoldMode,
  distill: z.string().nullable().describe("Request to record memories, or null"),
  receipt: z
    .string()
    .nullable()
    .describe("Receipt that makes the gateway fold the branch, or null"),
  note: z.string().describe("Effect on the branch's messages in the window"),
})
export type FoldReturn = z.infer<typeof FoldReturn>

export const FoldStatus = z.object({
  branch: Branch.nullable().describe("The requested branch, or null if none is active"),
  active: z.array(z.object({ branchId: z.string(), description: z.string(), depth: Count })),
  pending: z
    .array(z.object({ branchId: z.string(), endReason: BranchEndReason, result: z.string() }))
    .describe("Children that ended automatically, with their partial results"),
})
export type FoldStatus = z.infer<typeof FoldStatus>

export const FoldCharge = z.object({
  outcome: z
    .enum(["charged", "warned", "exhausted", "ended", "none"])
    .describe("exhausted: its budget is used up, it can only return"),
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

// Requests of users.

export const FoldList = z.object({
  branches: z.array(Branch).describe("Newest first"),
  active: Count,
  total: Count.describe("Number of stored branches"),
  tokensInWindow: Count.describe("Of the listed branches"),
  tokensKeptOut: Count.describe("Of the listed branches"),
})
export type FoldList = z.infer<typeof FoldList>

export const FoldTree = z.object({
  sessions: z.array(
    z.object({
      sessionId: z.string(),
      client: z.string().nullable(),
      startedAt: z.int(),
      budgetUsed: Count,
      tokensInWindow: Count,
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
      line: z.string().describe("The matching line"),
    }),
  ),
  searched: Count.describe("Number of searched branches"),
})
export type FoldSearch = z.infer<typeof FoldSearch>

export const FoldRestore = z.object({
  branchId: z.string(),
  text: z.string().describe("The trail, formatted for a model"),
  tokens: Count,
  leftOut: Count.describe("Steps left out"),
})
export type FoldRestore = z.infer<typeof FoldRestore>
