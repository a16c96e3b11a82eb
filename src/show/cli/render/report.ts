import { formatExact, plural } from "#ground/base"
import type {
  ApiReport,
  auditOperations,
  ChangeDraft,
  DebtReport,
  DependencyReport,
  ReportedTicket,
  Retro,
  Roadmap,
  reportOperations,
  SecurityReport,
  SignOff,
  TestPlan,
  WeekPlan,
  WorkState,
} from "#ground/contract"
import type { Screen } from "../terminal/screen.ts"
import { quoted, rowText, section, timeText } from "./lines.ts"
import type { Renderers } from "./renderer.ts"

const MOST_ROWS = 30
const FIRST_TICKET = 'Add one with `qm ticket new "Round quotes to cents"`.'

type Rows = readonly (readonly string[])[]

/** A title, tables, and notes about what could not be checked. */
function page(
  head: string,
  parts: readonly {
    readonly title: string
    readonly headings: readonly string[]
    readonly rows: Rows
  }[],
  { screen, notes = [] }: { readonly screen: Screen; readonly notes?: readonly string[] },
): string {
  const { paint } = screen
  return [
    paint.bold(head),
    ...parts.flatMap(({ title, headings, rows }) =>
      section(title, rows, { screen, most: MOST_ROWS, headings }),
    ),
    ...notes.map((it) => paint.muted(`Note: ${rowText(it)}`)),
  ].join("\n")
}

function place(path: string, line: number | null): string {
  return line === null ? rowText(path) : `${rowText(path)}:${line}`
}

function renderDebt(it: DebtReport, screen: Screen): string {
  const age = (days: number | null) => (days === null ? "unknown" : plural(days, "day"))
  const head = `${plural(it.markerCount, "mark")}, ${plural(it.large.length, "long function")}, ${plural(it.hotspots.length, "changed file")} without tests`
  return page(
    head,
    [
      {
        title: "Marks, oldest first",
        headings: ["Place", "Age", "Mark", "Text"],
        rows: it.markers.map((row) => [
          place(row.path, row.line),
          age(row.ageDays),
          row.word,
          rowText(row.text),
        ]),
      },
      {
        title: "Long functions",
        headings: ["Place", "Lines", "Name"],
        rows: it.large.map((row) => [
          place(row.path, row.line),
          formatExact(row.lines),
          rowText(row.name),
        ]),
      },
      {
        title: "Changed often, without tests",
        headings: ["File", "Commits", "Lines", "Used by"],
        rows: it.hotspots.map((row) => [
          rowText(row.path),
          formatExact(row.commits),
          formatExact(row.lines),
          plural(row.dependents, "file"),
        ]),
      },
    ],
    { screen, notes: it.notes },
  )
}

type Severity = "high" | "medium" | "low"

function severityText(severity: Severity, { paint }: Screen): string {
  if (severity === "high") return paint.bad(severity)
  return severity === "medium" ? paint.warn(severity) : paint.muted(severity)
}

function renderDeps(it: DependencyReport, screen: Screen): string {
  const files = it.lockFiles.map((file) => `${file.path} (${plural(file.packages, "package")})`)
  return page(
    `${plural(it.findings.length, "finding")} in ${files.join(", ")}`,
    [
      {
        title: "Findings",
        headings: ["Severity", "Kind", "Package", "Version", "Detail"],
        rows: it.findings.map((row) => [
          severityText(row.severity, screen),
          row.kind,
          rowText(row.package),
          rowText(row.version),
          rowText(row.detail),
        ]),
      },
      {
        title: "Licences",
        headings: ["Licence", "Packages"],
        rows: it.licences.map((row) => [rowText(row.licence), formatExact(row.packages)]),
      },
    ],
    { screen, notes: it.notes },
  )
}

function renderSecurity(it: SecurityReport, screen: Screen): string {
  const head = `${plural(it.findings.length, "finding")} in ${plural(it.filesRead, "file")}`
  const rows = it.findings.map((row) => [
    severityText(row.severity, screen),
    row.rule,
    place(row.path, row.line),
    rowText(row.detail),
  ])
  const headings = ["Severity", "Rule", "Place", "Detail"]
  return page(head, [{ title: "Findings", headings, rows }], { screen, notes: it.notes })
}

function renderApi(it: ApiReport, screen: Screen): string {
  const head = `${plural(it.changes.length, "change")} of exported symbols in ${plural(it.filesCompared, "file")}, ${it.from.slice(0, 9)} to ${it.to.slice(0, 9)}: ${it.bump}`
  const rows = it.changes.map((row) => [
    row.isBreaking ? screen.paint.bad("breaking") : row.kind,
    `${rowText(row.path)}#${rowText(row.symbol)}`,
    plural(row.users, "user"),
    rowText(row.after ?? row.before ?? ""),
  ])
  const headings = ["Change", "Symbol", "Used by", "Signature"]
  return page(head, [{ title: "Changes", headings, rows }], { screen, notes: it.notes })
}

function renderTests(it: TestPlan, screen: Screen): string {
  const head = `${plural(it.rows.length, "changed symbol")} since ${it.from.slice(0, 9)}, ${it.uncovered} without a test`
  const parts = it.rows.map((row) => ({
    title: `${rowText(row.path)}:${row.line} ${rowText(row.symbol)} (${row.change}; ${row.tests.length === 0 ? "no test" : rowText(row.tests.join(", "))})`,
    headings: ["Kind", "Case"],
    rows: row.cases.map((one) => [one.kind, rowText(one.text)]),
  }))
  return page(head, parts, { screen, notes: it.notes })
}

