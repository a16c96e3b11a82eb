import { isAppError, type ProcessIdentity } from "#ground/base"
import type { AgentEvent, AgentMode, RunStatus } from "#ground/contract"
import type { AgentSession, Answer } from "../../agent.ts"
import type { Draft } from "../../event-message.ts"
import { MOST_WAITING_MESSAGES } from "../../limits.ts"
import { isEnded } from "../../status.ts"
import { setChild } from "../kept/queries.ts"
import { digestOf } from "./asking.ts"
import { createDeltas } from "./deltas.ts"
import { isSessionGone } from "./expiry.ts"
import { createMeter } from "./meter.ts"
import { createState, type Job, type LiveDeps, type State } from "./state.ts"

/** How the work of one process of an agent ended; `gone`: the host no longer has the session. */
export type Ended = RunStatus | "gone"

/** A run at work, as far as others may reach into it. */
export type Live = {
  readonly canSteer: boolean
  /** By our name of the question; false when this process did not ask it. */
  answer(approvalId: string, answer: Answer): Promise<boolean>
  /** Into the running turn; false when the agent cannot take it now. */
  steer(text: string, draft: Draft): Promise<boolean>
  setMode(mode: AgentMode): Promise<void>
  stop(as: "stopped" | "interrupted"): Promise<void>
  readonly done: Promise<Ended>
}

/** Starts an agent and keeps what it says until it ends. It never throws: a failure is a message. */
export async function goLive(job: Job, deps: LiveDeps): Promise<Live> {
  const state = createState(job, deps)
  const session = await startSession(job, deps)
  if ("failure" in session) return { ...DEAD, done: state.fail(session.failure) }
  return {
    canSteer: session.canSteer,
    async answer(approvalId, answer) {
      const hostId = state.hostIdOf(approvalId)
      if (hostId !== undefined) await handOn(session, hostId, answer)
      return hostId !== undefined
    },
    setMode: (mode) => session.setMode(mode),
    async steer(text, draft) {
      if (!session.canSteer || state.progress().status !== "running") return false
      await session.send(text)
      await state.say(draft)
      return true
    },
    async stop(as) {
      state.wantEnd(as)
      await session.stop()
    },
    done: listen(session, state, { job, deps }),
  }
}

/** So that a later process of ours can tell it from another with the same number. */
async function noteChild(
  { pid, startedAt = "" }: ProcessIdentity,
  { claim }: Job,
  deps: LiveDeps,
): Promise<void> {
  await deps.db.run(setChild(claim.runId, claim.fence, { pid, startedAt }))
}

const DEAD = {
  canSteer: false,
  answer: async () => false,
  setMode: async () => {},
  steer: async () => false,
  stop: async () => {},
}

async function startSession(
  job: Job,
  deps: LiveDeps,
): Promise<AgentSession | { readonly failure: string }> {
  const onStarted = (process: ProcessIdentity): Promise<void> => noteChild(process, job, deps)
  try {
    return await job.agent.start({ ...job.options, onStarted })
  } catch (error) {
    if (!isAppError(error)) throw error
    return { failure: `${error.message} ${error.hint}` }
  }
}

type Place = { readonly job: Job; readonly deps: LiveDeps }

/** Takes what the agent says as it comes, and writes as much at once as has come meanwhile. */
async function listen(session: AgentSession, state: State, { job, deps }: Place): Promise<Ended> {
  const runId = job.run.id
  const writing = createWriting(state)
  const deltas = createDeltas({
    ...deps,
    tell: (text, parentId) => deps.tellDelta({ runId, parentId, text }),
  })
  const reaction = { session, state, job, deps, meter: createMeter(), settled: writing.settled }
  const isGoneBy = createGoneCheck(job)
  let isGone = false
  try {
    for await (const heard of session.events) {
      const { event } = heard
      deltas.hear(event)
      if (event.event === "text.delta") continue
      isGone = isGoneBy(event)
      if (isGone) break
      state.hear(heard)
      writing.kick()
      if (state.waits() >= MOST_WAITING_MESSAGES) await writing.settled()
      if (writing.isOver()) break
      await react(event, reaction)
    }
  } finally {
    // Whatever went wrong, the agent does not work on.
    deltas.close()
    await session.stop()
    await writing.settled()
  }
  writing.throwIfFailed()
  if (isGone && state.wantedEnd() === undefined) return "gone"
  return writing.isOver() ? "interrupted" : state.end(endingOf(state))
}

/** Only before the first turn is done: later the words that failed are not those to send again. */
function createGoneCheck({ mayRestart }: Job) {
  let isFirst = mayRestart
  return (event: AgentEvent): boolean => {
    const isGone = isFirst && isOfGoneSession(event)
    if (event.event === "turn.ended") isFirst = false
    return isGone
  }
}

