import { type Clock, isAppError, systemClock } from "#ground/base"
import type { AgentEvent } from "#ground/contract"
import type { Agent, AgentSession, Answer, CompleteOptions, StartOptions } from "../agent.ts"
import { QuestionUnknown, SessionOver, TurnRunning } from "../errors.ts"
import {
  decideApproval,
  decideByMode,
  denialReason,
  emitRuleDecision,
} from "../wire/approval-decision.ts"
import { createEventEmitter, type EventEmitter } from "../wire/event-emitter.ts"
import { echo, readScript } from "./scripts.ts"
import type { Step } from "./steps.ts"

const TITLE = "Synthetic"

/** Plays a script: no program, no key, no network, the same every time. */
export function createSynthetic(deps: { readonly clock: Clock }): Agent {
  let sessions = 0
  return {
    type: "synthetic",
    title: TITLE,
    async find() {
      return { kind: "found", program: "synthetic", version: undefined }
    },
    async start(options) {
      sessions += 1
      return startSession(options, deps.clock, options.resume ?? `synthetic-${sessions}`)
    },
    complete,
  }
}

export const synthetic: Agent = createSynthetic({ clock: systemClock })

/** The first six words of the last line of the prompt. */
async function complete({ prompt, signal }: CompleteOptions): Promise<string | undefined> {
  if (signal.aborted) return undefined
  const line = prompt.trimEnd().split("\n").at(-1) ?? ""
  const words = line.split(/\s+/).filter((it) => it !== "")
  return words.length === 0 ? undefined : words.slice(0, 6).join(" ")
}

type Approval = Extract<AgentEvent, { event: "approval.requested" }>

function startSession(options: StartOptions, clock: Clock, sessionId: string): AgentSession {
  const emitter = createEventEmitter(TITLE, options.redact)
  const waiting = new Map<string, (answer: Answer) => void>()
  let { mode } = options
  let turn: AbortController | undefined
  let turnEnd: Promise<void> = Promise.resolve()

  /** Returns undefined when the user must answer. */
  function answerWithoutPerson(approval: Approval): Answer | undefined {
    const { tool, input } = approval
    const kind = tool === "Edit" || tool === "Write" ? "edit" : "command"
    const verdict = options.verdict?.({ tool, kind, input, cwd: options.cwd })
    const decided = decideApproval(mode, verdict, decideByMode(mode, kind))
    const { decision, by } = decided
    if (decision === "ask") return undefined
    if (by === undefined) return { decision }
    emitRuleDecision(emitter, approval, { decision, by })
    return { decision, note: denialReason(decided) }
  }
  async function ask(approval: Approval, signal: AbortSignal): Promise<Answer> {
    const own = answerWithoutPerson(approval)
    if (own !== undefined) return own
    const { approvalId } = approval
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    waiting.set(approvalId, resolve)
    signal.addEventListener("abort", () => reject(new Error("the turn was ended")), { once: true })
    emitter.emit(approval)
    const answer = await promise.finally(() => waiting.delete(approvalId))
    const { decision, by = "answer" } = answer
    emitter.emit({ event: "approval.resolved", approvalId, decision, by })
    return answer
  }
  async function play(steps: readonly Step[], signal: AbortSignal): Promise<void> {
    const denied = new Set<string>()
    for (const { afterMs, event } of steps) {
      if (afterMs > 0) await clock.sleep(afterMs, signal)
      await emitter.waitForRoom()
      signal.throwIfAborted()
      if (isOfDenied(event, denied)) continue
      if (event.event === "approval.requested") {
        const { decision, note: output = "" } = await ask(event, signal)
        const { activityId } = event
        if (decision !== "deny" || activityId === undefined) continue
        denied.add(activityId)
        emitter.emit({ event: "activity.ended", activityId, outcome: "denied", output })
      } else if (event.event === "activity.updated") {
        // In whole lines, as the other agents do: half a key is not recognised.
        emitter.emitOutput(event.activityId, event.output)
        if (event.title !== undefined) emitter.emit({ ...event, output: "" })
      } else emitter.emit(event)
    }
  }
  function playTurn(steps: readonly Step[]): void {
    const playing = new AbortController()
    turn = playing
    emitter.emit({ event: "turn.started" })
    const end = (outcome: "completed" | "stopped"): void => {
      if (emitter.isInTurn()) emitter.emit({ event: "turn.ended", outcome })
      turn = undefined
    }
    turnEnd = play(steps, playing.signal).then(
      () => end("completed"),
      () => end("stopped"),
    )
  }
  async function stop(): Promise<void> {
    emitter.removeLimit()
    turn?.abort()
    await turnEnd
    emitter.end("stopped")
  }
  function checkOpen(): void {
    if (emitter.hasEnded()) throw SessionOver({ title: TITLE })
  }

  options.signal.addEventListener("abort", () => void stop(), { once: true })
  const steps = stepsFor(options, emitter)
  if (steps !== undefined) {
    const own = steps.find((it) => it.event.event === "session.started")?.event
    const { cwd, model = "synthetic-1" } = options
    emitter.emit(own ?? { event: "session.started", sessionId, cwd, mode, model })
    playTurn(steps)
  }
  return {
    events: emitter.events,
    process: undefined,
    canSteer: false,
    async send(text) {
      checkOpen()
      if (emitter.isInTurn()) throw TurnRunning({ title: TITLE })
      playTurn(echo(text))
    },
    async answer(approvalId, answer) {
      checkOpen()
      const resolve = waiting.get(approvalId)
      if (resolve === undefined) throw QuestionUnknown({ approvalId })
      // Immediately, so that a second answer is refused.
      waiting.delete(approvalId)
      resolve(answer)
    },
    async setMode(newMode) {
      checkOpen()
      mode = newMode
      emitter.emit({ event: "mode.changed", mode, by: "request" })
    },
    async interrupt() {
      checkOpen()
      turn?.abort()
      await turnEnd
    },
    stop,
  }
}

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

/** Events of a denied activity did not happen. */
function isOfDenied(event: AgentEvent, denied: ReadonlySet<string>): boolean {
  const isOf = "activityId" in event && event.activityId !== undefined
  const isBelow = "parentId" in event && event.parentId !== undefined
  return (
    (isOf && denied.has(event.activityId ?? "")) || (isBelow && denied.has(event.parentId ?? ""))
  )
}
