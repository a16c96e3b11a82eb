import type { Clock, Ids, Log } from "#ground/base"
import { AgentEvent, type Run, type RunStatus } from "#ground/contract"
import type { PrepareRedaction } from "#ground/secrets"
import type { Db, Tx } from "#ground/store"
import type { Agent, Answer, EmittedEvent, StartOptions } from "../agent.ts"
import { messageOfEvent, type NewMessage } from "../event-message.ts"
import type { LiveText } from "./live-text.ts"
import { initialProgress, type PriceOf, type Progress, progressAfter } from "./run-progress.ts"
import {
  type ApprovalChanges,
  createApprovalTracker,
  expireApprovals,
  saveApprovals,
} from "./stores/approval-store.ts"
import type { Claim } from "./stores/claim.ts"
import { advance, LastSeqRow, type MessageStore } from "./stores/message-store.ts"
import { CountRow, countTurns, finishCommand } from "./stores/queue-store.ts"
import { retryWhileAway } from "./stores/retry-write.ts"
import { requeueRun, selectDone, setChild, updateRun } from "./stores/run-store.ts"

const MAX_MESSAGES_PER_WRITE = 200

export type PumpDeps = {
  readonly db: Db<"agents">
  readonly messages: MessageStore
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly priceOf: PriceOf
  redact(text: string): string
  redactEvent(event: AgentEvent): unknown
  /** Redacts long texts outside the event loop, before `redact` and `redactEvent`. */
  readonly prepareRedaction?: PrepareRedaction
  contextMessage(run: Run, cwd: string): Promise<NewMessage | undefined>
  notifyText(it: LiveText): void
  nextTurn(run: Run): Promise<Turn | undefined>
  /** The answer to the same request that an earlier process could not pass on. */
  unusedAnswer(claim: Claim, digest: string): Promise<Answer | undefined>
  turnEnded(run: Run, progress: Progress, text: string): void
}

export type Turn = {
  readonly text: string
  readonly message: NewMessage
  readonly id?: string | undefined
}

export type Attempt = {
  readonly run: Run
  readonly claim: Claim
  readonly agent: Agent
  readonly options: StartOptions
  /** A session that the host no longer has is replaced once, never twice in a row. */
  readonly mayRestart: boolean
}

export type RunBuffer = ReturnType<typeof createRunBuffer>

export function createRunBuffer({ run, claim }: Attempt, deps: PumpDeps) {
  let progress = initialProgress(run)
  let requestedEnd: "stopped" | "interrupted" | undefined
  const waiting: EmittedEvent[] = []
  const approvals = createApprovalTracker(run, deps)
  let writing: Promise<void> = Promise.resolve()
  let isWriting = false
  let isLost = false
  let failure: { readonly error: unknown } | undefined

  const isClosed = (): boolean => isLost || failure !== undefined

  async function write(
    events: readonly EmittedEvent[],
    added: readonly NewMessage[] = [],
    turnId?: string,
  ): Promise<boolean> {
    const before = progress
    for (const { event } of events) progress = progressAfter(progress, event, deps.priceOf)
    if (progress.error !== null) progress = { ...progress, error: deps.redact(progress.error) }
    const { events: renamed, requested, ...tracked } = approvals.track(events)
    // An interrupted session drops its approvals; we keep them open for when it resumes.
    const isDropped = (decision: string) => decision === "expired" && requestedEnd === "interrupted"
    const resolved = tracked.resolved.filter((it) => !isDropped(it.decision))
    const messages = [...renamed.map((it) => redactedMessage(it, deps)), ...added]
    const change = { before, after: progress, requested, resolved, turnId, at: deps.clock.now() }
    return deps.messages.append(claim, messages, (tx) =>
      saveProgress(tx, { ...change, id: run.id, clock: deps.clock }),
    )
  }
  async function drain(): Promise<void> {
    try {
      while (waiting.length > 0 && !isClosed()) {
        const events = waiting.splice(0, MAX_MESSAGES_PER_WRITE)
        using _ = await deps.prepareRedaction?.(events)
        isLost = !(await write(events))
      }
    } catch (error) {
      failure = { error }
    }
    isWriting = false
  }
  async function end(status: RunStatus, error?: string): Promise<RunStatus> {
    progress = { ...progress, status, error: error ?? progress.error, open: new Set() }
    return (await endRun(claim, progress, deps)) ? status : "interrupted"
  }
  return {
    add(event: EmittedEvent): void {
      waiting.push(event)
      if (isWriting) return
      isWriting = true
      writing = drain()
    },
    size: () => waiting.length,
    flushed: () => writing,
    isClosed,
    throwIfFailed(): void {
      if (failure !== undefined) throw failure.error
    },
    requestEnd: (status: "stopped" | "interrupted") => void (requestedEnd ??= status),
    requestedEnd: () => requestedEnd,
    progress: () => progress,
    /**
     * Returns false when another process has claimed the run; a turn leaves the queue with its
     * message.
     */
    addMessage: (message: NewMessage, turnId?: string): Promise<boolean> =>
      write([], [message], turnId),
    hostIdOf: approvals.hostIdOf,
    end,
    async fail(message: string): Promise<RunStatus> {
      await write([{ event: { event: "error", message, isFatal: true } }])
      return end("failed", deps.redact(message))
    },
  }
}

