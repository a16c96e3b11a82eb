import { formatDuration, plural } from "#ground/base"
import type {
  Autonomy,
  autonomyOperations,
  Board,
  BoardEvent,
  BoardEvents,
  boardOperations,
  EvidenceCaptured,
  Ticket,
  TicketDetail,
  TicketEvidence,
  TicketList,
  TicketProblem,
  ticketOperations,
} from "#ground/contract"
import { table } from "../terminal/layout.ts"
import type { Screen } from "../terminal/screen.ts"
import { indentedTable, listing, quoted, rowLimit, rowText, section, timeText } from "./lines.ts"
import type { Renderers } from "./renderer.ts"

const FIRST_STEP = 'Add one with `qm ticket new "Round quotes to cents"`.'
const MOST_A_LANE = 20
const MOST_PROBLEMS = 12
const MOST_EVENTS = 20

function renderBoard(board: Board, screen: Screen): string {
  const { paint } = screen
  const broken = problemRows(board.problems, screen)
  if (board.total === 0) return [paint.muted(`No tickets yet. ${FIRST_STEP}`), ...broken].join("\n")
  const lanes = board.lanes.flatMap(({ lane, tickets, limit }) => {
    const own = board.tickets.filter((it) => it.lane === lane)
    if (own.length === 0 && tickets > 0) return []
    const shown = own.slice(0, rowLimit(MOST_A_LANE, screen))
    const count = limit > 0 ? `${tickets} of ${limit}` : `${tickets}`
    const left = own.length - shown.length
    return [
      "",
      `${paint.bold(lane)} ${limit > 0 && tickets > limit ? paint.warn(count) : paint.muted(count)}`,
      ...(shown.length === 0
        ? []
        : [
            indentedTable(
              ["Number", "Ticket", "Priority", "Title", "Status"],
              shown.map((it) => ticketRow(it, screen)),
              screen,
            ),
          ]),
      ...(left > 0 ? [paint.muted(`  and ${left} more; --json lists all`)] : []),
    ]
  })
  const head = `${paint.bold(plural(board.total, "ticket"))}${paint.muted(`, ${board.ready} ready`)}`
  return [head, ...lanes, ...broken].join("\n")
}

function ticketRow(ticket: Ticket, { paint }: Screen): readonly string[] {
  return [
    `#${ticket.number}`,
    ticket.id,
    ticket.priority,
    rowText(ticket.title),
    statusOf(ticket, paint),
  ]
}

function statusOf(ticket: Ticket, paint: Screen["paint"]): string {
  const { acceptance, openDependencies, blockedReason, sla, lane } = ticket
  const done = acceptance.filter((it) => it.isDone).length
  const isOpen = lane !== "conclusion"
  return [
    ...(ticket.isReady ? [paint.ok("ready")] : []),
    ...(isOpen && openDependencies.length > 0
      ? [paint.warn(`↘ blocked by ${openDependencies.length}`)]
      : []),
    ...(blockedReason === null ? [] : [paint.warn("blocked")]),
    ...(ticket.isDropped ? [paint.muted("dropped")] : []),
    ...(isOpen && (sla.state === "overdue" || sla.state === "soon")
      ? [sla.state === "overdue" ? paint.bad("overdue") : paint.warn("due soon")]
      : []),
    ...(acceptance.length === 0 ? [] : [paint.muted(`${done} of ${acceptance.length} criteria`)]),
  ].join(", ")
}

function problemRows(problems: readonly TicketProblem[], screen: Screen): readonly string[] {
  const rows = problems.map((it) => [rowText(it.file), screen.paint.muted(rowText(it.problem))])
  return section("Problems", rows, { screen, most: MOST_PROBLEMS, headings: ["File", "Problem"] })
}

function renderTickets({ tickets, total }: TicketList, screen: Screen): string {
  if (total === 0) return screen.paint.muted(`No ticket can start now. ${FIRST_STEP}`)
  const rows = tickets.map((it) => [
    `#${it.number}`,
    it.id,
    it.priority,
    it.wsjf.toFixed(1),
    rowText(it.title),
  ])
  return listing(["Number", "Ticket", "Priority", "Urgency", "Title"], rows, screen)
}

function renderDetail({ ticket, body, events, evidence }: TicketDetail, screen: Screen): string {
  const { paint, width } = screen
  const criteria = ticket.acceptance.map((it, at) => [
    `${at + 1}`,
    it.isDone ? paint.ok("met") : paint.warn("open"),
    rowText(it.text),
  ])
  return [
    paint.bold(rowText(`#${ticket.number} ${ticket.title}`, width)),
    "",
    table(factsOf(ticket), screen),
    ...(body === "" ? [] : ["", quoted(body)]),
    ...section("Acceptance", criteria, {
      screen,
      most: 100,
      headings: ["Number", "State", "Criterion"],
    }),
    ...section(
      "Evidence",
      evidence.map((it) => evidenceRow(it, screen)),
      { screen, most: MOST_EVENTS, headings: EVIDENCE_HEADINGS },
    ),
    ...section(
      "Events",
      events.map((it) => eventRow(it, screen)),
      {
        screen,
        most: MOST_EVENTS,
        headings: ["Time (UTC)", "Actor", "Event", "Move", "Note"],
      },
    ),
  ].join("\n")
}

const DUE_TEXTS = {
  none: "no deadline",
  met: "on time",
  soon: "due soon",
  overdue: "overdue",
} as const satisfies Record<Ticket["sla"]["state"], string>

