import type { Caller, OperationInput } from "#ground/contract"
import { chargeByHost } from "./charge.ts"
import { createBranch } from "./create.ts"
import { createEnds } from "./ends.ts"
import { returnFrom } from "./finish.ts"
import { keepTrail, type WireStep } from "./keep-trail.ts"
import { type MeteredCall, meterCall } from "./meter.ts"
import { countUntrusted, selectBound, selectNearestDeadline, setState } from "./queries.ts"
import { readHandle } from "./read.ts"
import { restoreTrail } from "./restore.ts"
import { BranchRow, CountRow, MomentRow } from "./rows.ts"
import { openScrub } from "./scrub.ts"
import { createTidy } from "./spool-charge.ts"
import { endWhatIsOverdue, statusOf } from "./status.ts"
import { listBranches, searchTrails, showBranch, treeOfBranches } from "./views.ts"
import { createWatch } from "./watch.ts"
import { unfold } from "./wire.ts"
import { type FoldDeps, isBranchId, openCall, sessionOf } from "./world.ts"

export type Fold = ReturnType<typeof createFold>

/** Branches of one repository. All of their state is in the database; here is only one wait. */
export function createFold(given: FoldDeps) {
  let isClosed = false
  let hasOpened = false
  const tidy = createTidy(given)
  const watch = createWatch({
    clock: given.clock,
    log: given.log,
    nearest: () => nearestDeadline(given),
    endOverdue: async () => endWhatIsOverdue(deps, await given.db()),
  })
  const deps: Deps = {
    ...given,
    isClosed: () => isClosed,
    onOpening: () => {
      hasOpened = true
    },
    onOpened: (deadlineAt: number) => watch.opened(deadlineAt),
    onEnded: () => {
      watch.ended()
      tidy.later()
    },
  }
  const { endOwn, recover, ...ends } = createEnds(deps)

  return {
    ...forAgents(deps),
    ...forPersons(deps),
    ...forTheHouse(deps),
    ...ends,
    recover: async (): Promise<number> => tidy.after(recover()),
    hasReadUntrusted: (sessionId: string) => hasReadUntrusted(deps, sessionId),
    /**
     * Told when a memory was recorded for a branch that was asked for some. The caller's session is
     * the one that the recording named, if it named one.
     */
    finishDistillation: (branchId: string, caller: Caller) =>
      finishDistillation(deps, branchId, caller),
    /** Ends branches at their deadline, as long as this process lives. */
    watch: (): void => watch.start(),
    /** Ends what this process opened; no wait is left. */
    async close(reason: "shutdown" = "shutdown"): Promise<void> {
      isClosed = true
      await watch.close()
      // A process that only read has nothing to end, and takes no turn among those who write.
      if (hasOpened) await endOwn(reason)
      await tidy.done()
    },
  }
}

type Deps = FoldDeps & {
  isClosed(): boolean
  onOpening(): void
  onOpened(deadlineAt: number): void
  onEnded(): void
}

function forAgents(deps: Deps) {
  return {
    branch: (input: OperationInput<"fold.branch">, caller: Caller) =>
      createBranch(deps, input, caller),
    return: (input: OperationInput<"fold.return">, caller: Caller) =>
      returnFrom(deps, input, caller),
    status: (input: OperationInput<"fold.status">, caller: Caller) => statusOf(deps, input, caller),
    charge: (input: OperationInput<"fold.charge">, caller: Caller) =>
      chargeByHost(deps, input, caller),
    read: (input: OperationInput<"fold.read">, caller: Caller) => readHandle(deps, input, caller),
  }
}

function forPersons(deps: Deps) {
  return {
    list: (input: OperationInput<"fold.list">) => listBranches(deps, input),
    tree: (input: OperationInput<"fold.tree">) => treeOfBranches(deps, input),
    show: (input: OperationInput<"fold.show">) => showBranch(deps, input.id),
    search: (input: OperationInput<"fold.search">) => searchTrails(deps, input),
    restore: (input: OperationInput<"fold.restore">) => restoreTrail(deps, input),
  }
}

function forTheHouse(deps: Deps) {
  return {
    /** What a tool of ours answers: large texts stay under a handle, the call is charged. */
    meter: (call: MeteredCall) => meterCall(deps, call),
    /** Told by the gateway what it took out of the window of a branch that was folded. */
    keepTrail: (branchId: string, steps: readonly WireStep[]) => keepTrail(deps, branchId, steps),
    /** Told by the gateway that a provider would not have a branch folded. */
    unfold: (branchId: string) => unfold(deps, branchId),
  }
}

async function nearestDeadline(deps: FoldDeps): Promise<number | undefined> {
  const db = await deps.db()
  return (await db.get(MomentRow, selectNearestDeadline(deps.root())))?.at ?? undefined
}

async function hasReadUntrusted(deps: FoldDeps, sessionId: string): Promise<boolean> {
  const session = sessionOf(sessionId, "", await openScrub(deps))
  const db = await deps.db()
  return ((await db.get(CountRow, countUntrusted(deps.root(), session)))?.count ?? 0) > 0
}

/** False for a branch that was not asked, or that is not the caller's. */
async function finishDistillation(
  deps: FoldDeps,
  branchId: string,
  caller: Caller,
): Promise<boolean> {
  const { who } = await openCall(deps, caller, undefined)
  if (!isBranchId(branchId)) return false
  const db = await deps.db()
  return db.transaction(async (tx) => {
    const row = await tx.get(BranchRow, selectBound(branchId, who))
    if (row?.state.distillation !== "asked") return false
    await tx.run(setState(row.id, { ...row.state, distillation: "done" }))
    return true
  })
}
