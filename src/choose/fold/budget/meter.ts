import { formatExact, withoutHiddenCharacters } from "#ground/base"
import { type Caller } from "#ground/contract"
import type { Db, Tx } from "#ground/store"
import { counterOrRough, type FoldDeps, newId, openCall, type Scrub } from "../deps.ts"
import { BudgetExhausted } from "../errors.ts"
import {
  type BranchOwner,
  insertHandle,
  markUntrusted,
  selectActive,
  selectUntold,
  setNotified,
  setState,
} from "../queries.ts"
import {
  BranchRow,
  HANDLE_LIFE_MS,
  LARGEST_SHOWN_TOKENS,
  LONGEST_NAME_UNITS,
  MOST_PENDING,
  shortenedText,
} from "../rows.ts"
import { digestOf } from "../trail/lines.ts"
import {
  afterCharge,
  type ChargeResult,
  chargeActive,
  graceOf,
  noticeDue,
  storable,
} from "./charge.ts"
import { drainSpool, markSpool } from "./host-charges.ts"

export type MeteredCall = {
  readonly caller: Caller
  readonly sessionId?: string
  readonly tool: string
  readonly input: string
  readonly text: string
  readonly label: string
  readonly paths?: readonly string[]
  readonly isUntrusted?: boolean
}

export type MeteredText = {
  readonly text: string
  readonly handle?: string
  readonly notice?: string
}

const READING_TOOL = "read_handle"

type MeterDeps = FoldDeps & { onEnded(): void; onDeadline(at: number): void }

export async function meterCall(deps: MeterDeps, call: MeteredCall): Promise<MeteredText> {
  const { who, scrub } = await openCall(deps, call.caller, call.sessionId)
  const whole = shortenedText(scrub.text(call.text))
  if (!deps.config().enabled) return { text: whole }
  await drainSpool(deps, who)
  const weighed = await weigh(deps, { call, whole, scrub })
  const db = await deps.db()
  if (!(await needsWriting(db, { who, call, weighed }))) return { text: whole }
  const at = deps.clock.now()
  const graceMs = graceOf(deps)
  const { charged, untold, due } = await db.transaction(async (tx) => {
    if (call.isUntrusted === true) await tx.run(markUntrusted(who, at))
    const active = await chargeActive(tx, chargeOf(weighed, { who, at, graceMs, scrub, call }))
    const isRefused = active.outcome === "refused"
    const handle = isRefused ? weighed.spare : weighed.handle
    if (handle !== undefined)
      await tx.run(insertHandle(newHandle(weighed, { kept: handle, who, at, active })))
    const isDue = isRefused ? undefined : await takeNotice(tx, active)
    return { charged: active, untold: isRefused ? [] : await takePending(tx, who), due: isDue }
  })
  afterCharge(deps, charged)
  await markSpool(deps, who)
  return answer(weighed, { charged, untold, due })
}

type WeighedText = {
  readonly whole: string
  readonly wholeTokens: number
  readonly handle: string | undefined
  /** Used when the budget has no room for the text, however small it is. */
  readonly spare: string
  readonly shown: string
  readonly tokens: number
  readonly input: string
  readonly label: string
  readonly count: (text: string) => number
}

async function weigh(
  deps: FoldDeps,
  { call, whole, scrub }: { call: MeteredCall; whole: string; scrub: Scrub },
): Promise<WeighedText> {
  const count = await counterOrRough(deps)
  const input = scrub.text(call.input)
  const label = storable(
    withoutHiddenCharacters(scrub.text(call.label)).slice(0, LONGEST_NAME_UNITS),
  )
  const wholeTokens = count(whole)
  const spare = newId("rh", deps.random)
  // A slice is small already; under a new handle it could never be read.
  const isLarge = wholeTokens > LARGEST_SHOWN_TOKENS && call.tool !== READING_TOOL
  const handle = isLarge ? spare : undefined
  const shown = isLarge
    ? digestOf({ text: whole, tokens: wholeTokens, handle: spare, label }, count)
    : whole
  const tokens = count(input) + count(shown)
  return { whole, wholeTokens, handle, spare, shown, tokens, input, label, count }
}