function factsOf(ticket: Ticket): readonly (readonly string[])[] {
  const { sla, dependencies, openDependencies, paths, blockedReason } = ticket
  const due = sla.dueAt === null ? "" : `, due ${timeText(sla.dueAt)} (${DUE_TEXTS[sla.state]})`
  return [
    ["Ticket", ticket.id],
    ["Lane", `${ticket.lane} since ${timeText(ticket.laneSince)}`],
    ["Priority", `${ticket.priority}${due}`],
    ...(ticket.severity === null ? [] : [["Severity", ticket.severity]]),
    ["Size", `${plural(ticket.complexity, "point")}, urgency ${ticket.wsjf.toFixed(1)}`],
    ...(dependencies.length === 0
      ? []
      : [["Depends on", `${dependencies.join(", ")} (${openDependencies.length} open)`]]),
    ...(blockedReason === null ? [] : [["Blocked", rowText(blockedReason)]]),
    ...(paths.length === 0 ? [] : [["Paths", rowText(paths.join(", "))]]),
    ["File", rowText(ticket.file)],
  ]
}

const EVIDENCE_HEADINGS = ["Time (UTC)", "Result", "Tree", "Duration", "Command"]

function evidenceRow(evidence: TicketEvidence, { paint }: Screen): readonly string[] {
  const { exitCode, tree, durationMs, at } = evidence
  const result = exitCode === null ? "ended by a signal" : `exit code ${exitCode}`
  return [
    timeText(at),
    exitCode === 0 ? paint.ok(result) : paint.bad(result),
    `tree ${tree.slice(0, 7)}`,
    formatDuration(durationMs),
    rowText(evidence.command),
  ]
}

function eventRow(event: BoardEvent, { paint }: Screen): readonly string[] {
  const { kind, from, to, voidReason, feedback, by } = event
  const move = kind === "evidence" ? (event.evidence?.command ?? "") : `${from} → ${to}`
  const notes = [
    ...(by?.agent === undefined ? [] : [`by ${by.agent}`]),
    ...(feedback === null ? [] : [feedback]),
    ...(voidReason === null ? [] : [`no effect: ${voidReason}`]),
  ]
  return [
    timeText(event.at),
    event.actor,
    kind,
    rowText(move),
    (voidReason === null ? paint.muted : paint.warn)(rowText(notes.join("; "))),
  ]
}

function renderEvents({ events, total, problems }: BoardEvents, screen: Screen): string {
  const broken = problemRows(problems, screen)
  if (total === 0)
    return [screen.paint.muted("No ticket has been moved yet."), ...broken].join("\n")
  const rows = events.map((it) => [it.ticket, ...eventRow(it, screen)])
  return [
    listing(["Ticket", "Time (UTC)", "Actor", "Event", "Move", "Note"], rows, screen),
    ...broken,
  ].join("\n")
}

function renderTicket(ticket: Ticket, screen: Screen): string {
  const { paint, width } = screen
  const title = rowText(`#${ticket.number} ${ticket.title}`, width - 30)
  const status = statusOf(ticket, paint)
  return [
    `${title}  ${paint.bold(ticket.lane)}${status === "" ? "" : `, ${status}`}`,
    `${rowText(ticket.file)}  ${paint.muted(ticket.id)}`,
  ].join("\n")
}

function renderEvidence({ evidence, isPassed, tail }: EvidenceCaptured, screen: Screen): string {
  const { paint } = screen
  return [
    ...(tail.trim() === "" ? [] : [quoted(tail), ""]),
    indentedTable(EVIDENCE_HEADINGS, [evidenceRow(evidence, screen)], screen),
    isPassed
      ? paint.muted("Evidence stored. It counts until a file of the tree changes.")
      : paint.warn(
          evidence.tree === "unsettled"
            ? "Files changed while the command ran. Run it again; this evidence does not count."
            : "Evidence stored, but the command failed: the ticket cannot be approved.",
        ),
  ].join("\n")
}

export const boardRenderers: Renderers<typeof boardOperations> = {
  show: renderBoard,
  log: renderEvents,
}

export const ticketRenderers: Renderers<typeof ticketOperations> = {
  approve: renderTicket,
  block: renderTicket,
  edit: renderTicket,
  evidence: { text: renderEvidence, isGood: ({ isPassed }) => isPassed },
  link: renderTicket,
  move: renderTicket,
  new: renderTicket,
  ready: renderTickets,
  reject: renderTicket,
  show: renderDetail,
  undo: renderTicket,
}

function renderAutonomy({ grade, configured, effect, areas, measures }: Autonomy, screen: Screen) {
  const { paint } = screen
  const paints = { manual: paint.muted, suggest: (text: string) => text, auto: paint.ok }
  const rows = areas.map((it) => [
    it.area,
    paints[it.answer](it.answer),
    it.isStopped ? paint.warn(it.why) : paint.muted(it.why),
  ])
  const needed = measures.map((it) => [
    it.name,
    it.isMet ? paint.ok("met") : paint.warn("open"),
    rowText(it.value),
    paint.muted(it.needed),
  ])
  const counts = configured === grade ? "" : paint.warn(` (set: ${configured ?? "unreadable"})`)
  return [
    `${paint.bold(`Grade ${grade} of 4`)}${counts}  ${effect}`,
    "",
    listing(["Area", "Answer", "Why"], rows, screen),
    ...section("Conditions of grade 4:", needed, {
      screen,
      most: 20,
      headings: ["Measure", "State", "Now", "Needed"],
    }),
  ].join("\n")
}

export const autonomyRenderers: Renderers<typeof autonomyOperations> = {
  show: renderAutonomy,
  stop: renderAutonomy,
  resume: renderAutonomy,
}
