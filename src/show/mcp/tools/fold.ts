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

function returnedFields(result: FoldReturn) {
  return {
    branch_id: result.branchId,
    status: result.status,
    message: result.message,
    evidence: result.evidence,
    files: result.files,
    open_questions: result.openQuestions,
    out_of_scope: result.outOfScope,
    ended_children: result.endedChildren,
    redactions: result.redactions,
    budget_used: result.budgetUsed,
    budget_total: result.budgetTotal,
    ...(result.tokensKeptOut !== null && { tokens_kept_out: result.tokensKeptOut }),
    is_lower_bound: result.isLowerBound,
    mode: result.mode,
    ...(result.distill !== null && { distill: result.distill }),
    ...(result.note !== "" && { note: result.note }),
    ...(result.receipt !== null && { receipt: result.receipt }),
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

function branchFields(branch: NonNullable<FoldStatus["branch"]>): z.input<typeof BranchShown> {
  return {
    branch_id: branch.id,
    ...(branch.parentId !== null && { parent_id: branch.parentId }),
    description: branch.description,
    status: branch.status,
    ...(branch.endReason !== null && { end_reason: branch.endReason }),
    depth: branch.depth,
    budget_used: branch.budgetUsed,
    budget_total: branch.budgetTotal,
    is_lower_bound: branch.isLowerBound,
    is_partial: branch.isPartial,
    ...(branch.progress !== null && { progress: branch.progress }),
    ...(branch.result !== null && { result: branch.result }),
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
export function branchText(branch: FoldBranch): string {
  const budget = `${formatExact(branch.budgetAllocated)} tokens and ${formatExact(branch.timeoutSeconds)} seconds`
  const memories = branch.package === null ? branch.memories.map((memory) => memory.text) : []
  return [
    `Branch ${branch.branchId} is open, with ${budget}.`,
    branch.next,
    ...(branch.package === null ? [] : [branch.package]),
    ...memories,
    ...receipt(branch),
  ].join("\n\n")
}

export function returnText(result: FoldReturn): string {
  const used = `${formatExact(result.budgetUsed)} of ${formatExact(result.budgetTotal)} tokens used`
  const least = result.isLowerBound ? " at least" : ""
  const savedText =
    result.tokensKeptOut === null
      ? ""
      : `, ${formatExact(result.tokensKeptOut)} kept out of the parent`
  return [
    `Branch ${result.branchId} is ${result.status}:${least} ${used}${savedText}.`,
    ...named("Outside its scope", result.outOfScope),
    ...named("Ended with it", result.endedChildren),
    ...(result.mode === "wire" ? wholeResult(result) : asKept(result)),
    ...(result.distill === null ? [] : [result.distill]),
    ...(result.note === "" ? [] : [result.note]),
    ...receipt(result),
  ].join("\n")
}

/** The call's own message stays in the window, unless a secret in it was redacted. */
function asKept({ redactions, message }: FoldReturn): readonly string[] {
  if (redactions === 0) return []
  return [`${plural(redactions, "secret")} redacted; the stored message is:`, message]
}

/** The call is folded too, so this text is all that stays. */
function wholeResult(result: FoldReturn): readonly string[] {
  return [
    ...(result.redactions === 0 ? [] : [`${plural(result.redactions, "secret")} replaced.`]),
    "Result:",
    result.message,
    ...listed("Evidence", result.evidence),
    ...listed("Files", result.files),
    ...listed("Open questions", result.openQuestions),
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

function branchLines(branch: NonNullable<FoldStatus["branch"]>): readonly string[] {
  const least = branch.isLowerBound ? "at least " : ""
  const used = `${least}${formatExact(branch.budgetUsed)} of ${formatExact(branch.budgetTotal)} tokens used`
  const end = branch.endReason === null ? "" : ` (${branch.endReason})`
  return [
    `Branch ${branch.id} is ${branch.status}${end}: ${used}. ${branch.description}`,
    ...(branch.isExhausted && branch.endReason === null
      ? ["Its budget is used up: call return now with what you have. It is accepted."]
      : []),
    ...(branch.progress === null ? [] : [`Progress: ${branch.progress}`]),
    ...(branch.result === null
      ? []
      : [branch.isPartial ? "Partial result:" : "Result:", branch.result]),
  ]
}

/** A slice with the position of the next one, or the matching lines. */
function readText(slice: FoldRead, isSearch: boolean): string {
  const whole = `${plural(slice.totalLines, "line")}, ${formatExact(slice.totalTokens)} tokens`
  const lines = isSearch
    ? slice.matches.map((match) => `${match.line}: ${match.text}`)
    : [slice.text]
  const foundText = isSearch
    ? `${plural(slice.matches.length, "line")} found in ${whole}`
    : `from line ${slice.fromLine} of ${whole}`
  const rest =
    slice.nextLine === null ? "This is the end." : `Continue with from_line ${slice.nextLine}.`
  return [`${slice.label}: ${foundText}`, ...lines, rest].join("\n")
}

function named(what: string, values: readonly string[]): readonly string[] {
  return values.length === 0 ? [] : [`${what}: ${values.join(", ")}`]
}
