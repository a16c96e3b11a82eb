import { isOwnTool } from "#ground/base"
import type { ChargeSource } from "#ground/contract"
import type { Tx } from "#ground/store"
import { endOverdue, withTouched } from "../branch/end.ts"
import type { FoldDeps } from "../deps.ts"
import {
  type BranchOwner,
  insertCharge,
  type NewStep,
  selectActive,
  selectBound,
  selectWorkedIn,
  setDeadline,
  setState,
  spend,
} from "../queries.ts"
import { type BranchNotice, BranchRow, isLive, MOST_TOUCHED_PATHS } from "../rows.ts"
import { addStep } from "../trail/trail.ts"

type ChargeDeps = FoldDeps & { onEnded(): void; onDeadline(at: number): void }

export function graceOf(deps: Pick<FoldDeps, "config">): number {
  return deps.config().budget_grace_seconds * 1_000
}

/** The watch must learn of an earlier deadline, and of ended branches. */
export function afterCharge(
  deps: Pick<ChargeDeps, "onEnded" | "onDeadline">,
  { outcome, row }: ChargeResult,
): void {
  if (outcome === "ended") deps.onEnded()
  if (row !== undefined && row.state.exhaustedAt !== null) deps.onDeadline(row.deadlineAt)
}

export function storable(name: string): string {
  return name.replaceAll("\0", "").toWellFormed()
}

/** Host tools that read the web, and tools of other servers. */
export function bringsForeignText(tool: string): boolean {
  if (/^mcp__/i.test(tool)) return !isOwnTool(tool)
  return /^(?:web|google_web|fetch|browser)/i.test(tool)
}

/** In fifths of the budget: whole numbers compare exactly. */
const WARNING_FIFTHS = 4

export type Charge = {
  readonly who: BranchOwner
  readonly now: number
  /** When the work happened; a hook's report is read later. */
  readonly at: number
  readonly graceMs: number
  readonly source: ChargeSource
  readonly tokens: number
  /** Stored under a handle instead of entering the window. */
  readonly withheld: number
  /** The notice that the reporter has shown to the agent. */
  readonly told?: BranchNotice | undefined
  readonly paths: readonly string[]
  readonly redactions: number
  readonly step: Omit<NewStep, "tokens" | "at">
  readonly count: (text: string) => number
}

export type ChargeResult = {
  /**
   * `exhausted`: this charge used the budget up; `refused`: there is no room for the result of our
   * tool, so nothing was charged; `ended`: its time was over before.
   */
  readonly outcome: "charged" | "warned" | "exhausted" | "refused" | "ended" | "none"
  readonly row: BranchRow | undefined
}

/**
 * Charges the session's newest active branch. Work of the host has happened and always counts; a
 * result of our own tools is refused when it does not fit, because it has not entered the window
 * yet.
 */
export async function chargeActive(tx: Tx<"fold">, charge: Charge): Promise<ChargeResult> {
  const { who, now, count } = charge
  const ended = await endOverdue(tx, { root: who.root, at: now, count })
  if (charge.source === "hook" && (await chargeReturned(tx, charge))) {
    return { outcome: "none", row: undefined }
  }
  const row = await tx.get(BranchRow, selectActive(who, 1))
  return row === undefined ? whatEnded(tx, ended, who) : chargeBranch(tx, row, charge)
}

export async function chargeBranch(
  tx: Tx<"fold">,
  row: BranchRow,
  charge: Charge,
): Promise<ChargeResult> {
  if (charge.source === "tool" && row.state.exhaustedAt !== null) return refused(tx, row, charge)
  const due = { ...charge, tokens: dueTokens(row, charge), stepTokens: charge.tokens }
  return (await trySpend(tx, row, due)) ? charged(tx, row, due) : refused(tx, row, due)
}

/** A hook's line may be read after its branch ended; the parent did not do this work. */
async function chargeReturned(tx: Tx<"fold">, charge: Charge): Promise<boolean> {
  const { root, session, principal } = charge.who
  const row = await tx.get(BranchRow, selectWorkedIn(root, session, charge.at))
  if (row === undefined || row.principal !== principal) return false
  if (isLive(row) || row.completedAt === charge.at) return false
  await chargeEnded(tx, row, { ...charge, tokens: dueTokens(row, charge) })
  return true
}

/** A hook's line may be read after the request that contains its work was counted. */
function dueTokens({ state: { counted } }: BranchRow, { source, at, tokens }: Charge): number {
  const isCounted = counted !== null && at > counted.from && at <= counted.until
  return source === "hook" && isCounted ? 0 : tokens
}

async function whatEnded(
  tx: Tx<"fold">,
  ids: readonly string[],
  who: BranchOwner,
): Promise<ChargeResult> {
  for (const id of ids) {
    const row = await tx.get(BranchRow, selectBound(id, who))
    if (row !== undefined) return { outcome: "ended", row }
  }
  return { outcome: "none", row: undefined }
}

/** The only writer of the ledger: a row and the branch's sums change together. */
async function trySpend(tx: Tx<"fold">, row: BranchRow, charge: Charge): Promise<boolean> {
  const { tokens, withheld, source } = charge
  const update = {
    id: row.id,
    tokens,
    withheld,
    isByHost: source !== "tool",
    isWarned: isWarning(row, tokens),
    isRefusable: source === "tool",
  }
  const { changes } = await tx.run(spend(update))
  if (changes === 0) return false
  if (tokens === 0 && withheld === 0) return true
  const at = Math.min(Math.max(charge.at, row.createdAt), charge.now)
  const entry = { branch: row.id, at, source, tool: charge.step.tool, tokens, withheld }
  const isEstimate = source === "tool" || source === "hook"
  const isSettled = !isEstimate || at <= (row.state.counted?.until ?? 0)
  await tx.run(insertCharge({ ...entry, isSettled }))
  return true
}

