import { compareText, plural } from "#ground/base"
import type { ParsedInput, ReportedTicket, Roadmap, Ticket, WeekPlan } from "#ground/contract"

const DAY_MS = 86_400_000

/** Days in testing after which a ticket is named as waiting long. */
const LONG_WAIT_DAYS = 2

/** Tickets in the board's order: by lane, then by urgency. */
export function planWeek(
  tickets: readonly Ticket[],
  { capacity, now }: ParsedInput<"report.week"> & { readonly now: number },
): WeekPlan {
  const inLane = (lane: Ticket["lane"]) => tickets.filter((it) => it.lane === lane)
  const running = inLane("working").map((it) => reported(it, workingReason(it)))
  const decide = inLane("testing").map((it) => reported(it, waitingReason(it, now)))
  const planned: ReportedTicket[] = []
  const leftOut: ReportedTicket[] = []
  let points = running.reduce((sum, it) => sum + it.points, 0)
  for (const ticket of inLane("backlog")) {
    const reason = obstacleOf(ticket)
    if (reason !== undefined) leftOut.push(reported(ticket, reason))
    else if (points + ticket.complexity > capacity)
      leftOut.push(reported(ticket, "no capacity left"))
    else {
      points += ticket.complexity
      planned.push(reported(ticket, urgencyReason(ticket)))
    }
  }
  return { capacity, points, decide, running, planned, leftOut }
}

export function reported(ticket: Ticket, reason: string): ReportedTicket {
  const { id, number, title, lane, complexity } = ticket
  return { id, number, title, lane, points: complexity, reason }
}

function workingReason({ blockedReason, acceptance }: Ticket): string {
  if (blockedReason !== null) return `blocked: ${blockedReason}`
  const open = acceptance.filter((it) => !it.isDone).length
  return open === 0 ? "all criteria are met: move it to testing" : `${open} criteria open`
}

function waitingReason({ laneSince }: Ticket, now: number): string {
  const days = Math.floor((now - laneSince) / DAY_MS)
  return days >= LONG_WAIT_DAYS ? `waits for approval for ${days} days` : "waits for approval"
}

function obstacleOf({ blockedReason, openDependencies, acceptance }: Ticket): string | undefined {
  if (blockedReason !== null) return `blocked: ${blockedReason}`
  if (openDependencies.length > 0) return `depends on ${openDependencies.join(", ")}`
  return acceptance.length === 0 ? "has no acceptance criteria" : undefined
}

export function urgencyReason({ sla, priority, wsjf }: Ticket): string {
  const due = { none: "", met: "", soon: ", due soon", overdue: ", overdue" }[sla.state]
  return `${priority}${due}, urgency ${wsjf}`
}

/** Each ticket is in the first wave after all of its dependencies. */
export function planRoadmap(tickets: readonly Ticket[]): Roadmap {
  const open = tickets.filter((it) => it.lane !== "conclusion")
  const waveOf = new Map<string, number>()
  const isStuck = ({ blockedReason }: Ticket) => blockedReason !== null
  for (let wave = 1; wave <= open.length; wave++) {
    const ready = open.filter(
      (it) =>
        !waveOf.has(it.id) &&
        !isStuck(it) &&
        it.openDependencies.every((id) => (waveOf.get(id) ?? wave) < wave),
    )
    if (ready.length === 0) break
    for (const it of ready) waveOf.set(it.id, wave)
  }
  const byWave = Map.groupBy(
    open.filter((it) => waveOf.has(it.id)),
    (it) => waveOf.get(it.id) ?? 0,
  )
  const waves = [...byWave]
    .toSorted(([a], [b]) => a - b)
    .map(([number, its]) => ({
      number,
      points: its.reduce((sum, it) => sum + it.complexity, 0),
      tickets: its.map((it) => reported(it, urgencyReason(it))),
    }))
  const stuck = open
    .filter((it) => !waveOf.has(it.id))
    .map((it) => reported(it, stuckReason(it, waveOf)))
  const critical = criticalPath(open.filter((it) => waveOf.has(it.id)))
  return { waves, ...critical, stuck, text: renderRoadmap(waves, stuck, critical) }
}

function stuckReason(
  { blockedReason, openDependencies }: Ticket,
  waveOf: ReadonlyMap<string, number>,
): string {
  if (blockedReason !== null) return `blocked: ${blockedReason}`
  const behind = openDependencies.filter((id) => !waveOf.has(id))
  return `waits for ${behind.join(", ")}`
}

/** The chain of dependencies with the most points. Waves exclude cycles. */
function criticalPath(tickets: readonly Ticket[]) {
  const byId = new Map(tickets.map((it) => [it.id, it]))
  type Chain = { readonly ids: readonly string[]; readonly points: number }
  const chains = new Map<string, Chain>()
  const chainOf = (ticket: Ticket): Chain => {
    const earlier = chains.get(ticket.id)
    if (earlier !== undefined) return earlier
    const before = ticket.openDependencies
      .flatMap((id) => byId.get(id) ?? [])
      .map(chainOf)
      .toSorted((a, b) => b.points - a.points || compareText(a.ids.join(), b.ids.join()))[0]
    const chain = {
      ids: [...(before?.ids ?? []), ticket.id],
      points: (before?.points ?? 0) + ticket.complexity,
    }
    chains.set(ticket.id, chain)
    return chain
  }
  const [longest] = tickets
    .map(chainOf)
    .toSorted((a, b) => b.points - a.points || compareText(a.ids.join(), b.ids.join()))
  return { criticalPath: [...(longest?.ids ?? [])], criticalPoints: longest?.points ?? 0 }
}

function renderRoadmap(
  waves: Roadmap["waves"],
  stuck: Roadmap["stuck"],
  critical: Pick<Roadmap, "criticalPath" | "criticalPoints">,
): string {
  const line = (it: ReportedTicket) => `- #${it.number} ${it.title} (${it.points}; ${it.reason})`
  return [
    "# Roadmap",
    "",
    `Critical path: ${critical.criticalPath.join(" → ") || "none"} (${plural(critical.criticalPoints, "point")})`,
    ...waves.flatMap((it) => [
      "",
      `## Wave ${it.number}: ${plural(it.points, "point")}`,
      "",
      ...it.tickets.map(line),
    ]),
    ...(stuck.length === 0 ? [] : ["", "## Stuck", "", ...stuck.map(line)]),
  ].join("\n")
}
