import type { Status } from "../../base/status.ts"
import { type BoardEvent, type Lane, plural, type Ticket } from "../../contract.ts"
import { paths } from "../../data/paths.ts"

export const NO_TICKET = {
  code: "BOARD_TICKET_NOT_FOUND",
  text: "No ticket has this id.",
  all: "All tickets",
  href: paths.board(),
} as const

const LANE_ORDER = ["backlog", "working", "testing", "conclusion"] as const

export const LANE_MARKS: Readonly<Record<Lane, Status>> = {
  backlog: "queued",
  working: "running",
  testing: "waiting",
  conclusion: "done",
}

export const LANE_NAMES: Readonly<Record<Lane, string>> = {
  backlog: "Backlog",
  working: "Working",
  testing: "Testing",
  conclusion: "Conclusion",
}

const LEVELS = { P0: 4, P1: 3, P2: 2, P3: 1 } as const

export const levelOf = ({ priority }: Ticket): 1 | 2 | 3 | 4 => LEVELS[priority]

type Fact = { readonly text: string; readonly tone?: "warn" | "bad" }

/** The one fact of a card: the most urgent one. */
export function factOf(ticket: Ticket): Fact {
  const { lane, sla, openDependencies, blockedReason, acceptance } = ticket
  const isOpen = lane !== "conclusion"
  if (isOpen && sla.state === "overdue") return { text: "overdue", tone: "bad" }
  if (isOpen && openDependencies.length > 0)
    return { text: `↘ blocked by ${openDependencies.length}` }
  if (isOpen && blockedReason !== null) return { text: "blocked", tone: "warn" }
  if (lane === "testing") return { text: "waits for you", tone: "warn" }
  if (isOpen && sla.state === "soon") return { text: "due soon", tone: "warn" }
  if (ticket.isDropped) return { text: "dropped" }
  const done = acceptance.filter((it) => it.isDone).length
  if (lane !== "backlog" && acceptance.length > 0)
    return { text: `${done} of ${acceptance.length}` }
  return { text: plural(ticket.complexity, "point") }
}

export function matches(ticket: Ticket, text: string): boolean {
  const words = text.toLowerCase().split(/\s+/)
  const target = [ticket.id, `#${ticket.number}`, ticket.title, ticket.priority, ...ticket.paths]
    .join(" ")
    .toLowerCase()
  return words.every((it) => target.includes(it))
}

export function describeEvent(event: BoardEvent): string {
  const { kind, from, to, feedback, evidence } = event
  const by = `by ${describeActor(event)}`
  if (kind === "evidence") {
    const exit = evidence === null ? "" : `, ${describeExit(evidence.exitCode)}`
    return `${evidence?.command ?? "a command"} run ${by}${exit}`
  }
  if (kind === "reject") return `rejected ${by}: ${feedback ?? ""}`
  if (kind === "approve") return `approved ${by}`
  return `moved${kind === "undo" ? " back" : ""} from ${from} to ${to} ${by}`
}

function describeActor({ actor, by }: BoardEvent): string {
  const name = by?.agent ?? by?.person
  if (actor !== "auto") return name ?? "a person"
  return name === undefined ? "automation" : `automation (${name})`
}

export function describeExit(exitCode: number | null): string {
  return exitCode === null ? "ended by a signal" : `exit code ${exitCode}`
}

/** The lane that a key moves a ticket to; undefined at both ends. */
export function laneBeside(lane: Lane, step: 1 | -1): Lane | undefined {
  return LANE_ORDER[LANE_ORDER.indexOf(lane) + step]
}

export function promptOf({ id, title, acceptance }: Ticket, body: string): string {
  const criteria = acceptance.map((it) => `- ${it.text}`)
  return [
    `${title} (ticket ${id})`,
    ...(body.trim() === "" ? [] : ["", body.trim()]),
    ...(criteria.length === 0 ? [] : ["", "Acceptance criteria:", ...criteria]),
  ].join("\n")
}

/** Ids of events that undo would revert: the last effective move of each ticket, newest first. */
export function lastMoves(events: readonly BoardEvent[]): ReadonlySet<string> {
  const last = new Map<string, BoardEvent>()
  for (const it of events) {
    const counts = it.kind !== "evidence" && it.voidReason === null
    if (counts && !last.has(it.ticket)) last.set(it.ticket, it)
  }
  return new Set([...last.values()].filter((it) => it.kind !== "undo").map((it) => it.id))
}