/** Adds to an ended branch what was counted late; it changes no state. */
export async function chargeEnded(
  tx: Tx<"fold">,
  row: BranchRow,
  charge: Pick<Charge, "now" | "at" | "source" | "tokens">,
): Promise<void> {
  const rest = {
    withheld: 0,
    step: { kind: "charge", tool: null, text: "", handle: null },
  } as const
  const who = { root: "", principal: row.principal, session: row.session }
  await trySpend(tx, row, {
    ...charge,
    ...rest,
    who,
    graceMs: 0,
    paths: [],
    redactions: 0,
    count: () => 0,
  })
}

function isWarning(row: BranchRow, tokens: number): boolean {
  return (row.budgetUsed + tokens) * 5 >= row.budgetTotal * WARNING_FIFTHS
}

/** The notice about its budget that the agent has not seen yet, or null. */
export function noticeDue(row: BranchRow): BranchNotice | null {
  const { exhaustedAt, told } = row.state
  if (exhaustedAt !== null) return told === "exhausted" ? null : "exhausted"
  return isWarning(row, 0) && told === null ? "warned" : null
}

type DueCharge = Charge & { readonly stepTokens: number }

async function charged(tx: Tx<"fold">, row: BranchRow, charge: DueCharge): Promise<ChargeResult> {
  const { at, tokens, stepTokens, step, source } = charge
  const budgetUsed = row.budgetUsed + tokens
  const isMeteredByHost = row.isMeteredByHost || source !== "tool"
  const after = { ...row, budgetUsed, isMeteredByHost }
  const isFirstWarning = isWarning(row, tokens) && !row.isWarned
  const isFirstExcess = budgetUsed > row.budgetTotal && row.state.exhaustedAt === null
  if (isFirstWarning) tx.emit("fold.budget-warned", spentOf(after))
  const isRelieved = budgetUsed <= row.budgetTotal && row.state.exhaustedAt !== null
  const change = {
    ...charge,
    isExhausting: isFirstExcess,
    isRelieved: source === "usage" && isRelieved,
  }
  const state = await storeState(tx, after, change)
  // A correction by the provider's count is no step, and neither is a report without a size.
  const isStep = source !== "usage" && (stepTokens > 0 || step.text !== "")
  const steps = isStep ? await addStep(tx, row, { ...step, at, tokens: stepTokens }) : row.steps
  const deadlineAt = await moveDeadline(tx, { ...after, state }, charge)
  const outcome = isFirstWarning ? "warned" : "charged"
  return {
    outcome: isFirstExcess ? "exhausted" : outcome,
    row: { ...after, state, steps, deadlineAt },
  }
}

/** Nothing is charged, but the step stays in the trail and the branch can only return. */
async function refused(tx: Tx<"fold">, row: BranchRow, charge: Charge): Promise<ChargeResult> {
  const { at, step } = charge
  const isExhausting = row.state.exhaustedAt === null
  const change = { ...charge, told: "exhausted", isExhausting, isRelieved: false } as const
  const state = await storeState(tx, row, change)
  const steps = await addStep(tx, row, { ...step, at, tokens: 0 })
  const deadlineAt = await moveDeadline(tx, { ...row, state }, charge)
  return { outcome: "refused", row: { ...row, state, steps, deadlineAt } }
}

function spentOf({ id, session, budgetUsed, budgetTotal }: BranchRow) {
  return { id, session, used: budgetUsed, total: budgetTotal }
}

type StateChange = Charge & {
  readonly isExhausting: boolean
  /** The provider counted less than the estimates that had used the budget up. */
  readonly isRelieved: boolean
}

async function storeState(tx: Tx<"fold">, row: BranchRow, charge: StateChange) {
  const limits = { root: charge.who.root, most: MOST_TOUCHED_PATHS }
  const touched = withTouched(row.state, charge.paths, limits)
  const isChanged =
    touched !== row.state ||
    charge.redactions > 0 ||
    charge.isExhausting ||
    charge.isRelieved ||
    (charge.told !== undefined && charge.told !== row.state.told)
  if (!isChanged) return row.state
  const notice = touched.told === "exhausted" ? touched.told : (charge.told ?? touched.told)
  const exhaustedAt = charge.isExhausting ? charge.now : touched.exhaustedAt
  const state = {
    ...touched,
    redactions: touched.redactions + charge.redactions,
    exhaustedAt: charge.isRelieved ? null : exhaustedAt,
    // Told again when the budget is really used up.
    told: charge.isRelieved && notice === "exhausted" ? "warned" : notice,
  } as const
  if (charge.isExhausting) tx.emit("fold.budget-exhausted", spentOf(row))
  await tx.run(setState(row.id, state))
  return state
}

/**
 * Each charge after the budget is used up renews the grace period, never beyond the time limit.
 * Otherwise the time limit applies.
 */
async function moveDeadline(tx: Tx<"fold">, row: BranchRow, charge: Charge): Promise<number> {
  const limit = row.createdAt + row.given.timeoutSeconds * 1_000
  const isExhausted = row.state.exhaustedAt !== null
  const deadlineAt = isExhausted ? Math.min(limit, charge.now + charge.graceMs) : limit
  if (deadlineAt === row.deadlineAt) return deadlineAt
  await tx.run(setDeadline(row.id, deadlineAt))
  return deadlineAt
}
