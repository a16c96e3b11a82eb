import { compareText } from "#ground/base"
import {
  LANES,
  type Lane,
  type Ticket,
  type TicketPriority,
  type TicketProblem,
  type TicketSeverity,
} from "#ground/contract"
import { NEW_TICKET, type TicketState } from "../log/legality.ts"
import type { TicketEntry } from "./ticket-file.ts"

const DAY_MS = 86_400_000

/** Share of the time to the due date after which a ticket counts as due soon. */
const SOON_SHARE = 0.75

const PRIORITY_VALUE: Readonly<Record<TicketPriority, number>> = { P0: 13, P1: 8, P2: 3, P3: 1 }
const SEVERITY_VALUE: Readonly<Record<TicketSeverity, number>> = {
  critical: 8,
  major: 5,
  minor: 2,
  trivial: 1,
}
const URGENCY: Readonly<Record<Ticket["sla"]["state"], number>> = {
  none: 0,
  met: 0,
  soon: 3,
  overdue: 8,
}
const DEFAULT_SLA_DAYS: Readonly<Record<TicketPriority, number>> = { P0: 1, P1: 5, P2: 20, P3: 0 }

type States = ReadonlyMap<string, TicketState>

/** Tickets by lane, then by WSJF, then by number. */
export function rankTickets(
  entries: readonly TicketEntry[],
  states: States,
  nowMs: number,
): readonly Ticket[] {
  const numbers = assignNumbers(entries)
  const laneOf = new Map<string, Lane>(
    entries.map((it) => [it.id, states.get(it.id)?.lane ?? "backlog"]),
  )
  const tickets = entries.map((entry) => {
    const state = states.get(entry.id) ?? NEW_TICKET
    const open = entry.dependsOn.filter((id) => laneOf.get(id) !== "conclusion")
    return ticketOf(entry, { state, open, number: numbers.get(entry.id) ?? 0, nowMs })
  })
  return tickets.toSorted(compareTickets)
}

type TicketFacts = {
  readonly state: TicketState
  readonly open: readonly string[]
  readonly number: number
  readonly nowMs: number
}

function ticketOf(entry: TicketEntry, { state, open, number, nowMs }: TicketFacts): Ticket {
  const { id, title, type, priority, severity, complexity, createdAt, file } = entry
  const sla = slaOf(entry, state, nowMs)
  return {
    id,
    number,
    title,
    type,
    priority,
    severity,
    lane: state.lane,
    laneSince: state.since ?? createdAt,
    complexity,
    paths: [...entry.paths],
    dependencies: [...entry.dependsOn],
    openDependencies: [...open],
    acceptance: [...entry.acceptance],
    blockedReason: entry.blocked,
    sla,
    wsjf: roundScore((valueOf(entry) + URGENCY[sla.state]) / complexity),
    isReady: state.lane === "backlog" && open.length === 0 && entry.blocked === null,
    isAutomated: state.isAutomated,
    isDropped: state.isDropped,
    createdAt,
    file,
  }
}

function valueOf({ priority, severity }: Pick<Ticket, "priority" | "severity">): number {
  return PRIORITY_VALUE[priority] + (severity === null ? 0 : SEVERITY_VALUE[severity])
}

/** WSJF without the age, which would change `BOARD.md` without an event. */
export function lastingScore(ticket: Ticket): number {
  return roundScore(valueOf(ticket) / ticket.complexity)
}

function roundScore(score: number): number {
  return Math.round(score * 100) / 100
}

function slaOf(entry: TicketEntry, state: TicketState, nowMs: number): Ticket["sla"] {
  const days = entry.slaDays ?? DEFAULT_SLA_DAYS[entry.priority]
  if (days === 0) return { days: null, dueAt: null, state: "none" }
  const dueAt = Math.round(entry.createdAt + days * DAY_MS)
  const until = state.lane === "conclusion" ? (state.since ?? nowMs) : nowMs
  const share = (until - entry.createdAt) / (days * DAY_MS)
  if (share > 1) return { days, dueAt, state: "overdue" }
  const isSoon = share >= SOON_SHARE && state.lane !== "conclusion"
  return { days, dueAt, state: isSoon ? "soon" : "met" }
}

function compareTickets(a: Ticket, b: Ticket): number {
  const lanes = LANES.indexOf(a.lane) - LANES.indexOf(b.lane)
  return lanes || b.wsjf - a.wsjf || a.number - b.number || compareText(a.id, b.id)
}

/** Two clones may give the same number: the older ticket keeps it, the other gets the next free one. */
function assignNumbers(entries: readonly TicketEntry[]): ReadonlyMap<string, number> {
  const sorted = entries.toSorted((a, b) => a.createdAt - b.createdAt || compareText(a.id, b.id))
  const numbers = new Map<string, number>()
  const used = new Set<number>()
  for (const { id, number } of sorted) {
    if (number === undefined || used.has(number)) continue
    used.add(number)
    numbers.set(id, number)
  }
  let next = Math.max(0, ...used)
  for (const { id } of sorted) if (!numbers.has(id)) numbers.set(id, ++next)
  return numbers
}

type Dependent = Pick<TicketEntry, "dependsOn" | "id">

/** The way from a ticket back to itself; undefined if there is none. */
export function findCycle(
  entries: readonly Dependent[],
  from: string,
): readonly string[] | undefined {
  const byId = new Map(entries.map((it) => [it.id, it]))
  const visited = new Set<string>()
  const ways: (readonly string[])[] = [[from]]
  for (let way = ways.pop(); way !== undefined; way = ways.pop()) {
    for (const next of byId.get(way.at(-1) ?? "")?.dependsOn ?? []) {
      if (next === from) return [...way, from]
      if (visited.has(next)) continue
      visited.add(next)
      ways.push([...way, next])
    }
  }
  return undefined
}

/** Cycles and missing tickets in files that people edited. */
export function graphProblems(entries: readonly TicketEntry[]): readonly TicketProblem[] {
  const ids = new Set(entries.map((it) => it.id))
  const reported = new Set<string>()
  return entries.flatMap((entry) => {
    const { file } = entry
    const missing = entry.dependsOn.filter((id) => !ids.has(id))
    const problems = missing.map((id) => ({
      file,
      problem: `it depends on ${id}, which is missing`,
    }))
    const isCandidate = entry.dependsOn.length > 0 && !reported.has(entry.id)
    const cycle = isCandidate ? findCycle(entries, entry.id) : undefined
    for (const id of cycle ?? []) reported.add(id)
    const wrong = cycle === undefined ? [] : [`its dependencies form a cycle: ${cycle.join(" → ")}`]
    return [...problems, ...wrong.map((problem) => ({ file, problem }))]
  })
}
