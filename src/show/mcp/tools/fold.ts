import { z } from "zod"
import { FoldBranch, FoldReturn, FoldStatus, MemoryInjected } from "#ground/contract"
import { sayBranch, sayReturn, sayStatus } from "./say-fold.ts"
import { ask, defineTool, session_id } from "./tool.ts"

// Lengths and figures are judged by the room, which says the limit and the length: a bound here
// would hide its words. What a transport takes is bounded before it comes here.

const Texts = z.array(z.string())
const shownAtOnce = { "anthropic/alwaysLoad": true }

const memory = MemoryInjected.pick({ id: true, kind: true, title: true, confidence: true })

export const branch = defineTool({
  name: "branch",
  set: "core",
  title: "Open a branch",
  description:
    "Open a branch for a sub-task that will read much and conclude little (search, debugging, review). It has a token and time budget; end it with return. The answer says how to work in it.",
  needsFolding: true,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  meta: shownAtOnce,
  input: z.strictObject({
    description: z.string().describe("The sub-task in one line, at most 500 characters"),
    prompt: z.string().describe("What is to be done, whole; at most 10,000 characters"),
    budget: z.number().optional().describe("Tokens"),
    timeout_seconds: z.number().optional(),
    parent_branch_id: z
      .string()
      .max(200)
      .optional()
      .describe("root for none; default: the active branch"),
    scope: z.array(z.string().max(1_000)).max(200).optional().describe("Paths and globs"),
    session_id,
  }),
  output: z.object({
    branch_id: z.string(),
    budget_allocated: z.int(),
    timeout_seconds: z.int(),
    depth: z.int(),
    mode: z.string(),
    next: z.string(),
    package: z.string().optional().describe("For the host's own sub-agent"),
    receipt: z.string().optional(),
    memories: z.array(memory.extend({ text: z.string().optional() })),
  }),
  async call(input, call) {
    const opened = FoldBranch.parse(
      await ask(call, "fold.branch", {
        description: input.description,
        prompt: input.prompt,
        budget: input.budget,
        timeoutSeconds: input.timeout_seconds,
        parentBranchId: input.parent_branch_id,
        scope: input.scope,
        sessionId: input.session_id,
      }),
    )
    // A package has the memories in it; saying them twice would spend what the branch is to save.
    const memories = opened.memories.map(({ text, ...it }) =>
      opened.package === null ? { ...it, text } : it,
    )
    return {
      text: sayBranch(opened),
      fields: {
        branch_id: opened.branchId,
        budget_allocated: opened.budgetAllocated,
        timeout_seconds: opened.timeoutSeconds,
        depth: opened.depth,
        mode: opened.mode,
        next: opened.next,
        ...(opened.package !== null && { package: opened.package }),
        ...(opened.receipt !== null && { receipt: opened.receipt }),
        memories,
      },
    }
  },
})

export const returnTool = defineTool({
  name: "return",
  set: "core",
  title: "Return from a branch",
  description:
    "End a branch with its result. The message is all that its parent keeps: the conclusion first, then what it rests on.",
  needsFolding: true,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  meta: shownAtOnce,
  input: z.strictObject({
    branch_id: z.string(),
    message: z.string().describe("At most 50,000 characters"),
    evidence: Texts.optional().describe("Where it can be checked: path:line, commands"),
    files: Texts.optional().describe("Files changed or found to matter"),
    open_questions: Texts.optional(),
    extract_memory: z.boolean().optional().describe("Ask what is worth remembering"),
    idempotency_key: z.string().max(200).optional().describe("Repeats give the same answer"),
    session_id,
  }),
  output: z.object({
    branch_id: z.string(),
    status: z.string(),
    message: z.string(),
    evidence: Texts,
    files: Texts,
    open_questions: Texts,
    out_of_scope: Texts,
    ended_children: Texts,
    redactions: z.int(),
    budget_used: z.int(),
    budget_total: z.int(),
    tokens_kept_out: z.int().optional(),
    is_lower_bound: z.boolean(),
    mode: z.string(),
    distill: z.string().optional(),
    note: z.string().optional(),
    receipt: z.string().optional(),
  }),
  async call(input, call) {
    const returned = FoldReturn.parse(
      await ask(call, "fold.return", {
        branchId: input.branch_id,
        message: input.message,
        evidence: input.evidence,
        files: input.files,
        openQuestions: input.open_questions,
        extractMemory: input.extract_memory,
        idempotencyKey: input.idempotency_key,
        sessionId: input.session_id,
      }),
    )
    return { text: sayReturn(returned), fields: returnedFields(returned) }
  },
})

function returnedFields(it: FoldReturn) {
  return {
    branch_id: it.branchId,
    status: it.status,
    message: it.message,
    evidence: it.evidence,
    files: it.files,
    open_questions: it.openQuestions,
    out_of_scope: it.outOfScope,
    ended_children: it.endedChildren,
    redactions: it.redactions,
    budget_used: it.budgetUsed,
    budget_total: it.budgetTotal,
    ...(it.tokensKeptOut !== null && { tokens_kept_out: it.tokensKeptOut }),
    is_lower_bound: it.isLowerBound,
    mode: it.mode,
    ...(it.distill !== null && { distill: it.distill }),
    ...(it.note !== "" && { note: it.note }),
    ...(it.receipt !== null && { receipt: it.receipt }),
  }
}

const BranchShown = z.object({
  branch_id: z.string(),
  parent_id: z.string().optional(),
  description: z.string(),
  status: z.string(),
  end_reason: z.string().optional(),
  depth: z.int(),
  budget_used: z.int(),
  budget_total: z.int(),
  is_lower_bound: z.boolean(),
  is_partial: z.boolean(),
  progress: z.string().optional(),
  result: z.string().optional(),
})

export const branchStatus = defineTool({
  name: "branch_status",
  set: "core",
  title: "State of a branch",
  description:
    "How much of a branch's budget is used, its result if it has ended, which branches are open, and what ended by force. Give progress to keep a note in case it is ended.",
  needsFolding: true,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  input: z.strictObject({
    branch_id: z.string().optional().describe("Default: the active branch"),
    progress: z.string().optional(),
    session_id,
  }),
  output: z.object({
    branch: BranchShown.optional(),
    active: z.array(z.object({ branch_id: z.string(), description: z.string(), depth: z.int() })),
    pending: z.array(
      z.object({ branch_id: z.string(), end_reason: z.string(), result: z.string() }),
    ),
  }),
  async call(input, call) {
    const status = FoldStatus.parse(
      await ask(call, "fold.status", {
        branchId: input.branch_id,
        progress: input.progress,
        sessionId: input.session_id,
      }),
    )
    return {
      text: sayStatus(status),
      fields: {
        ...(status.branch !== null && { branch: branchFields(status.branch) }),
        active: status.active.map(({ branchId, ...it }) => ({ branch_id: branchId, ...it })),
        pending: status.pending.map((it) => ({
          branch_id: it.branchId,
          end_reason: it.endReason,
          result: it.result,
        })),
      },
    }
  },
})

function branchFields(it: NonNullable<FoldStatus["branch"]>): z.input<typeof BranchShown> {
  return {
    branch_id: it.id,
    ...(it.parentId !== null && { parent_id: it.parentId }),
    description: it.description,
    status: it.status,
    ...(it.endReason !== null && { end_reason: it.endReason }),
    depth: it.depth,
    budget_used: it.budgetUsed,
    budget_total: it.budgetTotal,
    is_lower_bound: it.isLowerBound,
    is_partial: it.isPartial,
    ...(it.progress !== null && { progress: it.progress }),
    ...(it.result !== null && { result: it.result }),
  }
}
