import type { z } from "zod"
import type { AppError } from "#ground/base"
import { AgentEvent } from "#ground/contract"
import { AgentNotUnderstood } from "./errors.ts"
import { MOST_NOISE_LINES, MOST_SHOWN_KINDS, MOST_SHOWN_NOISE_LINES } from "./limits.ts"
import { createLiveOutput, type LiveOutput } from "./live-output.ts"
import { createOutbox, type Outbox } from "./outbox.ts"
import { quote } from "./text.ts"

type Said = AgentEvent
type Loose = z.input<typeof AgentEvent>

export type Telling = ReturnType<typeof createTelling>

/**
 * What one session tells, kept well-formed whatever the host says: one session.started, turns that
 * begin before they end, activities and approvals that are closed with their turn, nothing after
 * the end, and no event that is not of the vocabulary.
 */
export function createTelling(title: string, redact: Redact = (text) => text) {
  const live = createLiveOutput(redact)
  const tale: Tale = { title, redact, live, outbox: createOutbox(), state: newState() }
  const { outbox, state } = tale
  return {
    title,
    events: outbox.events,
    /** For whatever is cut before it is told. */
    redact,
    say: (event: Loose, raw?: string) => say(tale, event, raw),
    /** A piece of what an activity puts out; nothing of the raw line, which may cut a secret. */
    output(activityId: string, piece: string): void {
      const output = state.activities.has(activityId) ? live.take(activityId, piece) : ""
      if (output !== "") say(tale, { event: "activity.updated", activityId, output })
    },
    /** A line that is no message at all. */
    noise: (text: string) => noise(tale, text),
    /** A kind of message we do not know: shown once, with its own words beside it. */
    unknown(kind: string, raw: string): void {
      const isNew = !state.kinds.has(kind) && state.kinds.size < MOST_SHOWN_KINDS
      if (!isNew) return
      state.kinds.add(kind)
      say(
        tale,
        { event: "message", type: "system", text: `${title} said: ${quote(redact(kind))}` },
        raw,
      )
    },
    /** The one fatal error of a session, and its last word. */
    fail: (error: AppError) => fail(tale, error),
    end: (outcome: "failed" | "stopped") => end(tale, outcome),
    /** The turn is being ended: what ends from now on was stopped. */
    stopping(how: Stopping): void {
      state.stopping = how
    },
    room: () => outbox.room(),
    unlimit: () => outbox.unlimit(),
    hasStarted: () => state.hasStarted,
    isTurning: () => state.isTurning,
    isOver: () => state.isOver,
    isOpen: (activityId: string) => state.activities.has(activityId),
    isWaiting: (approvalId: string) => state.approvals.has(approvalId),
  }
}

type Redact = (text: string) => string

type Tale = {
  readonly title: string
  readonly redact: Redact
  readonly live: LiveOutput
  readonly outbox: Outbox
  readonly state: State
}

function say(tale: Tale, event: Loose, raw?: string): void {
  const { outbox, state } = tale
  if (state.isOver) return
  const parsed = AgentEvent.safeParse(event)
  if (!parsed.success) return noise(tale, raw ?? event.event)
  const isFatal = parsed.data.event === "error" && parsed.data.isFatal
  if (isFatal && state.isTurning) say(tale, { event: "turn.ended", outcome: "failed" })
  for (const it of wellFormed(state, parsed.data)) {
    if (it.event === "activity.ended") tale.live.drop(it.activityId)
    outbox.push(raw === undefined ? { event: it } : { event: it, raw })
  }
  if (isFatal) end(tale, "failed")
}

function noise(tale: Tale, text: string): void {
  const { title, state } = tale
  state.noiseLines += 1
  if (state.noiseLines > MOST_NOISE_LINES) {
    fail(tale, AgentNotUnderstood({ title, what: `${MOST_NOISE_LINES} lines were no messages` }))
  } else if (state.noiseLines <= MOST_SHOWN_NOISE_LINES) {
    say(tale, { event: "message", type: "system", text: quote(tale.redact(text)) }, text)
  }
}

