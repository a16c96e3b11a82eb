import { formatExact, plural } from "#ground/base"
import { type FoldBranch, type FoldRead, type FoldReturn, type FoldStatus } from "#ground/contract"

/** A branch that was opened, for a model: what it has, and what to do now. */
export function sayBranch(it: FoldBranch): string {
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

export function sayReturn(it: FoldReturn): string {
  const used = `${formatExact(it.budgetUsed)} of ${formatExact(it.budgetTotal)} tokens used`
  const least = it.isLowerBound ? " at least" : ""
  const kept =
    it.tokensKeptOut === null ? "" : `, ${formatExact(it.tokensKeptOut)} kept out of the parent`
  return [
    `Branch ${it.branchId} is ${it.status}:${least} ${used}${kept}.`,
    ...named("Outside of its scope", it.outOfScope),
    ...named("Ended with it", it.endedChildren),
    ...(it.mode === "wire" ? wholeResult(it) : asKept(it)),
    ...(it.distill === null ? [] : [it.distill]),
    ...(it.note === "" ? [] : [it.note]),
    ...receipt(it),
  ].join("\n")
}

/** The call that brought it stays in the window, unless a secret in it was replaced. */
function asKept({ redactions, message }: FoldReturn): readonly string[] {
  if (redactions === 0) return []
  return [`${plural(redactions, "secret")} replaced; the message is kept like this:`, message]
}

/** The call leaves the window with all the rest: what it said is all that stays. */
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

/** By it the gateway knows an answer of ours. */
function receipt({ receipt }: { readonly receipt: string | null }): readonly string[] {
  return receipt === null ? [] : [`Receipt: ${receipt}`]
}

export function sayStatus({ branch, active, pending }: FoldStatus): string {
  const open = active.map((it) => `- ${it.branchId} ${it.description}`)
  return [
    ...(branch === null ? ["No branch is active."] : sayOne(branch)),
    ...(open.length === 0 ? [] : [`Open: ${open.length}`, ...open]),
    ...pending.map((it) => `Ended by ${it.endReason}: ${it.branchId}\n${it.result}`),
  ].join("\n")
}

function sayOne(it: NonNullable<FoldStatus["branch"]>): readonly string[] {
  const least = it.isLowerBound ? "at least " : ""
  const used = `${least}${formatExact(it.budgetUsed)} of ${formatExact(it.budgetTotal)} tokens used`
  const end = it.endReason === null ? "" : ` (${it.endReason})`
  return [
    `Branch ${it.id} is ${it.status}${end}: ${used}. ${it.description}`,
    ...(it.progress === null ? [] : [`Progress: ${it.progress}`]),
    ...(it.result === null ? [] : [it.isPartial ? "Partial result:" : "Result:", it.result]),
  ]
}

/** A slice, with what comes after it; or the lines that have the words. */
export function sayRead(it: FoldRead, query: string | undefined): string {
  const whole = `${plural(it.totalLines, "line")}, ${formatExact(it.totalTokens)} tokens`
  const isSearch = query !== undefined
  const lines = isSearch ? it.matches.map((match) => `${match.line}: ${match.text}`) : [it.text]
  const found = isSearch
    ? `${plural(it.matches.length, "line")} found in ${whole}`
    : `from line ${it.fromLine} of ${whole}`
  const rest =
    it.nextLine === null ? "Nothing comes after it." : `It goes on from_line ${it.nextLine}.`
  return [`${it.label}: ${found}`, ...lines, rest].join("\n")
}

function named(what: string, values: readonly string[]): readonly string[] {
  return values.length === 0 ? [] : [`${what}: ${values.join(", ")}`]
}
