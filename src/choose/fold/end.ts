import { formatExact } from "#ground/base"
import { type BranchEndReason, type BranchStatus } from "#ground/contract"
import type { Tx } from "#ground/store"
import { MOST_ENDED_AT_ONCE, MOST_NAMED_PATHS } from "./limits.ts"
import { finish, selectLiveChildren, selectOverdue } from "./queries.ts"
import { BranchRow, type BranchState } from "./rows.ts"
import { outOfScope, pathWithin } from "./scope.ts"
import { addStep } from "./trail.ts"
import { endingByForce } from "./wire.ts"

export type Forced = Exclude<BranchEndReason, "returned">

type Plan = {
  readonly row: BranchRow
  readonly reason: Forced
  readonly at: number
  readonly count: (text: string) => number
}

const STATUS = {
  budget: "failed",
  timeout: "timeout",
  "parent-returned": "cancelled",
  "session-ended": "cancelled",
  shutdown: "cancelled",
} as const satisfies Record<Forced, BranchStatus>

/** Ends a branch by force, its descendants before it; gives the ids in the order of their end. */
export async function endByForce(tx: Tx<"fold">, plan: Plan): Promise<string[]> {
  const ended = await endDescendants(tx, plan)
  if (await endOne(tx, plan)) ended.push(plan.row.id)
  return ended
}

/** Those below a branch that is about to end, the deepest first. */
export async function endDescendants(
  tx: Tx<"fold">,
  plan: Omit<Plan, "reason">,
): Promise<string[]> {
  const levels: (readonly BranchRow[])[] = []
  let parents: readonly string[] = [plan.row.id]
  while (parents.length > 0) {
    const children = await tx.all(BranchRow, selectLiveChildren(parents))
    levels.push(children)
    parents = children.map((it) => it.id)
  }
  const deepestFirst = levels.toReversed().flat()
  for (const row of deepestFirst) await endOne(tx, { ...plan, row, reason: "parent-returned" })
  return deepestFirst.map((it) => it.id)
}

/** Whoever looks ends what is overdue, in whichever process and session it was opened. */
export async function endOverdue(
  tx: Tx<"fold">,
  plan: { readonly root: string; readonly at: number; readonly count: (text: string) => number },
): Promise<string[]> {
  const asked = { root: plan.root, now: plan.at, limit: MOST_ENDED_AT_ONCE }
  const rows = await tx.all(BranchRow, selectOverdue(asked))
  const ended: string[] = []
  for (const row of rows) ended.push(...(await endByForce(tx, { ...plan, row, reason: "timeout" })))
  return ended
}

/** False when it was over already: it may be the child of one that was ended before it. */
async function endOne(tx: Tx<"fold">, { row, reason, at, count }: Plan): Promise<boolean> {
  const result = partialResult(row, reason)
  const { scope } = row.given
  const state: BranchState = {
    ...row.state,
    result,
    resultTokens: count(result),
    error: SAYS[reason](row),
    outOfScope: outOfScope(scope, row.state.touchedPaths),
    ending: endingByForce(row),
  }
  const ending = { id: row.id, status: STATUS[reason], reason, at, state, returnKey: null }
  const isTold = reason === "parent-returned" || reason === "session-ended"
  const { changes } = await tx.run(finish({ ...ending, isTold }))
  if (changes === 0) return false
  const step = { at, kind: "forced", tool: null, text: result, tokens: 0, handle: null } as const
  await addStep(tx, row, step)
  const ref = { id: row.id, session: row.session }
  if (reason === "budget") {
    tx.emit("fold.budget-exhausted", { ...ref, used: row.budgetUsed, total: row.budgetTotal })
  }
  if (reason === "timeout") {
    tx.emit("fold.timed-out", { ...ref, seconds: row.given.timeoutSeconds })
  }
  tx.emit("fold.ended", { ...ref, status: STATUS[reason], reason })
  return true
}

const SAYS = {
  budget: (row: BranchRow) =>
    `a charge would have passed its budget of ${formatExact(row.budgetTotal)} tokens`,
  timeout: (row: BranchRow) =>
    `its time of ${formatExact(row.given.timeoutSeconds)} seconds was over`,
  "parent-returned": () => "the branch above it ended",
  "session-ended": () => "its session ended",
  shutdown: () => "the process that had opened it ended",
} as const satisfies Record<Forced, (row: BranchRow) => string>

/** What was known by then. All of it was scrubbed when it was kept. */
function partialResult(row: BranchRow, reason: Forced): string {
  const { progress, touchedPaths } = row.state
  const used = `${formatExact(row.budgetUsed)} of ${formatExact(row.budgetTotal)} tokens`
  const named = touchedPaths.slice(0, MOST_NAMED_PATHS).join(", ")
  const more = touchedPaths.length - MOST_NAMED_PATHS
  return [
    `Partial result: ended because ${SAYS[reason](row)}. Used ${used}.`,
    progress === null ? "No note on how far it was." : `Last note: ${progress}`,
    touchedPaths.length === 0 ? "No file was touched, as far as is known." : `Touched: ${named}`,
    ...(more > 0 ? [`and ${formatExact(more)} files more.`] : []),
  ].join("\n")
}

/** Paths of a call added to those that are known, each once, up to the cap. */
export function withTouched(
  state: BranchState,
  paths: readonly string[],
  { root, most }: { readonly root: string; readonly most: number },
): BranchState {
  const known = new Set(state.touchedPaths)
  for (const path of paths) if (known.size < most) known.add(pathWithin(root, path))
  return known.size === state.touchedPaths.length ? state : { ...state, touchedPaths: [...known] }
}
