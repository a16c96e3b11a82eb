import { isAppError } from "#ground/base"
import type { AgentEvent, AgentMode, RunStatus } from "#ground/contract"
import type { AgentSession, Answer } from "../agent.ts"
import { type NewMessage, systemMessage } from "../event-message.ts"
import { createLiveText } from "./live-text.ts"
import { type Attempt, createRunBuffer, type PumpDeps, type RunBuffer } from "./run-buffer.ts"
import { budgetOf, budgetState, isEnded } from "./run-progress.ts"
import { digestOf } from "./stores/approval-store.ts"
import { retryWhileAway } from "./stores/retry-write.ts"
import { setChild } from "./stores/run-store.ts"

const MAX_WAITING_EVENTS = 2_000

type PumpEnd = RunStatus | "gone"

export type SessionPump = {
  readonly canSteer: boolean
  answer(approvalId: string, answer: Answer): Promise<boolean>
  /** The command leaves the queue with its message; false if the agent takes no text now. */
  steer(text: string, message: NewMessage, commandId: string): Promise<boolean>
  setMode(mode: AgentMode): Promise<void>
  stop(as: "stopped" | "interrupted"): Promise<void>
  readonly done: Promise<PumpEnd>
}

/**
 * Starts an agent and stores its events until it ends. A failure becomes a message, not a
 * rejection.
 */
export async function startSessionPump(attempt: Attempt, deps: PumpDeps): Promise<SessionPump> {
  const buffer = createRunBuffer(attempt, deps)
  const session = await startSession(attempt, deps)
  if ("failure" in session) return { ...NO_SESSION, done: buffer.fail(session.failure) }
  return {
    canSteer: session.canSteer,
    async answer(approvalId, answer) {
      const hostId = buffer.hostIdOf(approvalId)
      if (hostId !== undefined) await passAnswer(session, hostId, answer)
      return hostId !== undefined
    },
    setMode: (mode) => session.setMode(mode),
    async steer(text, message, commandId) {
      if (!session.canSteer || buffer.progress().status !== "running") return false
      // Stored first: after a crash in between, the transcript has what the user sent.
      if (await buffer.addMessage(message, commandId)) await session.send(text)
      return true
    },
    async stop(as) {
      buffer.requestEnd(as)
      await session.stop()
    },
    done: pumpEvents({ session, buffer, attempt, deps, ...createWarnings(attempt, buffer) }),
  }
}

const NO_SESSION = {
  canSteer: false,
  answer: async () => false,
  setMode: async () => {},
  steer: async () => false,
  stop: async () => {},
}

async function startSession(
  { agent, options, claim }: Attempt,
  { db, clock }: PumpDeps,
): Promise<AgentSession | { readonly failure: string }> {
  try {
    return await agent.start({
      ...options,
      async onStarted({ pid, startedAt = "" }) {
        await retryWhileAway(clock, () => db.run(setChild(claim, { pid, startedAt })))
      },
    })
  } catch (error) {
    if (!isAppError(error)) throw error
    return { failure: `${error.message} ${error.hint}` }
  }
}

type Pump = ReturnType<typeof createWarnings> & {
  readonly session: AgentSession
  readonly buffer: RunBuffer
  readonly attempt: Attempt
  readonly deps: PumpDeps
}

async function pumpEvents(pump: Pump): Promise<PumpEnd> {
  const { session, buffer, attempt, deps } = pump
  const runId = attempt.run.id
  const liveText = createLiveText({
    ...deps,
    notify: (text, parentId) => deps.notifyText({ runId, parentId, text }),
  })
  // Only before the first turn is done: later the prompt that failed is not the one to repeat.
  let mayBeGone = attempt.mayRestart
  let isGone = false
  try {
    for await (const emitted of session.events) {
      const { event } = emitted
      liveText.take(event)
      if (event.event === "text.delta") continue
      isGone = mayBeGone && isOfGoneSession(event)
      if (isGone) break
      if (event.event === "turn.ended") mayBeGone = false
      buffer.add(emitted)
      if (buffer.size() >= MAX_WAITING_EVENTS) await buffer.flushed()
      if (buffer.isClosed()) break
      await react(event, pump)
    }
  } finally {
    // Whatever went wrong, the agent must not continue.
    liveText.close()
    await session.stop()
    await buffer.flushed()
  }
  buffer.throwIfFailed()
  if (isGone && buffer.requestedEnd() === undefined) return "gone"
  return buffer.isClosed() ? "interrupted" : buffer.end(finalStatus(buffer))
}

function isOfGoneSession(event: AgentEvent): boolean {
  if (event.event === "error") return event.isFatal && isSessionGone(event.message)
  return event.event === "turn.ended" && isSessionGone(event.error ?? "")
}

/**
 * Whether a host's failure means that it no longer has the session; hosts report it only as text.
 */
export function isSessionGone(error: string): boolean {
  return GONE.some((it) => it.test(error))
}

