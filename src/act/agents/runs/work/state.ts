import type { Clock, Ids, Log } from "#ground/base"
import { AgentEvent, type Run, type RunStatus } from "#ground/contract"
import type { Db, Tx } from "#ground/store"
import type { Agent, Answer, EmittedEvent, StartOptions } from "../../agent.ts"
import { type Draft, draftOf } from "../../event-message.ts"
import { MOST_MESSAGES_A_WRITE } from "../../limits.ts"
import type { LiveText } from "../hub.ts"
import { expireApprovals } from "../kept/approval-queries.ts"
import { countTurns, finishCommand } from "../kept/command-queries.ts"
import { advance, setChild, updateRun, waitAgain } from "../kept/queries.ts"
import { CountRow, LastSeqRow } from "../kept/rows.ts"
import type { Claim, Writer } from "../kept/writer.ts"
import { createAsking, keepQuestions, type Questions } from "./asking.ts"
import { createBudgetWatch } from "./budget.ts"
import { type PriceOf, type Progress, progressAfter } from "./progress.ts"

export type LiveDeps = {
  readonly db: Db<"agents">
  readonly writer: Writer
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly priceOf: PriceOf
  /** Nothing of an agent is kept or told before its secrets are replaced. */
  redact(text: string): string
  redactEvent(event: AgentEvent): unknown
  /** What is in the agent's context, as the message that follows its first word. */
  contextMessage(run: Run, cwd: string): Promise<Draft | undefined>
  /** Text as it is written; it is told and not kept. */
  tellDelta(it: LiveText): void
  /** The next turn that waits, taken from the queue; undefined when there is none. */
  nextTurn(run: Run): Promise<Turn | undefined>
  /** The answer to the same question that a process of before could not hand on. */
  unusedAnswer(runId: string, digest: string): Promise<Answer | undefined>
  /** A turn has ended; how the agent's last word reads. */
  turnEnded(run: Run, progress: Progress, words: string): void
}

/** What is said to an agent: its words as they are, and how they stand in the transcript. */
export type Turn = {
  readonly text: string
  readonly draft: Draft
  /** In the queue, until it is in the transcript. */
  readonly id?: string | undefined
}

export type Job = {
  readonly run: Run
  readonly claim: Claim
  readonly agent: Agent
  readonly options: StartOptions
  /** A session that turns out to be over is replaced once, never twice in a row. */
  readonly mayRestart: boolean
}

export type State = ReturnType<typeof createState>

/** The run in memory: what is known of it, and the messages that wait to be written. */
export function createState(job: Job, deps: LiveDeps) {
  const { run, claim } = job
  let progress = progressOf(run)
  let wantedEnd: "stopped" | "interrupted" | undefined
  const watch = createBudgetWatch({ usd: run.budgetUsd, tokens: run.budgetTokens })
  const waiting: EmittedEvent[] = []
  const asking = createAsking(run, deps)

  /** A session that is interrupted lets its questions go; we keep them for when it goes on. */
  const isCutOff = ({ decision }: Questions["resolved"][number]): boolean =>
    decision === "expired" && wantedEnd === "interrupted"

  async function write(
    heard: readonly EmittedEvent[],
    extra: readonly Draft[] = [],
    turnId?: string,
  ): Promise<boolean> {
    const before = progress
    for (const { event } of heard) progress = progressAfter(progress, event, deps.priceOf)
    if (progress.error !== null) progress = { ...progress, error: deps.redact(progress.error) }
    const { heard: renamed, asked, ...named } = asking.take(heard)
    const resolved = named.resolved.filter((it) => !isCutOff(it))
    const drafts = [...renamed.map((it) => safeDraft(it, deps)), ...extra]
    const step = { run, before, after: progress, asked, resolved, turnId, at: deps.clock.now() }
    const written = await deps.writer.append(claim, drafts, (tx) => keepProgress(tx, step))
    return written.kind === "written"
  }
  async function end(status: RunStatus, error?: string): Promise<RunStatus> {
    progress = { ...progress, status, error: error ?? progress.error, open: new Set() }
    return (await endRun(job, progress, deps)) ? status : "interrupted"
  }
  return {
    hear: (heard: EmittedEvent) => void waiting.push(heard),
    waits: () => waiting.length,
    wantEnd: (status: "stopped" | "interrupted") => void (wantedEnd ??= status),
    wantedEnd: () => wantedEnd,
    progress: () => progress,
    flush: (): Promise<boolean> => write(waiting.splice(0, MOST_MESSAGES_A_WRITE)),
    /** False when somebody else has the run; a turn leaves the queue with its words in the transcript. */
    say: (draft: Draft, turnId?: string): Promise<boolean> => write([], [draft], turnId),
    hostIdOf: asking.hostIdOf,
    markBudgetBlind: () => watch.markBlind(progress.cost),
    budget: () => watch.look(progress.cost),
    end,
    async fail(message: string): Promise<RunStatus> {
      await write([{ event: { event: "error", message, isFatal: true } }])
      return end("failed", deps.redact(message))
    },
  }
}

function progressOf(run: Run): Progress {
  const { sessionId, model, hostVersion, mode, turns, cost, contextUsed, contextWindow } = run
  return {
    status: "starting",
    sessionId,
    model,
    hostVersion,
    mode,
    turns,
    error: null,
    cost,
    contextUsed,
    contextWindow,
    open: new Set(),
  }
}

type Step = Questions & {
  readonly turnId: string | undefined
  readonly run: Run
  readonly before: Progress
  readonly after: Progress
  readonly at: number
}

async function keepProgress(tx: Tx<"agents">, step: Step): Promise<void> {
  const { run, before, after } = step
  if (before !== after) await tx.run(updateRun(run.id, after, step.at))
  await keepQuestions(tx, step, step)
  if (step.turnId !== undefined) {
    await tx.run(finishCommand(step.turnId, step.at))
    tx.emit("agents.commanded", { id: run.id })
  }
  if (before.status === after.status) return
  tx.emit("agents.updated", { id: run.id, status: after.status })
}

/** False when somebody else has claimed the run since: then it is theirs to say how it ended. */
async function endRun({ run, claim }: Job, progress: Progress, deps: LiveDeps): Promise<boolean> {
  const at = deps.clock.now()
  // A question outlives the process that asked it, if the session can be gone on with.
  const isOver = progress.status !== "interrupted" || progress.sessionId === null
  const lastSeq = await deps.db.transaction(async (tx) => {
    const found = await tx.get(LastSeqRow, advance(run.id, claim.fence, 0))
    if (found === undefined) return undefined
    await tx.run(updateRun(run.id, progress, at))
    if (isOver) await tx.run(expireApprovals(run.id, at))
    await tx.run(setChild(run.id, claim.fence, null))
    // What was sent in the last moment is not left behind: the run waits to go on.
    const waiting = await tx.get(CountRow, countTurns(run.id))
    const goesOn = progress.status === "completed" && (waiting?.count ?? 0) > 0
    if (goesOn) await tx.run(waitAgain(run.id, claim.fence))
    tx.emit("agents.updated", { id: run.id, status: goesOn ? "queued" : progress.status })
    return found.last_seq
  })
  deps.writer.ended(run.id, lastSeq ?? 0)
  return lastSeq !== undefined
}

function safeDraft({ event, raw }: EmittedEvent, deps: LiveDeps): Draft {
  // Before anything is cut: a secret across the cut would leave its beginning.
  const clean = AgentEvent.parse(deps.redactEvent(event))
  const draft = draftOf(clean, raw === undefined ? undefined : deps.redact(raw))
  return { ...draft, content: deps.redact(draft.content) }
}