function isOfGoneSession(event: AgentEvent): boolean {
  if (event.event === "error") return event.isFatal && isSessionGone(event.message)
  return event.event === "turn.ended" && isSessionGone(event.error ?? "")
}

/** One write at a time, of all that waits, until one fails or finds that the run is another's. */
function createWriting(state: State) {
  let writing: Promise<void> = Promise.resolve()
  let isWriting = false
  let isLost = false
  let failed: { readonly error: unknown } | undefined
  const isOver = (): boolean => isLost || failed !== undefined
  const drain = async (): Promise<void> => {
    try {
      while (state.waits() > 0 && !isOver()) isLost = !(await state.flush())
    } catch (error) {
      failed = { error }
    }
    isWriting = false
  }
  return {
    kick(): void {
      if (isWriting) return
      isWriting = true
      writing = drain()
    },
    settled: () => writing,
    isOver,
    throwIfFailed(): void {
      if (failed !== undefined) throw failed.error
    },
  }
}

function endingOf(state: State): RunStatus {
  const { status, error } = state.progress()
  const wanted = state.wantedEnd()
  if (wanted !== undefined) return wanted
  if (isEnded(status)) return status
  const isDone = status === "paused" && error === null
  return isDone ? "completed" : "failed"
}

type Reaction = {
  readonly session: AgentSession
  readonly state: State
  readonly job: Job
  readonly deps: LiveDeps
  readonly meter: ReturnType<typeof createMeter>
  settled(): Promise<void>
}

/** What we do about what an agent said. */
async function react(event: AgentEvent, it: Reaction): Promise<void> {
  switch (event.event) {
    case "session.started":
      return showContext(event.cwd, it)
    case "cost":
      return watchBudget(it)
    case "approval.requested":
      return answerAsBefore(event, it)
    case "context.usage":
      return watchWindow(event, it)
    case "turn.ended":
      return takeNextTurn(event, it)
    default:
      return undefined
  }
}

async function showContext(cwd: string, { state, job, deps, settled }: Reaction): Promise<void> {
  const context = await deps.contextMessage(job.run, cwd).catch((error: unknown) => {
    deps.log.warn("context not captured", { run: job.run.id, error: String(error) })
    return systemDraft("What is in the agent's context could not be captured; the log says why")
  })
  await settled()
  if (context !== undefined) await state.say(context)
}

async function watchBudget({ session, state, settled }: Reaction): Promise<void> {
  await settled()
  if (state.markBudgetBlind()) {
    await state.say(systemDraft("The budget in dollars cannot be watched: this model has no price"))
  }
  const budget = state.budget()
  if (budget.kind === "warned") await state.say(systemDraft(`Budget nearly spent: ${budget.says}`))
  if (budget.kind !== "spent") return
  state.wantEnd("stopped")
  await state.say(systemDraft(`Stopped before the next call, the budget is spent: ${budget.says}`))
  await session.stop()
}

type Usage = Extract<AgentEvent, { event: "context.usage" }>

async function watchWindow(event: Usage, { state, meter, settled }: Reaction): Promise<void> {
  const warning = meter.take(event)
  if (warning === undefined) return
  await settled()
  await state.say(systemDraft(warning))
}

type Question = Extract<AgentEvent, { event: "approval.requested" }>

/** A person answered this very question, and the process in between ended before it was told. */
async function answerAsBefore(asked: Question, it: Reaction): Promise<void> {
  const { run } = it.job
  const answer = await it.deps.unusedAnswer(run.id, digestOf(asked, run.cwd))
  if (answer === undefined) return
  await it.settled()
  await handOn(it.session, asked.approvalId, answer)
}

/** A question that a rule, the host or its end has settled meanwhile needs no answer. */
async function handOn(session: AgentSession, hostId: string, answer: Answer): Promise<void> {
  try {
    await session.answer(hostId, answer)
  } catch (error) {
    if (!isAppError(error)) throw error
  }
}

type TurnEnded = Extract<AgentEvent, { event: "turn.ended" }>

async function takeNextTurn({ outcome, text }: TurnEnded, it: Reaction): Promise<void> {
  const { session, state, job, deps } = it
  await it.settled()
  if (outcome === "completed") deps.turnEnded(job.run, state.progress(), text)
  const isOver = state.wantedEnd() !== undefined || state.budget().kind === "spent"
  const turn = isOver ? undefined : await deps.nextTurn(job.run)
  const isOurs = turn !== undefined && (await state.say(turn.draft, turn.id))
  if (isOurs) await session.send(turn.text)
  else await session.stop()
}

export function systemDraft(content: string): Draft {
  return { type: "system", role: "system", content, metadata: {} }
}
