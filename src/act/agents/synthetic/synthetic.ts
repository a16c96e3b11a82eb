import { type Clock, isAppError, systemClock } from "#ground/base"
import type { AgentEvent, AgentMode } from "#ground/contract"
import type {
  Agent,
  AgentSession,
  Answer,
  Ask,
  CompleteOptions,
  StartOptions,
  Verdict,
} from "../agent.ts"
import { QuestionUnknown, SessionOver, TurnRunning } from "../errors.ts"
import {
  decideApproval,
  decideByMode,
  denialReason,
  emitRuleDecision,
} from "../wire/approval-decision.ts"
import { createEventEmitter, type EventEmitter } from "../wire/event-emitter.ts"
import { echo, readScript, type Step } from "./scripts.ts"

const TITLE = "Synthetic"

/** An agent that plays a script: no program, no key, no network, the same every time. */
export function createSynthetic(deps: { readonly clock: Clock }): Agent {
  let started = 0
  return {
    type: "synthetic",
    title: TITLE,
    async find() {
      return { kind: "found", program: "synthetic", version: undefined }
    },
    async start(options) {
      started += 1
      return startSession(options, deps.clock, options.resume ?? `synthetic-${started}`)
    },
    complete,
  }
}

export const synthetic: Agent = createSynthetic({ clock: systemClock })

type Session = {
  readonly emitter: EventEmitter
  readonly player: Player
  readonly state: {
    mode: AgentMode
    /** Ends the running turn. */
    turn: AbortController | undefined
    /** Resolves when the running turn is over. */
    ended: Promise<void>
  }
}

function startSession(options: StartOptions, clock: Clock, sessionId: string): AgentSession {
  const emitter = createEventEmitter(TITLE, options.redact)
  const state: Session["state"] = { mode: options.mode, turn: undefined, ended: Promise.resolve() }
  const { cwd, verdict } = options
  const player = createPlayer({ emitter, clock, cwd, verdict, mode: () => state.mode })
  const session = { emitter, player, state }
  options.signal.addEventListener("abort", () => void stop(session), { once: true })
  const steps = stepsFor(options, emitter)
  if (steps !== undefined) {
    emitter.emit(startOf(steps, options, sessionId))
    playTurn(session, steps)
  }
  return sessionOf(session)
}

/** The script's steps, or the echo of the prompt; undefined when the script is wrong. */
function stepsFor(options: StartOptions, emitter: EventEmitter): readonly Step[] | undefined {
  if (options.script === undefined) return echo(options.prompt)
  try {
    return readScript(options.script)
  } catch (error) {
    if (!isAppError(error)) throw error
    emitter.fail(error)
    return undefined
  }
}

/** A script may begin its session itself; most leave it to us. */
function startOf(steps: readonly Step[], options: StartOptions, sessionId: string) {
  const own = steps.find((it) => it.event.event === "session.started")?.event
  const { cwd, mode, model = "synthetic-1" } = options
  const started = { event: "session.started", sessionId, cwd, mode, model } as const
  return own ?? started
}

function playTurn(session: Session, steps: readonly Step[]): void {
  const { emitter, player, state } = session
  const turn = new AbortController()
  state.turn = turn
  emitter.emit({ event: "turn.started" })
  state.ended = player
    .play(steps, turn.signal)
    .then(
      () => endTurn(emitter, "completed"),
      () => endTurn(emitter, "stopped"),
    )
    .finally(() => {
      state.turn = undefined
    })
}

/** A script that does not end its turn has it ended; one that ends for good is fatal. */
function endTurn(emitter: EventEmitter, outcome: "completed" | "stopped"): void {
  if (emitter.isInTurn()) emitter.emit({ event: "turn.ended", outcome })
}

async function stop(session: Session): Promise<void> {
  session.emitter.removeLimit()
  session.state.turn?.abort()
  await session.state.ended
  session.emitter.end("stopped")
}

function sessionOf(session: Session): AgentSession {
  const { emitter, player, state } = session
  function checkOpen(): void {
    if (emitter.hasEnded()) throw SessionOver({ title: TITLE })
  }
  return {
    events: emitter.events,
    process: undefined,
    canSteer: false,
    async send(text) {
      checkOpen()
      if (emitter.isInTurn()) throw TurnRunning({ title: TITLE })
      playTurn(session, echo(text))
    },
    async answer(approvalId, answer) {
      checkOpen()
      player.answer(approvalId, answer)
    },
    async setMode(mode) {
      checkOpen()
      state.mode = mode
      emitter.emit({ event: "mode.changed", mode, by: "request" })
    },
    async interrupt() {
      checkOpen()
      state.turn?.abort()
      await state.ended
    },
    stop: () => stop(session),
  }
}

