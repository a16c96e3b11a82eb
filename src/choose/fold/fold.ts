import type { Clock, Log } from "#ground/base"
import type { Caller, foldOperations, Handlers, OperationInput } from "#ground/contract"
import { createBranch } from "./branch/create.ts"
import { createEnds } from "./branch/end.ts"
import { returnFrom } from "./branch/finish.ts"
import { endWhatIsOverdue, statusOf } from "./branch/status.ts"
import { chargeByHost, createTidy, drainAllSpools } from "./budget/host-charges.ts"
import { type MeteredCall, meterCall } from "./budget/meter.ts"
import { createUsageMeter, type WireUsage } from "./budget/usage.ts"
import { type FoldDeps, isBranchId, openCall, openScrub, sessionOf, TERMINAL } from "./deps.ts"
import { countUntrusted, selectBound, selectNearestDeadline, setState } from "./queries.ts"
import { BranchRow, CountRow, MomentRow } from "./rows.ts"
import {
  drainReplacedResults,
  keepMaskedResults,
  keepTrail,
  type MaskedResult,
  type WireStep,
} from "./trail/keep-trail.ts"
import { readHandle } from "./trail/read.ts"
import { listBranches, restoreTrail, searchTrails, showBranch, treeOfBranches } from "./views.ts"
import { unfold } from "./wire.ts"

export type Fold = ReturnType<typeof createFold>

/** All state is in the database; the process has only the deadline watch. */
export function createFold(foldDeps: FoldDeps) {
  let isClosed = false
  let hasOpened = false
  const tidy = createTidy(foldDeps)
  const watch = createWatch({
    clock: foldDeps.clock,
    log: foldDeps.log,
    nearest: () => nearestDeadline(foldDeps),
    endOverdue: async () => endWhatIsOverdue(deps, await foldDeps.db()),
    longestWaitMs: foldDeps.spool === undefined ? LONGEST_WAIT_MS : SETTLE_EVERY_MS,
    hasReports: foldDeps.spool !== undefined,
    settle: async () => {
      if (await foldDeps.spool?.hasCharges()) await drainAllSpools(deps)
      await drainReplacedResults(foldDeps)
    },
  })
  const deps: Deps = {
    ...foldDeps,
    isClosed: () => isClosed,
    onOpening: () => {
      hasOpened = true
    },
    onOpened: (deadlineAt: number) => watch.opened(deadlineAt),
    onDeadline: (deadlineAt: number) => watch.opened(deadlineAt),
    onEnded: () => {
      watch.ended()
      tidy.later()
    },
  }
  const { endOwn, recover, ...ends } = createEnds(deps)
  const usage = createUsageMeter(deps)

  return {
    ...forAgents(deps),
    ...forPersons(deps),
    ...forTheHouse(deps),
    ...ends,
    /** Called by the gateway with the provider's own count of a request. */
    chargeUsage: (report: WireUsage) => usage.charge(report),
    recover: async (): Promise<number> => tidy.after(recover()),
    hasReadUntrusted: (sessionId: string) => hasReadUntrusted(deps, sessionId),
    /** Called when a memory was recorded for a branch with open distillation. */
    finishDistillation: (branchId: string, caller: Caller) =>
      finishDistillation(deps, branchId, caller),
    /** Ends branches at their deadline while this process lives. */
    watch: (): void => watch.start(),
    async close(reason: "shutdown" = "shutdown"): Promise<void> {
      isClosed = true
      await watch.close()
      // A process that only read has nothing to end and needs no write lock.
      if (hasOpened) await endOwn(reason)
      await tidy.done()
    },
  }
}

type Deps = FoldDeps & {
  isClosed(): boolean
  onOpening(): void
  onOpened(deadlineAt: number): void
  onDeadline(at: number): void
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
    show: async (input: OperationInput<"fold.show">) => {
      await drainReplacedResults(deps)
      return showBranch(deps, input.id)
    },
    search: async (input: OperationInput<"fold.search">) => {
      await drainReplacedResults(deps)
      return searchTrails(deps, input)
    },
    restore: async (input: OperationInput<"fold.restore">) => {
      await drainReplacedResults(deps)
      return restoreTrail(deps, input)
    },
  }
}

