import type { Cursor, JournalEntry } from "../contract.ts"
import { BASE_PATH } from "../data/base-path.ts"

export type LiveState = {
  readonly phase: LivePhase
  readonly cursor: Cursor | null
  readonly failures: number
}

export type LivePhase =
  | { readonly kind: "connecting" }
  | { readonly kind: "catching-up"; readonly until: Cursor; readonly events: number }
  | { readonly kind: "caught-up"; readonly events: number }
  | { readonly kind: "live" }
  | { readonly kind: "reconnecting"; readonly retryAt: number }

export type LiveInput =
  | { readonly kind: "subscribed"; readonly head: Cursor }
  | { readonly kind: "resync"; readonly head: Cursor }
  | { readonly kind: "received"; readonly entries: readonly JournalEntry[]; readonly head: Cursor }
  /** The server rejected the cursor; start without one. */
  | { readonly kind: "refused" }
  | { readonly kind: "cut"; readonly cursor?: Cursor | undefined }
  | { readonly kind: "lost"; readonly now: number }
  | { readonly kind: "rested" }

export type LiveStep = {
  readonly state: LiveState
  readonly fresh: readonly JournalEntry[]
  readonly mustRefetch: boolean
}

export function startLive(cursor: Cursor | null): LiveState {
  return { phase: { kind: "connecting" }, cursor, failures: 0 }
}

export function stepLive(state: LiveState, input: LiveInput): LiveStep {
  switch (input.kind) {
    case "subscribed":
      return subscribed(state, input.head)
    case "resync":
      return {
        state: { phase: { kind: "live" }, cursor: input.head, failures: 0 },
        fresh: [],
        mustRefetch: true,
      }
    case "received":
      return received(state, input.entries)
    case "refused":
      return quiet({ ...state, cursor: null })
    case "cut":
      return quiet({ ...state, cursor: earlier(state.cursor, input.cursor) })
    case "lost":
      return quiet(lost(state, input.now))
    case "rested":
      return quiet(state.phase.kind === "caught-up" ? { ...state, phase: { kind: "live" } } : state)
    default:
      return input satisfies never
  }
}

const BACKOFF_SECONDS = [1, 2, 4, 8, 15] as const

export function backoffMs(failures: number): number {
  const last = BACKOFF_SECONDS.length - 1
  return (BACKOFF_SECONDS[Math.min(failures, last)] ?? 15) * 1_000
}

function subscribed(state: LiveState, head: Cursor): LiveStep {
  const { cursor } = state
  // Without a cursor the stream starts at the head. Events between the first responses and this
  // moment are in neither, so everything is refetched.
  if (cursor === null) {
    return {
      state: { phase: { kind: "live" }, cursor: head, failures: 0 },
      fresh: [],
      mustRefetch: true,
    }
  }
  const isBehind = cursor.epoch === head.epoch && cursor.seq < head.seq
  const phase: LivePhase = isBehind
    ? { kind: "catching-up", until: head, events: 0 }
    : { kind: "live" }
  return quiet({ phase, cursor, failures: 0 })
}

function received(state: LiveState, entries: readonly JournalEntry[]): LiveStep {
  const { cursor } = state
  const fresh = entries.filter((it) => isAfter(it, cursor))
  const newest = fresh.at(-1)
  const next = newest === undefined ? cursor : { epoch: newest.epoch, seq: newest.seq }
  return {
    state: { ...state, cursor: next, phase: phaseAfter(state.phase, next, fresh.length) },
    fresh,
    mustRefetch: false,
  }
}

function phaseAfter(phase: LivePhase, cursor: Cursor | null, count: number): LivePhase {
  if (phase.kind !== "catching-up") return phase
  const events = phase.events + count
  const isThere = cursor !== null && cursor.seq >= phase.until.seq
  return isThere ? { kind: "caught-up", events } : { ...phase, events }
}

function lost(state: LiveState, now: number): LiveState {
  const retryAt = now + backoffMs(state.failures)
  return { ...state, failures: state.failures + 1, phase: { kind: "reconnecting", retryAt } }
}

/** An event of another epoch is always new: a restored store starts a new history. */
function isAfter(entry: JournalEntry, cursor: Cursor | null): boolean {
  return cursor === null || entry.epoch !== cursor.epoch || entry.seq > cursor.seq
}

/** The server may have sent events that did not arrive, so the lower cursor is the safe one. */
function earlier(mine: Cursor | null, its: Cursor | undefined): Cursor | null {
  if (its === undefined) return mine
  if (mine === null || mine.epoch !== its.epoch) return its
  return mine.seq <= its.seq ? mine : its
}

function quiet(state: LiveState): LiveStep {
  return { state, fresh: [], mustRefetch: false }
}

/** Each repository has its own journal. */
const NAME = `qm.cursor${BASE_PATH}`

export const tabMemory = {
  load(): Cursor | null {
    try {
      return readCursor(sessionStorage.getItem(NAME))
    } catch {
      return null
    }
  },
  save(cursor: Cursor): void {
    try {
      sessionStorage.setItem(NAME, `${cursor.seq} ${cursor.epoch}`)
    } catch {
      // Storage is off or full; the cursor in memory is sufficient for this page.
    }
  },
}

export function readCursor(text: string | null): Cursor | null {
  const match = /^(\d{1,15}) (.+)$/.exec(text ?? "")
  const [, seq, epoch] = match ?? []
  return seq === undefined || epoch === undefined ? null : { epoch, seq: Number(seq) }
}
