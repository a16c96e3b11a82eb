import { compareText } from "#ground/base"
import type { BoardEvent, TicketEvidence } from "#ground/contract"
import { NEW_TICKET, refuseMove, type TicketState } from "./legality.ts"
import type { LogRecord } from "./log-record.ts"

export type Replay = {
  readonly states: ReadonlyMap<string, TicketState>
  /** Oldest first. */
  readonly events: readonly BoardEvent[]
  readonly evidence: ReadonlyMap<string, readonly LogRecord[]>
  readonly highestOrder: number
}

/**
 * The state of the board as a function of the set of its records: the order of files, lines and
 * merges does not matter. An event that is illegal at its position has no effect.
 */
export function replayRecords(records: readonly LogRecord[]): Replay {
  const states = new Map<string, TicketState>()
  const evidence = new Map<string, LogRecord[]>()
  const passed = new Set<string>()
  const events: BoardEvent[] = []
  let highestOrder = 0
  for (const record of inOrder(records)) {
    highestOrder = Math.max(highestOrder, record.order)
    if (record.kind === "evidence") {
      const earlier = evidence.get(record.ticket)
      if (earlier === undefined) evidence.set(record.ticket, [record])
      else earlier.push(record)
      if (record.evidence?.exitCode === 0) passed.add(`${record.ticket} ${record.id}`)
      events.push(eventOf(record, undefined))
      continue
    }
    const state = states.get(record.ticket) ?? NEW_TICKET
    const isProved = (record.proof ?? []).every((id) => passed.has(`${record.ticket} ${id}`))
    const reason = isProved ? refuseMove(state, record)?.reason : "its evidence is not in the log"
    if (reason === undefined) states.set(record.ticket, applyMove(state, record))
    events.push(eventOf(record, reason))
  }
  return { states, events, evidence, highestOrder }
}

/** By Lamport clock; ties by time, then by id. A record that is in two files counts once. */
function inOrder(records: readonly LogRecord[]): readonly LogRecord[] {
  const unique = new Map<string, LogRecord>()
  for (const record of records) {
    const other = unique.get(record.id)
    const isFirst = other === undefined || JSON.stringify(record) < JSON.stringify(other)
    if (isFirst) unique.set(record.id, record)
  }
  return [...unique.values()].toSorted(
    (a, b) => a.order - b.order || a.ts - b.ts || compareText(a.id, b.id),
  )
}

function applyMove(state: TicketState, record: LogRecord): TicketState {
  const { from, to = state.lane, actor, kind, id, ts, commit } = record
  const hasStarted = kind === "move" && from === "backlog" && to === "working"
  const before = state.last?.before
  return {
    lane: to,
    since: ts,
    isAutomated: state.isAutomated || actor === "auto",
    isDropped: kind === "undo" ? (before?.isDropped ?? false) : isDrop(record),
    baseCommit: hasStarted ? commit : state.baseCommit,
    last: { id, before: withoutHistory(state) },
  }
}

function isDrop({ kind, from, to }: LogRecord): boolean {
  return kind === "move" && from === "backlog" && to === "conclusion"
}

/** One step back is enough to undo; a chain would grow with every move. */
function withoutHistory(state: TicketState): TicketState {
  return { ...state, last: undefined }
}

function eventOf(record: LogRecord, voidReason: string | undefined): BoardEvent {
  const { id, ticket, ts, kind, actor, session, by, from, to, inverse, undoes, feedback } = record
  return {
    id,
    ticket,
    at: ts,
    kind,
    actor,
    session,
    by: by ?? null,
    from: from ?? null,
    to: to ?? null,
    inverse: inverse ?? null,
    undoes: undoes ?? null,
    feedback: feedback ?? null,
    evidence: record.evidence === undefined ? null : evidenceOf(record, record.evidence),
    voidReason: voidReason ?? null,
  }
}

function evidenceOf(
  { id, ts }: LogRecord,
  facts: NonNullable<LogRecord["evidence"]>,
): TicketEvidence {
  return { id, at: ts, ...facts }
}