/** Most calls are small and without a branch; those only read. */
async function needsWriting(
  db: Db<"fold">,
  { who, call, weighed }: { who: BranchOwner; call: MeteredCall; weighed: WeighedText },
): Promise<boolean> {
  if (weighed.handle !== undefined || call.isUntrusted === true) return true
  if ((await db.get(BranchRow, selectActive(who, 1))) !== undefined) return true
  return (await db.get(BranchRow, selectUntold(who, 1))) !== undefined
}

type Chargeable = {
  readonly who: BranchOwner
  readonly at: number
  readonly graceMs: number
  readonly scrub: Scrub
  readonly call: MeteredCall
}

function chargeOf(weighed: WeighedText, { who, at, graceMs, scrub, call }: Chargeable) {
  const { handle, shown, input, tokens, count } = weighed
  return {
    who,
    at,
    now: at,
    graceMs,
    source: "tool",
    tokens,
    withheld: handle === undefined ? 0 : weighed.wholeTokens - count(shown),
    paths: scrub.texts(call.paths ?? []),
    redactions: scrub.redactions(),
    step: {
      kind: "call",
      tool: storable(call.tool),
      text: `${input}\n\n${shown}`,
      handle: handle ?? null,
    },
    count,
  } as const
}

type KeepRequest = {
  readonly kept: string
  readonly who: BranchOwner
  readonly at: number
  readonly active: ChargeResult
}

function newHandle(weighed: WeighedText, { kept: handle, who, at, active }: KeepRequest) {
  return {
    ...who,
    handle,
    branch: active.row?.id ?? null,
    label: weighed.label,
    tokens: weighed.wholeTokens,
    createdAt: at,
    expiresAt: at + HANDLE_LIFE_MS,
    text: weighed.whole,
  }
}

/** Reports each branch that was ended by force to its session, once. */
async function takePending(tx: Tx<"fold">, who: BranchOwner): Promise<readonly BranchRow[]> {
  const untold = await tx.all(BranchRow, selectUntold(who, MOST_PENDING))
  if (untold.length > 0) await tx.run(setNotified(untold.map((it) => it.id)))
  return untold
}

/** The branch, if its agent has not been warned yet, also of charges by hooks and gateway. */
async function takeNotice(tx: Tx<"fold">, { row }: ChargeResult): Promise<BranchRow | undefined> {
  const due = row === undefined ? null : noticeDue(row)
  if (row === undefined || due === null || row.endReason !== null) return undefined
  await tx.run(setState(row.id, { ...row.state, told: due }))
  return row
}

type MeteredOutcome = {
  readonly charged: ChargeResult
  readonly untold: readonly BranchRow[]
  readonly due: BranchRow | undefined
}

function answer(weighed: WeighedText, { charged, untold, due }: MeteredOutcome): MeteredText {
  const { row, outcome } = charged
  if (row !== undefined && outcome === "refused") {
    const { id: branchId, budgetUsed: used, budgetTotal: total } = row
    throw BudgetExhausted({ branchId, used, total, handle: weighed.spare })
  }
  const notices = [...(due === undefined ? [] : [warningOf(due)]), ...untold.map(pendingOf)]
  const { shown: text, handle } = weighed
  const stored = handle === undefined ? { text } : { text, handle }
  return notices.length === 0 ? stored : { ...stored, notice: notices.join("\n") }
}

function warningOf(row: BranchRow): string {
  const percent = Math.floor((row.budgetUsed / row.budgetTotal) * 100)
  const used = `${formatExact(row.budgetUsed)} of ${formatExact(row.budgetTotal)} tokens`
  const bound = row.isMeteredByHost
    ? ""
    : " This is a lower bound: only the tools of this server are metered."
  return (
    `Branch ${row.id} has used ${percent} % of its budget (${used}).${bound} ` +
    "Call return soon with the results so far."
  )
}

function pendingOf(row: BranchRow): string {
  return (
    `Branch ${row.id} was ended before it returned (${row.endReason}): ` +
    `${withoutHiddenCharacters(row.given.description)}. Call branch_status for its partial result.`
  )
}
