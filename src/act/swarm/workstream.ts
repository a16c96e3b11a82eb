import type { Agents } from "#act/agents"
import type { PlannedTicket, SwarmReview, Ticket, Workstream } from "#ground/contract"
import { WorkstreamUnknown } from "./errors.ts"

export const ACTIVE: ReadonlySet<Workstream["state"]> = new Set([
  "pending",
  "starting",
  "working",
  "finishing",
])

export function isClosed({ state }: Workstream): boolean {
  return state === "approved" || state === "discarded"
}

export function refusalOf({ isReady, lane, blockedReason }: Ticket): string | undefined {
  if (isReady) return undefined
  if (lane !== "backlog") return `it is in ${lane}`
  return blockedReason === null ? "it depends on an open ticket" : "it is blocked"
}

export function parseNumstat(output: string): SwarmReview["diffs"][number]["files"] {
  return output.split("\0").flatMap((line) => {
    const [, added, removed, file] = /^(\d+|-)\t(\d+|-)\t([^]+)$/.exec(line.trim()) ?? []
    if (file === undefined) return []
    return [{ path: file, added: Number(added) || 0, removed: Number(removed) || 0 }]
  })
}

export function ticketOf({ name, tickets, current }: Workstream): PlannedTicket {
  const ticket = tickets[current]
  if (ticket === undefined) throw WorkstreamUnknown({ name, names: [] })
  return ticket
}

/** Null if the cost of one run is unknown; a synthetic run costs nothing. */
export async function costOf(
  runs: readonly string[],
  agents: Pick<Agents, "get">,
): Promise<number | null> {
  const all = await Promise.all(runs.map((id) => agents.get(id)))
  const costs = all.map(
    ({ type, cost }) => cost.reportedUsd ?? cost.computedUsd ?? (type === "synthetic" ? 0 : null),
  )
  return costs.some((it) => it === null) ? null : costs.reduce<number>((a, b) => a + (b ?? 0), 0)
}
