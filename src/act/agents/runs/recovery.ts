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
    if (isFree || row.hidden.owner === null || isLost(row)) return endLost(row, "stopped")
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
    if (status === "queued") return runs.release(row)
    const isEndedHere = await endLost(row, "interrupted")
    const answered = isEndedHere ? await stores.approvals.findUnused(id) : undefined
    if (answered === undefined) return
    // The session resumes, asks again, and gets the answer.
    await stores.queue.queueTurn(id, answerPrompt(answered))
    await runs.queueAgain(await runs.find(id), null)
  }
  async function endLost(row: RunRow, status: "interrupted" | "stopped"): Promise<boolean> {
    const { run, hidden } = row
    const isHere = hidden.owner?.machine === deps.owner.machine
    // Also when it has exited: its children may be alive.
    if (isHere && hidden.child !== null) await deps.endProcess(identityOf(hidden.child))
    const claim = await runs.claim(row)
    if (claim === undefined) return false
    // An approval outlives the process that asked if the session can be resumed.
    const isOver = status === "stopped" || run.sessionId === null
    await stores.messages.append(claim, [systemMessage(END_MESSAGE[status])], async (tx) => {
      const at = deps.clock.now()
      await tx.run(updateRun(run.id, { ...run, status }, at))
      if (isOver) await tx.run(expireApprovals(run.id, at))
      await tx.run(setChild(claim, null))
      tx.emit("agents.updated", { id: run.id, status })
    })
    return true
  }
  /** On this machine the process is checked; for another machine only the lease counts. */
  function isLost({ run, hidden }: RunRow): boolean {
    const { owner, leaseUntil } = hidden
    if (owner === null) return false
    // It is ours and not active here: a start failed half-way.
    if (isSame(owner, deps.owner)) return run.status !== "queued" && !activeRuns.has(run.id)
    if (owner.machine === deps.owner.machine) return !deps.isAlive(identityOf(owner))
    return leaseUntil < deps.clock.now()
  }
  return {
    stop,
    mayStart: (owner: Owner | null, mayTakeFree: boolean): boolean =>
      owner === null ? mayTakeFree : isSame(owner, deps.owner),
    async recover(): Promise<number> {
      const lost = (await runs.unfinished()).filter(isLost)
      // In parallel: each host that ignores the first signal takes the whole grace period.
      await Promise.all(lost.map(recoverRun))
      return lost.length
    },
  }
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
