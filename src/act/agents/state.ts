import { createHash } from "node:crypto"
import type { Clock, Ids, Log } from "#ground/base"
import type { AgentEvent, Approval, Run, RunStatus } from "#ground/contract"
import type { Db, Tx } from "#ground/store"
import type { Agent, Heard, StartOptions } from "./agent.ts"
import { budgetState } from "./budget.ts"
import { APPROVAL_LIFE_MS, MOST_MESSAGES_A_WRITE } from "./limits.ts"
import { type PriceOf, type Progress, progressAfter } from "./progress.ts"
import { expireApprovals, insertApproval, setChild, updateRun } from "./queries.ts"
import { type Draft, draftOf } from "./transcript.ts"
import type { Claim, Writer } from "./writer.ts"

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
  contextMessage(cwd: string): Promise<Draft | undefined>
  /** Text as it is written; it is told and not kept. */
  tellDelta(runId: string, event: Extract<AgentEvent, { event: "text.delta" }>): void
  /** The next turn that waits, taken from the queue; undefined when there is none. */
  nextTurn(runId: string): Promise<string | undefined>
}

export type Job = {
  readonly run: Run
  readonly claim: Claim
  readonly agent: Agent
  readonly options: StartOptions
}

export type State = ReturnType<typeof createState>

/** The run in memory: what is known of it, and the messages that wait to be written. */
export function createState(job: Job, deps: LiveDeps) {
  const { run, claim } = job
  let progress = progressOf(run)
  let isStopWanted = false
  let isWarned = false
  const waiting: Heard[] = []

  async function write(heard: readonly Heard[], extra: readonly Draft[] = []): Promise<boolean> {
    const before = progress
    for (const { event } of heard) progress = progressAfter(progress, event, deps.priceOf)
    if (progress.error !== null) progress = { ...progress, error: deps.redact(progress.error) }
    const drafts = [...heard.map((it) => safeDraft(it, deps)), ...extra]
    const asked = heard.flatMap(({ event }) => approvalOf(event, run, deps))
    const written = await deps.writer.append(claim, drafts, (tx) =>
      keepProgress(tx, { run, before, after: progress, asked, at: deps.clock.now() }),
    )
    return written.kind === "written"
  }
  async function end(status: RunStatus, error?: string): Promise<RunStatus> {
    progress = { ...progress, status, error: error ?? progress.error, open: new Set() }
    await endRun(job, progress, deps)
    return status
  }
  return {
    hear: (heard: Heard) => void waiting.push(heard),
    waits: () => waiting.length,
    wantStop: () => void (isStopWanted = true),
    isStopWanted: () => isStopWanted,
    progress: () => progress,
    flush: (): Promise<boolean> => write(waiting.splice(0, MOST_MESSAGES_A_WRITE)),
    say: (draft: Draft): Promise<boolean> => write([], [draft]),
    /** What a budget has to say now: the warning once, and the end. */
    budget() {
      const found = budgetState(progress.cost, { usd: run.budgetUsd, tokens: run.budgetTokens })
      if (found.kind === "warned" && isWarned) return { kind: "free" } as const
      if (found.kind === "warned") isWarned = true
      return found
    },
    end,
    async fail(message: string): Promise<RunStatus> {
      await write([{ event: { event: "error", message, isFatal: true } }])
      return end("failed", message)
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

type Step = {
  readonly run: Run
  readonly before: Progress
  readonly after: Progress
  readonly asked: readonly Asked[]
  readonly at: number
}

async function keepProgress(tx: Tx<"agents">, step: Step): Promise<void> {
  const { run, before, after } = step
  if (before !== after) await tx.run(updateRun(run.id, after, step.at))
  await keepApprovals(tx, step.asked)
  if (before.status === after.status) return
  tx.emit("agents.updated", { id: run.id, status: after.status })
}

async function endRun({ run, claim }: Job, progress: Progress, deps: LiveDeps): Promise<void> {
  const at = deps.clock.now()
  await deps.db.transaction(async (tx) => {
    await tx.run(updateRun(run.id, progress, at))
    await tx.run(expireApprovals(run.id, at))
    await tx.run(setChild(run.id, claim.fence, null))
    tx.emit("agents.updated", { id: run.id, status: progress.status })
  })
  deps.writer.forget(run.id)
}

function safeDraft({ event, raw }: Heard, deps: LiveDeps): Draft {
  const draft = draftOf(event, raw)
  return {
    ...draft,
    content: deps.redact(draft.content),
    metadata: { event: deps.redactEvent(event) },
    ...(draft.raw === undefined ? {} : { raw: deps.redact(draft.raw) }),
  }
}

type Asked = { readonly approval: Approval; readonly hostId: string }

function approvalOf(event: AgentEvent, run: Run, deps: LiveDeps): Asked[] {
  if (event.event !== "approval.requested") return []
  const at = deps.clock.now()
  const digest = createHash("sha256")
    .update(JSON.stringify([event.tool, event.input, run.cwd]))
    .digest("hex")
  const approval: Approval = {
    id: deps.ids.next("apr"),
    runId: run.id,
    tool: event.tool,
    title: deps.redact(event.title),
    input: deps.redact(event.input),
    digest,
    status: "open",
    requestedAt: at,
    expiresAt: at + APPROVAL_LIFE_MS,
    answeredAt: null,
    answeredBy: null,
    note: null,
  }
  return [{ approval, hostId: event.approvalId }]
}

async function keepApprovals(tx: Tx<"agents">, asked: readonly Asked[]): Promise<void> {
  for (const { approval, hostId } of asked) {
    await tx.run(insertApproval(approval, hostId))
    const { id: approvalId, runId: id, title } = approval
    tx.emit("agents.asked", { id, approvalId, title })
  }
}
