import { compareText } from "#ground/base"
import { LANES, type Lane, type Ticket } from "#ground/contract"
import { lastingScore } from "./tickets/rank-tickets.ts"

const TITLES: Readonly<Record<Lane, string>> = {
  backlog: "Backlog",
  working: "Working",
  testing: "Testing",
  conclusion: "Conclusion",
}

/** The board as a file. It depends on tickets and events only: no time, no machine, no age. */
export function renderBoard(tickets: readonly Ticket[]): string {
  const sections = LANES.map((lane) => {
    const own = tickets.filter((it) => it.lane === lane).toSorted(compareLasting)
    const lines = own.length === 0 ? ["No tickets."] : own.map(lineOf)
    return `## ${TITLES[lane]} (${own.length})\n\n${lines.join("\n")}\n`
  })
  return `# Board\n\nWritten by \`qm\`; edit the files in \`tickets/\` instead.\n\n${sections.join("\n")}`
}

function lineOf(ticket: Ticket): string {
  const { id, number, title, priority, severity, complexity, acceptance, file } = ticket
  const done = acceptance.filter((it) => it.isDone).length
  const facts = [
    severity === null ? priority : `${priority} ${severity}`,
    `${complexity} ${complexity === 1 ? "point" : "points"}`,
    ...(acceptance.length === 0 ? [] : [`${done} of ${acceptance.length} criteria`]),
    ...(ticket.isDropped ? ["dropped"] : []),
    ...(ticket.blockedReason === null ? [] : [`blocked: ${plain(ticket.blockedReason)}`]),
  ]
  const open = ticket.lane === "conclusion" ? 0 : ticket.openDependencies.length
  const blocked = open === 0 ? "" : ` ↘ blocked by ${open}`
  const name = file.slice(file.lastIndexOf("/") + 1)
  return `- [#${number} ${plain(title)}](tickets/${encodeURI(name)}) \`${id}\`, ${facts.join(", ")}${blocked}`
}

function compareLasting(a: Ticket, b: Ticket): number {
  return lastingScore(b) - lastingScore(a) || a.number - b.number || compareText(a.id, b.id)
}

/** A title must not end its own link or start markup. */
function plain(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>]/g, String.raw`\$&`)
}
