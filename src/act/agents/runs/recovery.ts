import type { Clock, ProcessIdentity } from "#ground/base"
import type { Run } from "#ground/contract"
import { OwnerSilent } from "../errors.ts"
import { systemMessage } from "../event-message.ts"
import type { ActiveRuns } from "./active-runs.ts"
import { isEnded } from "./run-progress.ts"
import { answerPrompt, expireApprovals } from "./stores/approval-store.ts"
import { type Identity, type Owner, type RunRow, setChild, updateRun } from "./stores/run-store.ts"
import type { Stores } from "./stores/stores.ts"

const STOP_WAIT_MS = 15_000

type Deps = {
  readonly clock: Clock
  readonly owner: Owner
  readonly stores: Stores
  readonly activeRuns: ActiveRuns
  isAlive(identity: ProcessIdentity): boolean
  endProcess(identity: ProcessIdentity): Promise<void>
}

export type Recovery = ReturnType<typeof createRecovery>

export function createRecovery(deps: Deps) {
  const { stores, activeRuns } = deps
  const { runs } = stores

  async function stop(id: string): Promise<Run> {
    const activeRun = activeRuns.find(id)
    if (activeRun?.pump !== undefined) {
      await activeRun.pump.stop("stopped")
      await activeRun.done
    }
    // Another process may claim the run meanwhile; then it is read again.
    for (let tries = 0; tries < 5; tries++) {
      const row = await runs.find(id)
      if (isEnded(row.run.status) || (await stopElsewhere(row))) break
    }
    return (await runs.find(id)).run
  }
  async function stopElsewhere(row: RunRow): Promise<boolean> {
    const { id, status } = row.run
    const isFree = status === "queued" && !activeRuns.has(id)
    const isOpen = isFree || row.hidden.owner === null
    // A run that waits in a queue has no driver, so no lease protects it.
    if (isOpen) return endLost(row, { status: "stopped", isElsewhere: false })
    if (isLost(row, await runs.expired())) return endLost(row, { ...place(row), status: "stopped" })
    await stores.queue.command(id, { kind: "stop" })
    const until = deps.clock.monotonicMs() + STOP_WAIT_MS
    while (deps.clock.monotonicMs() < until) {
      if (isEnded((await runs.find(id)).run.status)) return true
      await deps.clock.sleep(100)
    }
    throw OwnerSilent({ id, seconds: STOP_WAIT_MS / 1_000 })
  }
  async function recoverRun(row: RunRow): Promise<void> {
    const { id, status } = row.run
    if (status === "queued" || isUnsent(row)) return requeue(row)
    const isEndedHere = await endLost(row, { ...place(row), status: "interrupted" })
    const answered = isEndedHere ? await stores.approvals.findUnused(id) : undefined
    if (answered === undefined) return
    // The session resumes, asks again, and gets the answer.
    await stores.queue.queueTurn(id, answerPrompt(answered))
    await runs.queueAgain(await runs.find(id), null)
  }
  async function requeue(row: RunRow): Promise<void> {
    const claim = await runs.claim(row, place(row))
    if (claim === undefined) return
    const claimed = { ...row, hidden: { ...row.hidden, fence: claim.fence } }
    if (row.run.status === "queued") await runs.release(claimed)
    else await runs.queueAgain(claimed, null)
  }
  async function endLost(
    { run, hidden, ...row }: RunRow,
    as: { readonly status: "interrupted" | "stopped"; readonly isElsewhere: boolean },
  ): Promise<boolean> {
    const { status, isElsewhere } = as
    const { owner, child } = hidden
    // Also when it has exited: its children may be alive.
    if (owner?.machine === deps.owner.machine && child !== null) {
      await deps.endProcess(identityOf(child))
    }
    const claim = await runs.claim({ run, hidden, ...row }, { isElsewhere })
    if (claim === undefined) return false
    // An approval outlives the process that asked if the session can be resumed.
    const isOver = status === "stopped" || run.sessionId === null
    // Only a process on its own machine can end it: the next one that starts there does.
    const left = isElsewhere && child !== null ? { ...child, machine: owner?.machine } : null
    await stores.messages.append(claim, [systemMessage(END_MESSAGE[status])], async (tx) => {
      const at = deps.clock.now()
      await tx.run(updateRun(run.id, { ...run, status }, at))
      if (isOver) await tx.run(expireApprovals(run.id, at))
      await tx.run(setChild(claim, left))
      tx.emit("agents.updated", { id: run.id, status })
    })
    return true
  }
  async function endAbandoned(): Promise<void> {
    for (const { run, hidden } of await runs.abandoned()) {
      const { child, fence } = hidden
      if (child?.machine !== deps.owner.machine) continue
      await deps.endProcess(identityOf(child))
      await runs.forgetChild({ runId: run.id, fence })
    }
  }
  const place = ({ hidden }: RunRow): { readonly isElsewhere: boolean } => ({
    isElsewhere: hidden.owner !== null && hidden.owner.machine !== deps.owner.machine,
  })
  /** On this machine the process is checked; for another machine only the lease counts. */
  function isLost({ run, hidden }: RunRow, expired: ReadonlySet<string>): boolean {
    const { owner } = hidden
    if (owner === null) return false
    // It is ours and not active here: a start failed half-way.
    if (isSame(owner, deps.owner)) return run.status !== "queued" && !activeRuns.has(run.id)
    if (owner.machine === deps.owner.machine) return !deps.isAlive(identityOf(owner))
    return expired.has(run.id)
  }
  return {
    stop,
    mayStart: (owner: Owner | null, mayTakeFree: boolean): boolean =>
      owner === null ? mayTakeFree : isSame(owner, deps.owner),
    async recover(): Promise<number> {
      const [unfinished, expired] = [await runs.unfinished(), await runs.expired()]
      const lost = unfinished.filter((it) => isLost(it, expired))
      // In parallel: each host that ignores the first signal takes the whole grace period.
      await Promise.all(lost.map(recoverRun))
      await endAbandoned()
      return lost.length
    },
  }
}

/** A run that ends its process at each start must not end the processes of all nodes. */
const MAX_STARTS = 5

/** The agent got nothing yet, so another process can start the run as if it were new. */
function isUnsent({ run, hidden }: RunRow): boolean {
  return run.status === "starting" && run.lastSeq === 0 && hidden.fence <= MAX_STARTS
}

const END_MESSAGE = {
  interrupted: "The process of this run ended unexpectedly; all messages until then are stored",
  stopped: "Stopped from another process",
} as const

function identityOf({ pid, startedAt }: Identity): ProcessIdentity {
  return { pid, startedAt: startedAt === "" ? undefined : startedAt }
}

function isSame(a: Owner, b: Owner): boolean {
  const isSameProcess = a.machine === b.machine && a.pid === b.pid && a.startedAt === b.startedAt
  return isSameProcess && a.instance === b.instance
}