const GONE = [
  /no (conversation|rollout|session|thread) (was )?found/i,
  /(conversation|session|thread)( id)?\b.{0,60}\b(not found|unknown|expired|does not exist)/i,
  /(unknown|invalid|expired) (conversation|session|thread)/i,
]

function finalStatus(buffer: RunBuffer): RunStatus {
  const { status, error } = buffer.progress()
  const requested = buffer.requestedEnd()
  if (requested !== undefined) return requested
  if (isEnded(status)) return status
  return status === "paused" && error === null ? "completed" : "failed"
}

async function react(event: AgentEvent, pump: Pump): Promise<void> {
  switch (event.event) {
    case "session.started":
      return addContext(event.cwd, pump)
    case "cost":
      return watchBudget(pump)
    case "approval.requested":
      return answerAgain(event, pump)
    case "context.usage":
      return addWarning(pump, pump.windowWarning(event))
    case "turn.ended":
      return sendNextTurn(event, pump)
    default:
      return undefined
  }
}

async function addContext(cwd: string, { buffer, attempt, deps }: Pump): Promise<void> {
  const message = await deps.contextMessage(attempt.run, cwd).catch((error: unknown) => {
    deps.log.warn("could not capture the context", { run: attempt.run.id, error: String(error) })
    return systemMessage("The agent's context could not be captured; see the log")
  })
  await buffer.flushed()
  if (message !== undefined) await buffer.addMessage(message)
}

async function addWarning({ buffer }: Pump, warning: string | undefined): Promise<void> {
  if (warning === undefined) return
  await buffer.flushed()
  await buffer.addMessage(systemMessage(warning))
}

function createWarnings({ run }: Attempt, buffer: RunBuffer) {
  const budget = budgetOf(run)
  let windowMark = 0
  let isWarned = false
  let isBlindWarned = false
  return {
    budget: () => budgetState(buffer.progress().cost, budget),
    budgetWarning(): string | undefined {
      const state = budgetState(buffer.progress().cost, budget)
      if (state.kind !== "warned" || isWarned) return undefined
      isWarned = true
      return `Budget nearly spent: ${state.says}`
    },
    blindWarning(): string | undefined {
      const { reportedUsd, computedUsd } = buffer.progress().cost
      const isBlind = budget.usd !== null && reportedUsd === null && computedUsd === null
      if (!isBlind || isBlindWarned) return undefined
      isBlindWarned = true
      return "The dollar budget cannot be enforced: the price of this model is unknown"
    },
    /** Once at 80 % and at 95 %; again after a compaction. */
    windowWarning({ used, window }: ContextUsage): string | undefined {
      const share = used / window
      const mark = [0.8, 0.95].findLast((it) => share >= it) ?? 0
      const isNew = mark > windowMark
      windowMark = mark
      if (!isNew) return undefined
      return `The window is ${Math.floor(share * 100)} % full; hand the run off before the host compacts it`
    },
  }
}

type ContextUsage = Extract<AgentEvent, { event: "context.usage" }>

async function watchBudget(pump: Pump): Promise<void> {
  const { session, buffer } = pump
  await buffer.flushed()
  await addWarning(pump, pump.blindWarning())
  await addWarning(pump, pump.budgetWarning())
  const budget = pump.budget()
  if (budget.kind !== "spent") return
  buffer.requestEnd("stopped")
  await addWarning(pump, `Stopped before the next call because the budget is spent: ${budget.says}`)
  await session.stop()
}

/** The user answered this request, but the process ended before passing the answer on. */
async function answerAgain(
  event: Extract<AgentEvent, { event: "approval.requested" }>,
  { session, buffer, attempt, deps }: Pump,
): Promise<void> {
  const { run } = attempt
  const digest = digestOf(event, run.cwd)
  const answer = await retryWhileAway(deps.clock, () => deps.unusedAnswer(attempt.claim, digest))
  if (answer === undefined) return
  await buffer.flushed()
  await passAnswer(session, event.approvalId, answer)
}

/** A rule, the host or its end may have decided the approval meanwhile. */
async function passAnswer(session: AgentSession, hostId: string, answer: Answer): Promise<void> {
  try {
    await session.answer(hostId, answer)
  } catch (error) {
    if (!isAppError(error)) throw error
  }
}

async function sendNextTurn(
  { outcome, text }: Extract<AgentEvent, { event: "turn.ended" }>,
  pump: Pump,
): Promise<void> {
  const { session, buffer, attempt, deps } = pump
  await buffer.flushed()
  if (outcome === "completed") deps.turnEnded(attempt.run, buffer.progress(), text)
  const isOver = buffer.requestedEnd() !== undefined || pump.budget().kind === "spent"
  const turn = isOver
    ? undefined
    : await retryWhileAway(deps.clock, () => deps.nextTurn(attempt.run))
  const isOurs = turn !== undefined && (await buffer.addMessage(turn.message, turn.id))
  if (isOurs) await session.send(turn.text)
  else await session.stop()
}