function forTheHouse(deps: Deps) {
  return {
    /** Charges a call of our own tools; large texts are stored under a handle. */
    meter: (call: MeteredCall) => meterCall(deps, call),
    /** Called by the gateway with the steps it removed from the window. */
    keepTrail: (branchId: string, steps: readonly WireStep[]) => keepTrail(deps, branchId, steps),
    /** Hooks may replace large outputs of this session by digests: its agent has `read_handle`. */
    openReader: async (session: string): Promise<void> => deps.spool?.openReader(session),
    closeReader: async (session: string): Promise<void> => deps.spool?.closeReader(session),
    /** Called by the gateway before it masks results of a session. */
    keepMaskedResults: (session: string, results: readonly MaskedResult[]) =>
      keepMaskedResults(deps, session, results),
    /** Called by the gateway when the provider refused a fold. */
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

type HandlerDeps = { fold(): Promise<Fold> }

export const foldHandlers = ({ fold }: HandlerDeps): Handlers<typeof foldOperations> => ({
  branch: async (input, { caller = TERMINAL }) => (await fold()).branch(input, caller),
  return: async (input, { caller = TERMINAL }) => (await fold()).return(input, caller),
  status: async (input, { caller = TERMINAL }) => (await fold()).status(input, caller),
  read: async (input, { caller = TERMINAL }) => (await fold()).read(input, caller),
  charge: async (input, { caller = TERMINAL }) => (await fold()).charge(input, caller),
  end: async (input, { caller = TERMINAL }) => ({
    ended: await (await fold()).end(input.sessionId ?? "", caller, { isOwnOnly: input.own }),
  }),
  list: async (input) => (await fold()).list(input),
  tree: async (input) => (await fold()).tree(input),
  show: async (input) => (await fold()).show(input),
  search: async (input) => (await fold()).search(input),
  restore: async (input) => (await fold()).restore(input),
})

/** The wall clock may jump, so the wait is checked again after this. */
const LONGEST_WAIT_MS = 60_000

/** How long a report of a hook waits at most. */
const SETTLE_EVERY_MS = 1_000

type DeadlineWatch = {
  readonly clock: Clock
  readonly log: Log
  readonly longestWaitMs: number
  /** Hooks report outputs without an open branch too. */
  readonly hasReports: boolean
  /** Charges what hooks have reported since. */
  settle(): Promise<void>
  nearest(): Promise<number | undefined>
  endOverdue(): Promise<void>
}

/** One timer per process, for the nearest deadline or the next report of a hook. */
function createWatch(deps: DeadlineWatch) {
  const wait = createWait(deps.clock)
  let isOn = false
  let requested = 0
  let loop: Promise<void> | undefined

  async function look(): Promise<void> {
    try {
      let isOpen = true
      let handled = requested
      do {
        const now = requested
        handled = now
        isOpen = await step(deps, wait, () => requested !== now || !isOn)
      } while (isOn && (isOpen || requested !== handled))
    } catch (error) {
      // The next opened branch starts it again.
      deps.log.warn("could not watch the deadlines of branches", { error })
    }
    // In the same turn as the last check, so that no request gets lost.
    loop = undefined
  }

  function ask(): void {
    requested++
    wait.stop()
    if (isOn) loop ??= look()
  }

  return {
    start(): void {
      isOn = true
      ask()
    },
    opened(deadlineAt: number): void {
      if (deadlineAt < wait.until()) ask()
    },
    ended(): void {
      if (loop !== undefined) ask()
    },
    async close(): Promise<void> {
      isOn = false
      wait.stop()
      await loop
    },
  }
}

async function step(deps: DeadlineWatch, wait: Wait, isOld: () => boolean): Promise<boolean> {
  const nearest = await deps.nearest()
  if (isOld()) return true
  if (nearest === undefined) {
    if (deps.hasReports) await settleUntil(deps, wait, isOld)
    return deps.hasReports
  }
  const ms = nearest - deps.clock.now()
  if (ms <= 0) {
    await deps.endOverdue()
    return true
  }
  await wait.sleep(Math.min(ms, deps.longestWaitMs), nearest)
  if (!isOld()) await deps.settle()
  return true
}

/** Without an open branch no deadline is queried; `opened()` ends the wait. */
async function settleUntil(deps: DeadlineWatch, wait: Wait, isOld: () => boolean): Promise<void> {
  let waitMs = deps.longestWaitMs
  while (!isOld()) {
    await wait.sleep(waitMs, Number.POSITIVE_INFINITY)
    if (isOld()) return
    try {
      await deps.settle()
      waitMs = deps.longestWaitMs
    } catch (error) {
      deps.log.warn("could not take the reports of hooks", { error })
      waitMs = LONGEST_WAIT_MS
    }
  }
}

type Wait = ReturnType<typeof createWait>

function createWait(clock: Clock) {
  let current: { readonly until: number; readonly control: AbortController } | undefined
  return {
    until: (): number => current?.until ?? Number.POSITIVE_INFINITY,
    stop: (): void => current?.control.abort(),
    async sleep(ms: number, until: number): Promise<void> {
      const control = new AbortController()
      current = { until, control }
      try {
        await clock.sleep(ms, control.signal)
      } catch (error) {
        if (!control.signal.aborted) throw error
      } finally {
        current = undefined
      }
    },
  }
}
