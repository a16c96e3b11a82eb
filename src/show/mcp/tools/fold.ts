import { z } from "zod"
import { formatExact, plural } from "#ground/base"
import { FoldBranch, FoldRead, FoldReturn, FoldStatus, MemoryInjected } from "#ground/contract"
import { toolView } from "./tool.ts"

const Texts = z.array(z.string())
const memory = MemoryInjected.pick({ id: true, kind: true, title: true, confidence: true })

const branch = toolView({
  result: FoldBranch,
  body: [],
  fields: {
    branch_id: z.string(),
    budget_allocated: z.int(),
    timeout_seconds: z.int(),
    depth: z.int(),
    mode: z.string(),
    next: z.string(),
    package: z.string().optional().describe("For the host's own sub-agent"),
    receipt: z.string().optional(),
    memories: z.array(memory.extend({ text: z.string().optional() })),
  },
  answer(opened) {
    // The package contains the memories; repeating them would cost tokens.
    const memories = opened.memories.map(({ text, ...it }) =>
      opened.package === null ? { ...it, text } : it,
    )
    return {
      text: branchText(opened),
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

const returned = toolView({
  result: FoldReturn,
  body: [],
  fields: {
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
  },
  answer: (it) => ({ text: returnText(it), fields: returnedFields(it) }),
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

const status = toolView({
  result: FoldStatus,
  body: [],
  fields: {
    branch: BranchShown.optional(),
    active: z.array(z.object({ branch_id: z.string(), description: z.string(), depth: z.int() })),
    pending: z.array(
      z.object({ branch_id: z.string(), end_reason: z.string(), result: z.string() }),
    ),
  },
  answer: (it) => ({
    text: statusText(it),
    fields: {
      ...(it.branch !== null && { branch: branchFields(it.branch) }),
      active: it.active.map(({ branchId, ...one }) => ({ branch_id: branchId, ...one })),
      pending: it.pending.map(({ branchId, endReason, result }) => {
        return { branch_id: branchId, end_reason: endReason, result }
      }),
    },
  }),
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

const read = toolView({
  result: FoldRead,
  // A slice is smaller than the handle threshold, so it is never returned as a handle.
  body: ["text", "notice"],
  fields: {
    handle: z.string(),
    total_lines: z.int(),
    total_tokens: z.int(),
    from_line: z.int(),
    next_line: z.int().optional(),
    matches: z.int().optional(),
  },
  answer: (it, { query }) => ({
    label: it.label,
    text: readText(it, query !== undefined),
    fields: {
      handle: it.handle,
      total_lines: it.totalLines,
      total_tokens: it.totalTokens,
      from_line: it.fromLine,
      ...(it.nextLine !== null && { next_line: it.nextLine }),
      ...(query !== undefined && { matches: it.matches.length }),
    },
  }),
})

export const FOLD_VIEWS = { branch, return: returned, branch_status: status, read_handle: read }

/** For a model: what the branch has, and what to do next. */
export function branchText(it: FoldBranch): string {
  const budget = `${formatExact(it.budgetAllocated)} tokens and ${formatExact(it.timeoutSeconds)} seconds`
  const memories = it.package === null ? it.memories.map((memory) => memory.text) : []
  return [
    `Branch ${it.branchId} is open, with ${budget}.`,
    it.next,
    ...(it.package === null ? [] : [it.package]),
    ...memories,
    ...receipt(it),
  ].join("\n\n")
}

export function returnText(it: FoldReturn): string {
  const used = `${formatExact(it.budgetUsed)} of ${formatExact(it.budgetTotal)} tokens used`
  const least = it.isLowerBound ? " at least" : ""
  const savedText =
    it.tokensKeptOut === null ? "" : `, ${formatExact(it.tokensKeptOut)} kept out of the parent`
  return [
    `Branch ${it.branchId} is ${it.status}:${least} ${used}${savedText}.`,
    ...named("Outside its scope", it.outOfScope),
    ...named("Ended with it", it.endedChildren),
    ...(it.mode === "wire" ? wholeResult(it) : asKept(it)),
    ...(it.distill === null ? [] : [it.distill]),
    ...(it.note === "" ? [] : [it.note]),
    ...receipt(it),
  ].join("\n")
}

/** The call's own message stays in the window, unless a secret in it was redacted. */
function asKept({ redactions, message }: FoldReturn): readonly string[] {
  if (redactions === 0) return []
  return [`${plural(redactions, "secret")} redacted; the stored message is:`, message]
}

/** The call is folded too, so this text is all that stays. */
function wholeResult(it: FoldReturn): readonly string[] {
  return [
    ...(it.redactions === 0 ? [] : [`${plural(it.redactions, "secret")} replaced.`]),
    "Result:",
    it.message,
    ...listed("Evidence", it.evidence),
    ...listed("Files", it.files),
    ...listed("Open questions", it.openQuestions),
  ]
}

function listed(what: string, values: readonly string[]): readonly string[] {
  return values.length === 0 ? [] : [`${what}:`, ...values.map((it) => `- ${it}`)]
}

/** The gateway recognises our results by it. */
function receipt({ receipt }: { readonly receipt: string | null }): readonly string[] {
  return receipt === null ? [] : [`Receipt: ${receipt}`]
}

export function statusText({ branch, active, pending }: FoldStatus): string {
  const open = active.map((it) => `- ${it.branchId} ${it.description}`)
  return [
    ...(branch === null ? ["No branch is active."] : branchLines(branch)),
    ...(open.length === 0 ? [] : [`Open: ${open.length}`, ...open]),
    ...pending.map((it) => `Ended by ${it.endReason}: ${it.branchId}\n${it.result}`),
  ].join("\n")
}

function branchLines(it: NonNullable<FoldStatus["branch"]>): readonly string[] {
  const least = it.isLowerBound ? "at least " : ""
  const used = `${least}${formatExact(it.budgetUsed)} of ${formatExact(it.budgetTotal)} tokens used`
  const end = it.endReason === null ? "" : ` (${it.endReason})`
  return [
    `Branch ${it.id} is ${it.status}${end}: ${used}. ${it.description}`,
    ...(it.isExhausted && it.endReason === null
      ? ["Its budget is used up: call return now with what you have. It is accepted."]
      : []),
    ...(it.progress === null ? [] : [`Progress: ${it.progress}`]),
    ...(it.result === null ? [] : [it.isPartial ? "Partial result:" : "Result:", it.result]),
  ]
}

/** A slice with the position of the next one, or the matching lines. */
function readText(it: FoldRead, isSearch: boolean): string {
  const whole = `${plural(it.totalLines, "line")}, ${formatExact(it.totalTokens)} tokens`
  const lines = isSearch ? it.matches.map((match) => `${match.line}: ${match.text}`) : [it.text]
  const foundText = isSearch
    ? `${plural(it.matches.length, "line")} found in ${whole}`
    : `from line ${it.fromLine} of ${whole}`
  const rest = it.nextLine === null ? "This is the end." : `Continue with from_line ${it.nextLine}.`
  return [`${it.label}: ${foundText}`, ...lines, rest].join("\n")
}

function named(what: string, values: readonly string[]): readonly string[] {
  return values.length === 0 ? [] : [`${what}: ${values.join(", ")}`]
}