/** What a script may call a change of a file. */
const EDITS: ReadonlySet<string> = new Set(["Edit", "Write"])

type Approval = Extract<AgentEvent, { event: "approval.requested" }>

type Deps = {
  readonly emitter: EventEmitter
  readonly clock: Clock
  readonly cwd: string
  readonly verdict: ((ask: Ask) => Verdict | undefined) | undefined
  mode(): AgentMode
}

type Player = ReturnType<typeof createPlayer>

/** Plays the steps of one turn after another; questions wait for their answer. */
function createPlayer(deps: Deps) {
  const { emitter, clock } = deps
  const waiting = new Map<string, (answer: Answer) => void>()

  async function ask(approval: Approval, signal: AbortSignal): Promise<Answer> {
    const own = answerWithoutPerson(deps, approval)
    if (own !== undefined) return own
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    waiting.set(approval.approvalId, resolve)
    signal.addEventListener("abort", () => reject(new Error("the turn was ended")), { once: true })
    emitter.emit(approval)
    const answer = await promise.finally(() => waiting.delete(approval.approvalId))
    const { approvalId } = approval
    const { decision, by = "answer" } = answer
    emitter.emit({ event: "approval.resolved", approvalId, decision, by })
    return answer
  }

  return {
    /** Rejects when the signal ends the turn before its script. */
    async play(steps: readonly Step[], signal: AbortSignal): Promise<void> {
      const denied = new Set<string>()
      for (const { afterMs, event } of steps) {
        if (afterMs > 0) await clock.sleep(afterMs, signal)
        await emitter.waitForRoom()
        signal.throwIfAborted()
        const isSkipped = isOfDenied(event, denied)
        if (isSkipped) continue
        if (event.event === "approval.requested") {
          const { decision, note } = await ask(event, signal)
          if (decision === "deny") deny(emitter, denied, { event, note })
        } else if (event.event === "activity.updated") {
          // In whole lines, as the other agents do: half a key is not known for one.
          emitter.emitOutput(event.activityId, event.output)
          if (event.title !== undefined) emitter.emit({ ...event, output: "" })
        } else emitter.emit(event)
      }
    },
    answer(approvalId: string, answer: Answer): void {
      const resolve = waiting.get(approvalId)
      if (resolve === undefined) throw QuestionUnknown({ approvalId })
      // At once, so that a second answer finds nobody waiting.
      waiting.delete(approvalId)
      resolve(answer)
    },
  }
}

/** What the rules or the mode answer; undefined when a person must. */
function answerWithoutPerson(deps: Deps, approval: Approval): Answer | undefined {
  const { emitter, cwd } = deps
  const { tool, input } = approval
  const kind = EDITS.has(tool) ? "edit" : "command"
  const verdict = deps.verdict?.({ tool, kind, input, cwd })
  const own = decideApproval(deps.mode(), verdict, decideByMode(deps.mode(), kind))
  const { decision, by } = own
  if (decision === "ask") return undefined
  if (by === undefined) return { decision }
  emitRuleDecision(emitter, approval, { decision, by })
  return { decision, note: denialReason(own) }
}

/** What the script says about an activity that was denied did not happen. */
function isOfDenied(event: AgentEvent, denied: ReadonlySet<string>): boolean {
  const isOf = "activityId" in event && event.activityId !== undefined
  const isBelow = "parentId" in event && event.parentId !== undefined
  return (
    (isOf && denied.has(event.activityId ?? "")) || (isBelow && denied.has(event.parentId ?? ""))
  )
}

function deny(
  emitter: EventEmitter,
  denied: Set<string>,
  it: { readonly event: Approval; readonly note: string | undefined },
): void {
  const { activityId } = it.event
  if (activityId === undefined) return
  denied.add(activityId)
  const output = it.note ?? ""
  emitter.emit({ event: "activity.ended", activityId, outcome: "denied", output })
}

const MOST_WORDS = 6

/** The first words of the last line of the question: the same every time. */
async function complete({
  prompt,
  signal,
}: Pick<CompleteOptions, "prompt" | "signal">): Promise<string | undefined> {
  if (signal.aborted) return undefined
  const line = prompt.trimEnd().split("\n").at(-1) ?? ""
  const words = line.split(/\s+/).filter((it) => it !== "")
  return words.length === 0 ? undefined : words.slice(0, MOST_WORDS).join(" ")
}
