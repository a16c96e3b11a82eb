import { z } from "zod"
import { isOwnTool } from "#ground/base"
import type { Caller, FoldCharge, OperationInput } from "#ground/contract"
import { counterOrRough, type FoldDeps, openCall, openScrub, type Scrub, scaleOf } from "../deps.ts"
import {
  type BranchOwner,
  markUntrusted,
  selectActive,
  selectLive,
  selectLiveSessions,
} from "../queries.ts"
import { BranchRow, LONGEST_NAME_UNITS } from "../rows.ts"
import type { SpooledCharge } from "../trail/spool.ts"
import {
  afterCharge,
  bringsForeignText,
  type ChargeResult,
  chargeActive,
  graceOf,
  storable,
} from "./charge.ts"

type DrainDeps = FoldDeps & { onEnded(): void; onDeadline(at: number): void }

/** Reports of the host's hooks; after one, the count is no longer a lower bound. */
export async function chargeByHost(
  deps: DrainDeps,
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
  const now = deps.clock.now()
  const graceMs = graceOf(deps)
  const db = await deps.db()
  const { outcome, row } = await db.transaction(async (tx) => {
    if (bringsForeignText(tool)) await tx.run(markUntrusted(who, now))
    const redactions = scrub.redactions()
    const { tokens } = input
    const charge = { who, now, at: now, graceMs, source: "hook", tokens, withheld: 0 } as const
    return chargeActive(tx, { ...charge, paths, redactions, step, count })
  })
  afterCharge(deps, { outcome, row })
  await markSpool(deps, who)
  return {
    outcome: outcome === "refused" ? "exhausted" : outcome,
    branchId: row?.id ?? null,
    budgetUsed: row?.budgetUsed ?? 0,
    budgetTotal: row?.budgetTotal ?? 0,
  }
}

/** Charges what hooks have spooled for a session; call it before reading its branches. */
export async function drainSpool(deps: DrainDeps, who: BranchOwner): Promise<void> {
  const left = (await deps.spool?.drain(who.session)) ?? []
  // Our own tools are charged by `meterCall`; the line may say what the hook told the agent.
  const charges = left.filter((it) => !isOwnTool(it.tool) || it.told !== undefined)
  if (charges.length === 0) return
  const scrub = await openScrub(deps)
  const count = await counterOrRough(deps)
  const scale = await scaleOf(deps)
  const graceMs = graceOf(deps)
  const db = await deps.db()
  const results = await db.transaction(async (tx) => {
    const made: ChargeResult[] = []
    for (const charge of charges) {
      const now = deps.clock.now()
      if (bringsForeignText(charge.tool)) await tx.run(markUntrusted(who, now))
      const spooled = asCharge(charge, scrub, scale)
      made.push(await chargeActive(tx, { ...spooled, who, now, graceMs, count }))
    }
    return made
  })
  for (const it of results) afterCharge(deps, it)
  await markSpool(deps, who)
}

export async function drainAllSpools(deps: DrainDeps): Promise<void> {
  if (deps.spool === undefined) return
  for (const who of await liveOwners(deps)) await drainSpool(deps, who)
}

async function liveOwners(deps: FoldDeps): Promise<readonly BranchOwner[]> {
  const root = deps.root()
  const db = await deps.db()
  const live = await db.all(BranchRow, selectLive(root))
  const owners = new Map(live.map((it) => [`${it.principal}\n${it.session}`, it]))
  return [...owners.values()].map(({ principal, session }) => ({ root, principal, session }))
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
  if (deps.spool === undefined) return
  try {
    await keepLiveOnly(deps)
    // The parent of an ended branch is the active one again.
    for (const who of await liveOwners(deps)) await markSpool(deps, who)
  } catch (error) {
    deps.log.warn("could not remove the markers of sessions without a branch", { error })
  }
}

async function keepLiveOnly(deps: FoldDeps): Promise<void> {
  await deps.spool?.keepOnly(async () => {
    const db = await deps.db()
    return (await db.all(SessionRow, selectLiveSessions())).map((it) => it.session)
  })
}

/** Tells the hooks which branch is open and how much of its budget is used. */
export async function markSpool(deps: FoldDeps, who: BranchOwner): Promise<void> {
  if (deps.spool === undefined) return
  try {
    const db = await deps.db()
    const row = await db.get(BranchRow, selectActive(who, 1))
    if (row === undefined) return
    const { id, budgetUsed, budgetTotal, state } = row
    const scale = await scaleOf(deps)
    await deps.spool.open(who.session, { id, budgetUsed, budgetTotal, told: state.told, scale })
    // It may have ended meanwhile, and its marker been removed before this one was written.
    if ((await db.get(BranchRow, selectActive(who, 1))) === undefined) await keepLiveOnly(deps)
  } catch (error) {
    deps.log.warn("hooks cannot meter this branch", { error })
  }
}

const SessionRow = z.object({ session: z.string() })

function asCharge({ tool, tokens, paths, at, told }: SpooledCharge, scrub: Scrub, scale: number) {
  const before = scrub.redactions()
  const name = storable(scrub.text(tool))
  const named = scrub.texts(paths)
  return {
    at,
    source: "hook",
    tokens: isOwnTool(tool) ? 0 : Math.ceil(tokens * scale),
    withheld: 0,
    told,
    paths: named,
    redactions: scrub.redactions() - before,
    step: { kind: "charge", tool: name === "" ? null : name, text: "", handle: null },
  } as const
}
