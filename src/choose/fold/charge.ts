import { z } from "zod"
import type { Caller, FoldCharge, OperationInput } from "#ground/contract"
import type { Tx } from "#ground/store"
import { counterOrRough, type FoldDeps, openCall, openScrub, type Scrub } from "./deps.ts"
import { endByForce, endOverdue, withTouched } from "./end.ts"
import {
  type BranchOwner,
  markUntrusted,
  type NewStep,
  selectActive,
  selectBound,
  selectLive,
  selectLiveSessions,
  setState,
  spend,
} from "./queries.ts"
import { BranchRow, LONGEST_NAME_UNITS, MOST_TOUCHED_PATHS } from "./rows.ts"
import type { SpooledCharge } from "./spool.ts"
import { addStep } from "./trail.ts"

type ChargeDeps = FoldDeps & { onEnded(): void }

/** Reports of the host's hooks; after one, the count is no longer a lower bound. */
export async function chargeByHost(
  deps: ChargeDeps,
  input: OperationInput<"fold.charge">,
  caller: Caller,
): Promise<FoldCharge> {
  const { who, scrub } = await openCall(deps, caller, input.sessionId)
  const tool = scrub.text(input.tool ?? "").slice(0, LONGEST_NAME_UNITS)
  const step = {
    kind: "charge",
    tool: tool === "" ? null : storable(tool),
    text: scrub.text(input.text ?? ""),
    handle: null,
  } as const
  const paths = scrub.texts(input.paths ?? [])
  const count = await counterOrRough(deps)
  const at = deps.clock.now()
  const db = await deps.db()
  const { outcome, row } = await db.transaction(async (tx) => {
    if (bringsForeignText(tool)) await tx.run(markUntrusted(who, at))
    const redactions = scrub.redactions()
    const { tokens } = input
    const charge = { who, at, tokens, keptUnderHandles: 0, isByHost: true, paths, redactions }
    return chargeActive(tx, { ...charge, step, count })
  })
  const isEnded = outcome === "ended" || outcome === "refused"
  if (isEnded) deps.onEnded()
  return {
    outcome: isEnded ? "ended" : outcome,
    branchId: row?.id ?? null,
    budgetUsed: row?.budgetUsed ?? 0,
    budgetTotal: row?.budgetTotal ?? 0,
  }
}

export function storable(name: string): string {
  return name.replaceAll("\0", "").toWellFormed()
}

/** Host tools that read the web, and tools of other servers. */
export function bringsForeignText(tool: string): boolean {
  if (/^mcp__/i.test(tool)) return !isOwnTool(tool)
  return /^(?:web|google_web|fetch|browser)/i.test(tool)
}

/** How hosts name tools of our own server. */
export function isOwnTool(tool: string): boolean {
  return /^mcp__(?:plugin_)?(?:qm|quartermaster)(?:_|$)/i.test(tool)
}

/** In fifths of the budget: whole numbers compare exactly. */
const WARNING_FIFTHS = 4

type Charge = {
  readonly who: BranchOwner
  readonly at: number
  readonly tokens: number
  readonly keptUnderHandles: number
  readonly isByHost: boolean
  readonly paths: readonly string[]
  readonly redactions: number
  readonly step: Omit<NewStep, "tokens" | "at">
  readonly count: (text: string) => number
}

export type ChargeResult = {
  /** `refused`: over budget, the branch was ended; `ended`: its time was over before. */
  readonly outcome: "charged" | "warned" | "refused" | "ended" | "none"
  readonly row: BranchRow | undefined
}