function redactedMessage({ event, raw }: EmittedEvent, deps: PumpDeps): NewMessage {
  // Before truncating: half a secret is not recognised.
  const redacted = AgentEvent.parse(deps.redactEvent(event))
  const message = messageOfEvent(redacted, raw === undefined ? undefined : deps.redact(raw))
  return { ...message, content: deps.redact(message.content) }
}

type ProgressChange = ApprovalChanges & {
  readonly id: string
  readonly clock: Clock
  readonly before: Progress
  readonly after: Progress
  readonly turnId: string | undefined
  readonly at: number
}

async function saveProgress(tx: Tx<"agents">, change: ProgressChange): Promise<void> {
  const { id, before, after, turnId, at, clock } = change
  if (before !== after) await tx.run(updateRun(id, after, at))
  await saveApprovals(tx, change, { runId: id, at, clock })
  if (turnId !== undefined) {
    await tx.run(finishCommand(turnId, at))
    tx.emit("agents.commanded", { id })
  }
  if (before.status !== after.status) tx.emit("agents.updated", { id, status: after.status })
}

async function endRun(claim: Claim, progress: Progress, deps: PumpDeps): Promise<boolean> {
  const { runId: id } = claim
  const at = deps.clock.now()
  // An approval outlives the process that asked if the session can be resumed.
  const isOver = progress.status !== "interrupted" || progress.sessionId === null
  const end = async (tx: Tx<"agents">, isRepeated: boolean): Promise<number | undefined> => {
    const row = await tx.get(LastSeqRow, advance(claim, 0))
    if (row === undefined) return undefined
    // The first try was stored, and only its answer was lost.
    if (isRepeated && (await tx.get(LastSeqRow, selectDone(claim))) !== undefined) {
      return row.last_seq
    }
    await tx.run(updateRun(id, progress, at))
    if (isOver) await tx.run(expireApprovals(id, at))
    await tx.run(setChild(claim, null))
    // If a turn was sent at the last moment, the run continues.
    const queued = await tx.get(CountRow, countTurns(id))
    const continues = progress.status === "completed" && (queued?.count ?? 0) > 0
    if (continues) await tx.run(requeueRun(claim))
    tx.emit("agents.updated", { id, status: continues ? "queued" : progress.status })
    return row.last_seq
  }
  const lastSeq = await retryWhileAway(deps.clock, (isRepeated) =>
    deps.db.transaction((tx) => end(tx, isRepeated)),
  )
  deps.messages.runEnded(id, lastSeq ?? 0)
  return lastSeq !== undefined
}
