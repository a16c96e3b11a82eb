import type { AgentsContext, Message } from "../../contract.ts"
import { eventOf } from "./transcript/entry.ts"

/**
 * Start time of the turn in which the host last reported its window, by the loaded messages. The
 * host reports shortly after the request that the number is about.
 */
export function lastHostReport(messages: readonly Message[]): number | null {
  const reportIndex = messages.findLastIndex(reportsUsage)
  return (
    messages.slice(0, Math.max(0, reportIndex)).findLast((it) => it.type === "user")?.timestamp ??
    null
  )
}

function reportsUsage(message: Message): boolean {
  const event = eventOf(message)
  if (event?.event === "context.usage") return true
  return event?.event === "context.compacted" && event.tokensAfter !== undefined
}

type ContextFigures = Pick<AgentsContext, "used" | "wire" | "compactions">

/** The gateway's numbers, unless a later turn bypassed the gateway and made them outdated. */
export function newestWire(
  context: ContextFigures,
  hostReportedAt: number | null,
): AgentsContext["wire"] {
  const { wire, used, compactions } = context
  if (wire === null || used === null) return wire
  const reportedAt = Math.max(hostReportedAt ?? -Infinity, compactions.at(-1)?.at ?? -Infinity)
  return wire.at < reportedAt ? null : wire
}
