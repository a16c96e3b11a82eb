import type { z } from "zod"
import type { AppError } from "#ground/base"
import { AgentEvent } from "#ground/contract"
import { AgentNotUnderstood } from "../errors.ts"
import { createBoundedQueue } from "./bounded-queue.ts"
import { createLiveOutput } from "./live-output.ts"
import { quote } from "./tool-text.ts"

/**
 * Lines that are not protocol messages: a host prints a few warnings, a wrong program prints
 * nothing else.
 */
export const MAX_NOISE_LINES = 1_000
export const MAX_SHOWN_NOISE_LINES = 20
/** A newer host sends a handful of unknown kinds. */
const MAX_SHOWN_KINDS = 100

export type EventEmitter = ReturnType<typeof createEventEmitter>

/**
 * Events are well-formed whatever the host sends: one `session.started`, turns that start before
 * they end, activities and approvals closed with their turn, nothing after the end.
 */
export function createEventEmitter(
  title: string,
  redact: (text: string) => string = (text) => text,
) {
  const liveOutput = createLiveOutput(redact)
  const queue = createBoundedQueue()
  const state = newState()
  let noiseLines = 0
  const unknownKinds = new Set<string>()

  function emit(event: z.input<typeof AgentEvent>, raw?: string): void {
    if (state.hasEnded) return
    const parsed = AgentEvent.safeParse(event)
    if (!parsed.success) return reportNoise(raw ?? event.event)
    const isFatal = parsed.data.event === "error" && parsed.data.isFatal
    if (isFatal && state.isInTurn) emit({ event: "turn.ended", outcome: "failed" })
    for (const event of wellFormed(state, parsed.data)) {
      if (event.event === "activity.ended") liveOutput.drop(event.activityId)
      queue.push(raw === undefined ? { event: event } : { event: event, raw })
    }
    if (isFatal) end("failed")
  }
  function reportNoise(text: string): void {
    noiseLines += 1
    if (noiseLines > MAX_NOISE_LINES) {
      fail(
        AgentNotUnderstood({
          title,
          what: `it printed ${MAX_NOISE_LINES} lines that are not protocol messages`,
        }),
      )
    } else if (noiseLines <= MAX_SHOWN_NOISE_LINES) {
      emit({ event: "message", type: "system", text: quote(redact(text)) }, text)
    }
  }
  function reportUnknown(kind: string, raw: string): void {
    if (unknownKinds.has(kind) || unknownKinds.size >= MAX_SHOWN_KINDS) return
    unknownKinds.add(kind)
    emit(
      {
        event: "message",
        type: "system",
        text: `${title} sent an unknown message: ${quote(redact(kind))}`,
      },
      raw,
    )
  }
  function fail(error: AppError): void {
    if (state.isInTurn) emit({ event: "turn.ended", outcome: "failed", error: error.message })
    const message = `${error.message} ${error.hint}`
    emit({ event: "error", message, code: error.code, isFatal: true })
  }
  function end(outcome: "failed" | "stopped"): void {
    if (state.hasEnded) return
    if (state.isInTurn) emit({ event: "turn.ended", outcome })
    for (const event of closeOpen(state)) queue.push({ event })
    state.hasEnded = true
    queue.end()
  }
  return {
    title,
    events: queue.events,
    redact,
    emit,
    /** Emits a chunk of output without its raw line, which may split a secret. */
    emitOutput(activityId: string, piece: string): void {
      const output = state.activities.has(activityId) ? liveOutput.take(activityId, piece) : ""
      if (output !== "") emit({ event: "activity.updated", activityId, output })
    },
    reportNoise,
    reportUnknown,
    fail,
    end,
    setStopping(how: StopState): void {
      state.stopping = how
    },
    waitForRoom: queue.waitForRoom,
    removeLimit: queue.removeLimit,
    hasStarted: () => state.hasStarted,
    isInTurn: () => state.isInTurn,
    hasEnded: () => state.hasEnded,
    isActivityOpen: (activityId: string) => state.activities.has(activityId),
    isApprovalOpen: (approvalId: string) => state.approvals.has(approvalId),
  }
}

/**
 * After a stop request a host still reports what it finished; one whose processes are killed may
 * report a killed command as done.
 */
type StopState = "asked" | "killed"

type State = {
  stopping: StopState | undefined
  hasStarted: boolean
  isInTurn: boolean
  hasEnded: boolean
  readonly activities: Set<string>
  readonly approvals: Set<string>
}

function newState(): State {
  return {
    stopping: undefined,
    hasStarted: false,
    isInTurn: false,
    hasEnded: false,
    activities: new Set(),
    approvals: new Set(),
  }
}

/**
 * Returns the event with the events that must precede it; nothing when it makes no sense in this
 * state.
 */
function wellFormed(state: State, event: AgentEvent): readonly AgentEvent[] {
  switch (event.event) {
    case "session.started": {
      const isFirst = !state.hasStarted
      state.hasStarted = true
      return isFirst ? [event] : []
    }
    case "turn.started": {
      const isFirst = !state.isInTurn
      state.isInTurn = true
      return isFirst ? [event] : []
    }
    case "turn.ended":
      return endTurn(state, event)
    case "activity.started":
      return tryAdd(state.activities, event.activityId) ? [event] : []
    case "activity.updated":
      return state.activities.has(event.activityId) ? [event] : []
    case "activity.ended":
      return state.activities.delete(event.activityId) ? [withStopOutcome(state, event)] : []
    case "approval.requested":
      return tryAdd(state.approvals, event.approvalId) ? [event] : []
    case "approval.resolved":
      return state.approvals.delete(event.approvalId) ? [event] : []
    default:
      return [event]
  }
}

function tryAdd(ids: Set<string>, id: string): boolean {
  const isNew = !ids.has(id)
  ids.add(id)
  return isNew
}

type ActivityEnded = Extract<AgentEvent, { event: "activity.ended" }>

function withStopOutcome({ stopping }: State, event: ActivityEnded): ActivityEnded {
  const isTrusted = stopping === undefined || (stopping === "asked" && event.outcome === "done")
  return isTrusted ? event : { ...event, outcome: "stopped" }
}

function endTurn(
  state: State,
  event: Extract<AgentEvent, { event: "turn.ended" }>,
): readonly AgentEvent[] {
  const start: readonly AgentEvent[] = state.isInTurn ? [] : [{ event: "turn.started" }]
  const isStopped = state.stopping !== undefined && event.outcome === "failed"
  state.isInTurn = false
  state.stopping = undefined
  return [...start, ...closeOpen(state), isStopped ? { ...event, outcome: "stopped" } : event]
}

function closeOpen(state: State): readonly AgentEvent[] {
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
