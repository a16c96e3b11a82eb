import type { Clock, ProcessIdentity } from "#ground/base"
import type { Run } from "#ground/contract"
import { OwnerSilent } from "../errors.ts"
import { STOP_LOOK_MS, STOP_TRIES, STOP_WAIT_MS } from "../limits.ts"
import { isEnded } from "../status.ts"
import { expireApprovals } from "./kept/approval-queries.ts"
import type { Approvals } from "./kept/approvals.ts"
import type { Book } from "./kept/book.ts"
import { setChild, updateRun } from "./kept/queries.ts"
import type { Queue } from "./kept/queue.ts"
import type { Identity, Owner, RunRow } from "./kept/rows.ts"
import type { Writer } from "./kept/writer.ts"
import { sayAnswer } from "./say-answer.ts"
import type { Launcher } from "./work/launcher.ts"
import { systemDraft } from "./work/live.ts"

type Deps = {
  readonly clock: Clock
  readonly owner: Owner
  readonly writer: Writer
  readonly book: Book
  readonly queue: Queue
  readonly approvals: Approvals
  readonly launcher: Launcher
  isAlive(identity: ProcessIdentity): boolean
  endProcess(identity: ProcessIdentity): Promise<void>
}

export type Settling = ReturnType<typeof createSettling>

/** Ends runs, whoever works on them, and tells the truth about those nobody works on. */
export function createSettling(deps: Deps) {
  const { book, launcher } = deps

  async function stop(id: string): Promise<Run> {
    const working = launcher.find(id)
    if (working?.live !== undefined) {
      await working.live.stop("stopped")
      await working.done
    }
    for (let tries = 0; tries < STOP_TRIES; tries++) {
      const row = await book.find(id)
      const isOver = isEnded(row.run.status) || (await stopElsewhere(row, deps))
      if (isOver) break
      // Somebody claimed it in between: look again at what it is now.
    }
    return (await book.find(id)).run
  }
  return {
    stop,
    /** Whether this process may start a run that waits: it is ours, or nobody's and we stay. */
    mayTake: (owner: Owner | null, mayTakeFree: boolean): boolean =>
      owner === null ? mayTakeFree : isSame(owner, deps.owner),
    /** After a crash: what says that it runs and does not is told the truth about. */
    async recover(): Promise<number> {
      const lost = (await book.unfinished()).filter((it) => isLost(it, deps))
      // Side by side: each host that refuses the polite signal takes the whole grace.
      await Promise.all(lost.map((row) => settleLost(row, deps)))
      return lost.length
    },
  }
}

/** What nobody has begun yet waits for another process; what had begun is interrupted. */
async function settleLost(row: RunRow, deps: Deps): Promise<void> {
  if (row.run.status === "queued") return deps.book.release(row)
  const isSettled = await settle(row, "interrupted", deps)
  const answered = isSettled ? await deps.approvals.anyUnused(row.run.id) : undefined
  if (answered === undefined) return
  // Somebody answered it in the meantime: it goes on, asks again, and gets that answer.
  await deps.queue.queueTurn(row.run.id, sayAnswer(answered))
  await deps.book.queueAgain(await deps.book.find(row.run.id), null)
}

/** False when somebody else claimed the run in between. */
async function stopElsewhere(row: RunRow, deps: Deps): Promise<boolean> {
  const { id, status } = row.run
  // One that has not begun is nobody's work yet: whoever claims it first has it.
  const isFree = status === "queued" && !deps.launcher.has(id)
  if (isFree || row.hidden.owner === null || isLost(row, deps)) return settle(row, "stopped", deps)
  await deps.queue.command(id, { kind: "stop" })
  const until = deps.clock.monotonicMs() + STOP_WAIT_MS
  while (deps.clock.monotonicMs() < until) {
    if (isEnded((await deps.book.find(id)).run.status)) return true
    await deps.clock.sleep(STOP_LOOK_MS)
  }
  throw OwnerSilent({ id, seconds: STOP_WAIT_MS / 1_000 })
}

/** Ends a run that nobody works on: its process, if it lives, and what it says of itself. */
async function settle(
  row: RunRow,
  status: "interrupted" | "stopped",
  deps: Deps,
): Promise<boolean> {
  const { run, hidden } = row
  const isHere = hidden.owner?.machine === deps.owner.machine
  // Also when it is gone itself: what it started may have stayed.
  if (isHere && hidden.child !== null) await deps.endProcess(identityOf(hidden.child))
  const claim = await deps.book.claim(row)
  if (claim === undefined) return false
  // A question outlives the process that asked it, if the session can be gone on with.
  const isOver = status === "stopped" || run.sessionId === null
  await deps.writer.append(claim, [systemDraft(SETTLED[status])], async (tx) => {
    const at = deps.clock.now()
    await tx.run(updateRun(run.id, { ...run, status }, at))
    if (isOver) await tx.run(expireApprovals(run.id, at))
    await tx.run(setChild(run.id, claim.fence, null))
    tx.emit("agents.updated", { id: run.id, status })
  })
  return true
}

const SETTLED = {
  interrupted: "The process that ran this ended before it did; what was said until then is kept",
  stopped: "Stopped from another process",
} as const

function identityOf({ pid, startedAt }: Identity): ProcessIdentity {
  return { pid, startedAt: startedAt === "" ? undefined : startedAt }
}

/** On this machine a process can be looked for; of another one only its lease tells. */
function isLost({ run, hidden }: RunRow, deps: Deps): boolean {
  const { owner, leaseUntil } = hidden
  if (owner === null) return false
  // Ours, and not at work here: a start that failed half-way.
  if (isSame(owner, deps.owner)) return run.status !== "queued" && !deps.launcher.has(run.id)
  if (owner.machine === deps.owner.machine) return !deps.isAlive(identityOf(owner))
  return leaseUntil < deps.clock.now()
}

function isSame(a: Owner, b: Owner): boolean {
  const isSameProcess = a.machine === b.machine && a.pid === b.pid && a.startedAt === b.startedAt
  return isSameProcess && a.instance === b.instance
}