/** Charges the session's newest active branch, or ends it when the budget is used up. */
export async function chargeActive(tx: Tx<"fold">, charge: Charge): Promise<ChargeResult> {
  const { who, at, count } = charge
  const ended = await endOverdue(tx, { root: who.root, at, count })
  const row = await tx.get(BranchRow, selectActive(who, 1))
  if (row === undefined) return await whatEnded(tx, ended, who)
  return (await trySpend(tx, row, charge)) ? charged(tx, row, charge) : refused(tx, row, charge)
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

async function trySpend(tx: Tx<"fold">, row: BranchRow, charge: Charge): Promise<boolean> {
  const { tokens, keptUnderHandles, isByHost } = charge
  const isWarned = isWarning(row, tokens)
  const { changes } = await tx.run(
    spend({ id: row.id, tokens, keptUnderHandles, isByHost, isWarned }),
  )
  return changes > 0
}

function isWarning(row: BranchRow, tokens: number): boolean {
  return (row.budgetUsed + tokens) * 5 >= row.budgetTotal * WARNING_FIFTHS
}

async function charged(tx: Tx<"fold">, row: BranchRow, charge: Charge): Promise<ChargeResult> {
  const { at, tokens, step } = charge
  const budgetUsed = row.budgetUsed + tokens
  const isFirstWarning = isWarning(row, tokens) && !row.isWarned
  const state = await storeState(tx, row, charge)
  await addStep(tx, row, { ...step, at, tokens })
  if (isFirstWarning) {
    const { id, session, budgetTotal: total } = row
    tx.emit("fold.budget-warned", { id, session, used: budgetUsed, total })
  }
  const isMeteredByHost = row.isMeteredByHost || charge.isByHost
  const outcome = isFirstWarning ? "warned" : "charged"
  return { outcome, row: { ...row, budgetUsed, isMeteredByHost, state } }
}

/** Nothing is charged, but the step stays in the trail. */
async function refused(tx: Tx<"fold">, row: BranchRow, charge: Charge): Promise<ChargeResult> {
  const { at, count, step } = charge
  const state = await storeState(tx, row, charge)
  const stepsAfter = await addStep(tx, row, { ...step, at, tokens: 0 })
  const after = { ...row, state, steps: stepsAfter }
  await endByForce(tx, { row: after, reason: "budget", at, count })
  return { outcome: "refused", row: after }
}

async function storeState(tx: Tx<"fold">, row: BranchRow, charge: Charge) {
  const limits = { root: charge.who.root, most: MOST_TOUCHED_PATHS }
  const touched = withTouched(row.state, charge.paths, limits)
  const redactions = touched.redactions + charge.redactions
  const state = charge.redactions === 0 ? touched : { ...touched, redactions }
  if (state !== row.state) await tx.run(setState(row.id, state))
  return state
}

/** Hooks report only lengths; an average of tool output. */
const UNITS_PER_TOKEN = 4

type DrainDeps = FoldDeps & { onEnded(): void }

/** Charges what hooks have spooled for a session; call it before reading its branches. */
export async function drainSpool(deps: DrainDeps, who: BranchOwner): Promise<void> {
  const left = (await deps.spool?.drain(who.session)) ?? []
  // Our own tools are charged by `meterCall`.
  const charges = left.filter((it) => !isOwnTool(it.tool))
  if (charges.length === 0) return
  const scrub = await openScrub(deps)
  const count = await counterOrRough(deps)
  const db = await deps.db()
  const hasEnded = await db.transaction(async (tx) => {
    let isAnyEnded = false
    for (const charge of charges) {
      const at = deps.clock.now()
      if (bringsForeignText(charge.tool)) await tx.run(markUntrusted(who, at))
      const { outcome } = await chargeActive(tx, { ...asCharge(charge, scrub), who, at, count })
      isAnyEnded ||= isEnd(outcome)
    }
    return isAnyEnded
  })
  if (hasEnded) deps.onEnded()
}

export async function drainAllSpools(deps: DrainDeps): Promise<void> {
  if (deps.spool === undefined) return
  const db = await deps.db()
  const live = await db.all(BranchRow, selectLive(deps.root()))
  const owners = new Map(live.map((it) => [`${it.principal}\n${it.session}`, it]))
  for (const { principal, session } of owners.values()) {
    await drainSpool(deps, { root: deps.root(), principal, session })
  }
}

/** Removes the markers of sessions that have no open branch any more. */
export function createTidy(deps: FoldDeps) {
  let last: Promise<unknown> = Promise.resolve()
  return {
    later: (): void => {
      last = last.then(() => tidySpool(deps))
    },
    async after<Result>(work: Promise<Result>): Promise<Result> {
      const result = await work
      await tidySpool(deps)
      return result
    },
    done: () => last,
  }
}

async function tidySpool(deps: FoldDeps): Promise<void> {
  try {
    await deps.spool?.keepOnly(async () => {
      const db = await deps.db()
      return (await db.all(SessionRow, selectLiveSessions())).map((it) => it.session)
    })
  } catch (error) {
    deps.log.warn("could not remove the markers of sessions without a branch", { error })
  }
}

export async function markSpool(deps: FoldDeps, session: string): Promise<void> {
  try {
    await deps.spool?.open(session)
  } catch (error) {
    deps.log.warn("hooks cannot meter this branch", { error })
  }
}

const SessionRow = z.object({ session: z.string() })

function asCharge({ tool, textUnits, paths }: SpooledCharge, scrub: Scrub) {
  const before = scrub.redactions()
  const name = storable(scrub.text(tool))
  const named = scrub.texts(paths)
  return {
    tokens: Math.ceil(textUnits / UNITS_PER_TOKEN),
    keptUnderHandles: 0,
    isByHost: true,
    paths: named,
    redactions: scrub.redactions() - before,
    step: { kind: "charge", tool: name === "" ? null : name, text: "", handle: null },
  } as const
}

function isEnd(outcome: ChargeResult["outcome"]): boolean {
  return outcome === "ended" || outcome === "refused"
}