function fail(tale: Tale, error: AppError): void {
  const { state } = tale
  if (state.isTurning) say(tale, { event: "turn.ended", outcome: "failed", error: error.message })
  const message = `${error.message} ${error.hint}`
  say(tale, { event: "error", message, code: error.code, isFatal: true })
}

function end(tale: Tale, outcome: "failed" | "stopped"): void {
  const { state, outbox } = tale
  if (state.isOver) return
  if (state.isTurning) say(tale, { event: "turn.ended", outcome })
  for (const it of closing(state)) outbox.push({ event: it })
  state.isOver = true
  outbox.end()
}

/**
 * A host that was asked to stop still tells what it did finish. One whose processes are being ended
 * may take a command that was killed for one that is done.
 */
type Stopping = "asked" | "killed"

type State = {
  stopping: Stopping | undefined
  hasStarted: boolean
  isTurning: boolean
  isOver: boolean
  noiseLines: number
  readonly activities: Set<string>
  readonly approvals: Set<string>
  readonly kinds: Set<string>
}

function newState(): State {
  return {
    stopping: undefined,
    hasStarted: false,
    isTurning: false,
    isOver: false,
    noiseLines: 0,
    activities: new Set(),
    approvals: new Set(),
    kinds: new Set(),
  }
}

/** The event, with what has to come before it; nothing when it makes no sense here. */
function wellFormed(state: State, event: Said): readonly Said[] {
  switch (event.event) {
    case "session.started":
      return first(state, "hasStarted") ? [event] : []
    case "turn.started":
      return first(state, "isTurning") ? [event] : []
    case "turn.ended":
      return endTurn(state, event)
    case "activity.started":
      return added(state.activities, event.activityId) ? [event] : []
    case "activity.updated":
      return state.activities.has(event.activityId) ? [event] : []
    case "activity.ended":
      return state.activities.delete(event.activityId) ? [asStopped(state, event)] : []
    case "approval.requested":
      return added(state.approvals, event.approvalId) ? [event] : []
    case "approval.resolved":
      return state.approvals.delete(event.approvalId) ? [event] : []
    default:
      return [event]
  }
}

function first(state: State, flag: "hasStarted" | "isTurning"): boolean {
  const isFirst = !state[flag]
  Object.assign(state, { [flag]: true })
  return isFirst
}

function added(ids: Set<string>, id: string): boolean {
  const isNew = !ids.has(id)
  ids.add(id)
  return isNew
}

function asStopped(state: State, event: Ended): Ended {
  const isTrusted = state.stopping === "asked" && event.outcome === "done"
  return state.stopping === undefined || isTrusted ? event : { ...event, outcome: "stopped" }
}

type Ended = Extract<Said, { event: "activity.ended" }>
type TurnEnded = Extract<Said, { event: "turn.ended" }>

function endTurn(state: State, event: TurnEnded): readonly Said[] {
  const before = state.isTurning ? [] : [{ event: "turn.started" } as const]
  const open = closing(state)
  const isStopped = state.stopping !== undefined && event.outcome === "failed"
  Object.assign(state, { isTurning: false, stopping: undefined })
  return [...before, ...open, isStopped ? { ...event, outcome: "stopped" } : event]
}

/** What nobody will answer or end any more. */
function closing(state: State): readonly Said[] {
  const approvals = [...state.approvals].map(
    (approvalId) =>
      ({ event: "approval.resolved", approvalId, decision: "expired", by: "agent" }) as const,
  )
  const activities = [...state.activities].map(
    (activityId) =>
      ({ event: "activity.ended", activityId, outcome: "stopped", output: "" }) as const,
  )
  state.approvals.clear()
  state.activities.clear()
  return [...approvals, ...activities]
}
