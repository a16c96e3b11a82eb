import type { Tx } from "#ground/store"
import { endByForce, endOverdue, withTouched } from "./end.ts"
import { MOST_TOUCHED_PATHS, WARNING_FIFTHS } from "./limits.ts"
import { type Bound, type NewStep, selectActive, selectBound, setState, spend } from "./queries.ts"
import { BranchRow } from "./rows.ts"
import { addStep } from "./trail.ts"

export type Charge = {
  readonly who: Bound
  readonly at: number
  readonly tokens: number
  readonly keptUnderHandles: number
  readonly isByHost: boolean
  readonly paths: readonly string[]
  readonly redactions: number
  /** What is kept of it in the trail, apart from its tokens. */
  readonly step: Omit<NewStep, "tokens" | "at">
  readonly count: (text: string) => number
}

export type Charged = {
  /** `refused`: the branch had no room and was ended; `ended`: its time was over before. */
  readonly outcome: "charged" | "warned" | "refused" | "ended" | "none"
  readonly row: BranchRow | undefined
}

/** Charges the session's active branch and no other, or ends it when it has no room. */
export async function chargeActive(tx: Tx<"fold">, charge: Charge): Promise<Charged> {
  const { who, at, count } = charge
  const ended = await endOverdue(tx, { root: who.root, at, count })
  const row = await tx.get(BranchRow, selectActive(who, 1))
  if (row === undefined) return await whatEnded(tx, ended, who)
  return (await trySpend(tx, row, charge)) ? charged(tx, row, charge) : refused(tx, row, charge)
}

/** When this very call found the time over, it says of which branch. */
async function whatEnded(tx: Tx<"fold">, ids: readonly string[], who: Bound): Promise<Charged> {
  for (const id of ids) {
    const row = await tx.get(BranchRow, selectBound(id, who))
    if (row !== undefined) return { outcome: "ended", row }
  }
  return { outcome: "none", row: undefined }
}

async function trySpend(tx: Tx<"fold">, row: BranchRow, charge: Charge): Promise<boolean> {
  const { tokens, keptUnderHandles, isByHost } = charge
  const isWarned = isWarning(row, tokens)
  const { changes } = await tx.run(
    spend({ id: row.id, tokens, keptUnderHandles, isByHost, isWarned }),
  )
  return changes > 0
}

/** At or above four fifths; in whole numbers, so that exactly four fifths counts. */
function isWarning(row: BranchRow, tokens: number): boolean {
  return (row.budgetUsed + tokens) * 5 >= row.budgetTotal * WARNING_FIFTHS
}

async function charged(tx: Tx<"fold">, row: BranchRow, charge: Charge): Promise<Charged> {
  const { at, tokens, step } = charge
  const budgetUsed = row.budgetUsed + tokens
  const isFirstWarning = isWarning(row, tokens) && !row.isWarned
  const state = await keepState(tx, row, charge)
  await addStep(tx, row, { ...step, at, tokens })
  if (isFirstWarning) {
    const { id, session, budgetTotal: total } = row
    tx.emit("fold.budget-warned", { id, session, used: budgetUsed, total })
  }
  const isMeteredByHost = row.isMeteredByHost || charge.isByHost
  const outcome = isFirstWarning ? "warned" : "charged"
  return { outcome, row: { ...row, budgetUsed, isMeteredByHost, state } }
}

/** Refused as a whole: nothing is added, and what it brought is still part of the trail. */
async function refused(tx: Tx<"fold">, row: BranchRow, charge: Charge): Promise<Charged> {
  const { at, count, step } = charge
  const state = await keepState(tx, row, charge)
  const stepsAfter = await addStep(tx, row, { ...step, at, tokens: 0 })
  const after = { ...row, state, steps: stepsAfter }
  await endByForce(tx, { row: after, reason: "budget", at, count })
  return { outcome: "refused", row: after }
}

async function keepState(tx: Tx<"fold">, row: BranchRow, charge: Charge) {
  const limits = { root: charge.who.root, most: MOST_TOUCHED_PATHS }
  const touched = withTouched(row.state, charge.paths, limits)
  const redactions = touched.redactions + charge.redactions
  const state = charge.redactions === 0 ? touched : { ...touched, redactions }
  if (state !== row.state) await tx.run(setState(row.id, state))
  return state
}
