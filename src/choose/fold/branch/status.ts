import type { Caller, FoldStatus, OperationInput } from "#ground/contract"
import type { Db } from "#ground/store"
import { chargesOf } from "../budget/charges.ts"
import { drainSpool } from "../budget/host-charges.ts"
import { counterOrRough, type FoldDeps, isBranchId, openCall, type Scrub } from "../deps.ts"
import { AlreadyCompleted, FoldNotFound } from "../errors.ts"
import {
  type BranchOwner,
  selectActive,
  selectBound,
  selectNearestDeadline,
  selectPending,
  setState,
} from "../queries.ts"
import { ARCHIVED_AFTER_MS, BranchRow, branchOf, isLive, MOST_PENDING, MomentRow } from "../rows.ts"
import { addStep } from "../trail/trail.ts"
import { checkProgress } from "./check.ts"
import { endOverdue } from "./end.ts"

type StatusDeps = FoldDeps & { onEnded(): void; onDeadline(at: number): void }

/** Ends what is overdue first; stores the progress note. */
export async function statusOf(
  deps: StatusDeps,
  input: OperationInput<"fold.status">,
  caller: Caller,
): Promise<FoldStatus> {
  const { who, scrub } = await openCall(deps, caller, input.sessionId)
  await drainSpool(deps, who)
  const db = await deps.db()
  await endWhatIsOverdue(deps, db)
  const row = await find(db, input.branchId ?? "", who)
  const noted = await note(deps, { db, row, who, scrub, progress: input.progress })
  const now = deps.clock.now()
  const active = await db.all(BranchRow, selectActive(who, MOST_PENDING))
  const since = now - ARCHIVED_AFTER_MS
  const query = { who, parent: row?.id ?? null, since, limit: MOST_PENDING }
  const pending = await db.all(BranchRow, selectPending(query))
  return {
    branch: noted === undefined ? null : branchOf(noted, now, await chargesOf(db, noted.id)),
    active: active.map((it) => ({
      branchId: it.id,
      description: it.given.description,
      depth: it.depth,
    })),
    pending: pending.flatMap(({ id, endReason, state }) =>
      endReason === null ? [] : [{ branchId: id, endReason, result: state.result ?? "" }],
    ),
  }
}

async function find(db: Db<"fold">, id: string, who: BranchOwner): Promise<BranchRow | undefined> {
  if (id === "root") return undefined
  if (id === "") return db.get(BranchRow, selectActive(who, 1))
  const row = isBranchId(id) ? await db.get(BranchRow, selectBound(id, who)) : undefined
  if (row === undefined) throw FoldNotFound({})
  return row
}

type ProgressNote = {
  readonly db: Db<"fold">
  readonly row: BranchRow | undefined
  readonly who: BranchOwner
  readonly scrub: Scrub
  readonly progress: string | undefined
}

async function note(
  deps: FoldDeps,
  { db, row, who, scrub, progress }: ProgressNote,
): Promise<BranchRow | undefined> {
  if (progress === undefined || progress.trim() === "" || row === undefined) return row
  checkProgress(progress)
  const text = scrub.text(progress)
  const at = deps.clock.now()
  return db.transaction(async (tx) => {
    const now = await tx.get(BranchRow, selectBound(row.id, who))
    if (now === undefined) throw FoldNotFound({})
    const { id, status, endReason } = now
    if (!isLive(now)) throw AlreadyCompleted({ id, status, reason: endReason ?? "" })
    const redactions = now.state.redactions + scrub.redactions()
    const state = { ...now.state, progress: text, redactions }
    await tx.run(setState(id, state))
    const step = { at, kind: "progress", tool: null, text, tokens: 0, handle: null } as const
    return { ...now, state, steps: await addStep(tx, now, step) }
  })
}

export async function endWhatIsOverdue(deps: StatusDeps, db: Db<"fold">): Promise<void> {
  const root = deps.root()
  const nearest = await db.get(MomentRow, selectNearestDeadline(root))
  const at = deps.clock.now()
  if ((nearest?.at ?? Number.POSITIVE_INFINITY) > at) return
  const count = await counterOrRough(deps)
  await db.transaction((tx) => endOverdue(tx, { root, at, count }))
  deps.onEnded()
}
