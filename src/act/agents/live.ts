import { isAppError } from "#ground/base"
import type { AgentEvent, RunStatus } from "#ground/contract"
import type { AgentSession, Answer } from "./agent.ts"
import { MOST_WAITING_MESSAGES } from "./limits.ts"
import { setChild } from "./queries.ts"
import { createState, type Job, type LiveDeps, type State } from "./state.ts"
import { isEnded } from "./status.ts"
import type { Draft } from "./transcript.ts"

/** A run at work, as far as others may reach into it. */
export type Live = {
  answer(hostId: string, answer: Answer): Promise<void>
  interrupt(): Promise<void>
  stop(): Promise<void>
  /** Resolves with how it ended. */
  readonly done: Promise<RunStatus>
}

/** Starts an agent and keeps what it says until it ends. It never throws: a failure is a message. */
export async function goLive(job: Job, deps: LiveDeps): Promise<Live> {
  const state = createState(job, deps)
  const session = await startSession(job)
  if ("failure" in session) {
    return { ...DEAD, done: state.fail(session.failure) }
  }
  await noteChild(session, job, deps)
  return {
    answer: (hostId, answer) => session.answer(hostId, answer),
    interrupt: () => session.interrupt(),
    async stop() {
      state.wantStop()
      await session.stop()
    },
    done: listen(session, state, { job, deps }),
  }
}

/** So that a later process of ours can tell it from another with the same number. */
async function noteChild(session: AgentSession, { claim }: Job, deps: LiveDeps): Promise<void> {
  if (session.process === undefined) return
  const { pid, startedAt = "" } = session.process
  await deps.db.run(setChild(claim.runId, claim.fence, { pid, startedAt }))
}

const DEAD = {
  answer: async () => {},
  interrupt: async () => {},
  stop: async () => {},
}

async function startSession(job: Job): Promise<AgentSession | { readonly failure: string }> {
  try {
    return await job.agent.start(job.options)
  } catch (error) {
    if (!isAppError(error)) throw error
    return { failure: `${error.message} ${error.hint}` }
  }
}

/** Takes what the agent says as it comes, and writes as much at once as has come meanwhile. */
async function listen(
  session: AgentSession,
  state: State,
  { job, deps }: { readonly job: Job; readonly deps: LiveDeps },
): Promise<RunStatus> {
  let writing: Promise<void> = Promise.resolve()
  let isWriting = false
  let isLost = false
  const drain = async (): Promise<void> => {
    while (state.waits() > 0 && !isLost) isLost = !(await state.flush())
    isWriting = false
  }
  const kick = (): void => {
    if (isWriting) return
    isWriting = true
    writing = drain()
  }
  for await (const heard of session.events) {
    if (heard.event.event === "text.delta") {
      deps.tellDelta(job.run.id, { ...heard.event, text: deps.redact(heard.event.text) })
      continue
    }
    state.hear(heard)
    kick()
    if (state.waits() >= MOST_WAITING_MESSAGES) await writing
    if (isLost) break
    await react(heard.event, { session, state, job, deps, settled: () => writing })
  }
  await session.stop()
  await writing
  if (isLost) return "interrupted"
  return state.end(endingOf(state))
}

function endingOf(state: State): RunStatus {
  const { status, error } = state.progress()
  if (state.isStopWanted()) return "stopped"
  if (isEnded(status)) return status
  const isDone = status === "paused" && error === null
  return isDone ? "completed" : "failed"
}

type Reaction = {
  readonly session: AgentSession
  readonly state: State
  readonly job: Job
  readonly deps: LiveDeps
  settled(): Promise<void>
}

/** What we do about what an agent said. */
async function react(event: AgentEvent, it: Reaction): Promise<void> {
  const { session, state, job, deps } = it
  if (event.event === "session.started") {
    const context = await deps.contextMessage(event.cwd)
    await it.settled()
    if (context !== undefined) await state.say(context)
  }
  if (event.event === "cost") {
    await it.settled()
    const budget = state.budget()
    if (budget.kind === "warned")
      await state.say(systemDraft(`Budget nearly spent: ${budget.says}`))
    if (budget.kind === "spent") {
      state.wantStop()
      await state.say(
        systemDraft(`Stopped before the next call, the budget is spent: ${budget.says}`),
      )
      await session.stop()
    }
  }
  if (event.event === "turn.ended") {
    await it.settled()
    const text = state.isStopWanted() ? undefined : await deps.nextTurn(job.run.id)
    if (text === undefined) await session.stop()
    else await session.send(text)
  }
}

function systemDraft(content: string): Draft {
  return { type: "system", role: "system", content, metadata: {} }
}