function ticketRows(tickets: readonly ReportedTicket[]): Rows {
  return tickets.map((it) => [
    `#${it.number}`,
    rowText(it.title),
    String(it.points),
    rowText(it.reason),
  ])
}

const TICKET_HEADINGS = ["Ticket", "Title", "Points", "Reason"]

function renderWeek(it: WeekPlan, screen: Screen): string {
  const parts = [
    { title: "To decide", tickets: it.decide },
    { title: "To finish", tickets: it.running },
    { title: "Planned", tickets: it.planned },
    { title: "Left out", tickets: it.leftOut },
  ].map(({ title, tickets }) => ({ title, headings: TICKET_HEADINGS, rows: ticketRows(tickets) }))
  if (parts.every(({ rows }) => rows.length === 0))
    return screen.paint.muted(`No open tickets to plan. ${FIRST_TICKET}`)
  return page(`${it.points} of ${it.capacity} points planned`, parts, { screen })
}

function renderRetro(it: Retro, screen: Screen): string {
  const cycle =
    it.medianCycleDays === null ? "" : `, ${it.medianCycleDays} days from working to conclusion`
  const head = `${plural(it.days, "day")}: ${plural(it.commits, "commit")}, ${plural(it.concluded, "ticket")} concluded${cycle}, ${plural(it.sessions, "session")}, ${plural(it.decisions, "decision")}`
  return page(
    head,
    [
      {
        title: "Types",
        headings: [],
        rows: it.types.map((row) => [rowText(row.type), formatExact(row.commits)]),
      },
      {
        title: "Areas",
        headings: [],
        rows: it.areas.map((row) => [rowText(row.folder), formatExact(row.commits)]),
      },
      {
        title: "Reverted",
        headings: [],
        rows: it.reverts.map((row) => [row.commit.slice(0, 9), rowText(row.subject)]),
      },
      {
        title: "Fixed more than once",
        headings: [],
        rows: it.refixed.map((row) => [rowText(row.path), formatExact(row.fixes)]),
      },
      {
        title: "Rejected tickets",
        headings: [],
        rows: it.rejected.map((row) => [row.ticket, formatExact(row.times)]),
      },
      {
        title: "Refused by hooks",
        headings: [],
        rows: it.refusals.map((row) => [row.rule, formatExact(row.times)]),
      },
    ],
    { screen, notes: it.notes },
  )
}

function renderSignOff(it: SignOff, screen: Screen): string {
  const { paint } = screen
  if (it.tickets.length === 0)
    return paint.muted("No ticket is in testing. List tickets with `qm board`.")
  const ready = it.tickets.filter((row) => row.isReady).length
  const rows = it.tickets.map((row) => [
    row.isReady ? paint.ok("ready") : paint.bad("not ready"),
    `#${row.number}`,
    rowText(row.title),
    `${row.criteriaDone} of ${row.criteria}`,
    rowText(row.reason ?? row.evidence.map((one) => one.command).join(", ")),
  ])
  const headings = ["State", "Ticket", "Title", "Criteria", "Detail"]
  return page(
    `${ready} of ${plural(it.tickets.length, "ticket")} ready to approve`,
    [{ title: "Tickets", headings, rows }],
    { screen },
  )
}

function renderState(it: WorkState, screen: Screen): string {
  const tag =
    it.lastTag === null ? "" : `, ${plural(it.commitsSinceTag ?? 0, "commit")} after ${it.lastTag}`
  const head = `${rowText(it.branch ?? "no branch")}${it.commit === null ? ", no commit yet" : ` at ${it.commit.slice(0, 9)}`}${tag}, ${plural(it.changedCount, "changed file")}`
  const lanes = it.lanes.map((row) => `${row.tickets} ${row.lane}`).join(", ")
  const last = it.lastSession
  return page(
    head,
    [
      {
        title: "Changed",
        headings: [],
        rows: it.changed.map((row) => [row.state, rowText(row.path)]),
      },
      {
        title: "Claims",
        headings: ["Path", "Session", "Until (UTC)"],
        rows: it.claims.map((row) => [
          rowText(row.path),
          rowText(row.session),
          timeText(row.expiresAt),
        ]),
      },
      { title: `Next tickets (${lanes}):`, headings: TICKET_HEADINGS, rows: ticketRows(it.next) },
      {
        title: "Last session",
        headings: [],
        rows:
          last === null
            ? []
            : [
                [last.date, rowText(last.title)],
                ["", rowText(last.finalState)],
              ],
      },
      { title: "Unreleased", headings: [], rows: it.unreleased.map((row) => [rowText(row)]) },
    ],
    { screen, notes: it.notes },
  )
}

/** Markdown to be copied or piped; texts in it are indented, because commits wrote them. */
const renderText = ({ text }: ChangeDraft | Roadmap): string => quoted(text)

function renderRoadmap(roadmap: Roadmap, { paint }: Screen): string {
  const isEmpty = roadmap.waves.length === 0 && roadmap.stuck.length === 0
  return isEmpty ? paint.muted(`No open tickets to order. ${FIRST_TICKET}`) : renderText(roadmap)
}

export const auditRenderers: Renderers<typeof auditOperations> = {
  debt: renderDebt,
  deps: renderDeps,
  security: { text: renderSecurity, isGood: (it) => it.isClean },
  api: renderApi,
  tests: renderTests,
}

export const reportRenderers: Renderers<typeof reportOperations> = {
  state: renderState,
  changes: renderText,
  retro: renderRetro,
  week: renderWeek,
  roadmap: renderRoadmap,
  signoff: { text: renderSignOff, isGood: (it) => it.isReady || it.tickets.length === 0 },
}
