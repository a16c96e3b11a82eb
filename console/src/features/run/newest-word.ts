import type { AgentsContext, Message } from "../../contract.ts"
import { eventOf } from "./entry.ts"

/**
 * Start time of the turn in which the host last reported its window, by the loaded messages. The
 * host reports shortly after the request that the number is about.
 */
export function saidAt(messages: readonly Message[]): number | null {
  const said = messages.findLastIndex(saysUse)
  return (
    messages.slice(0, Math.max(0, said)).findLast((it) => it.type === "user")?.timestamp ?? null
  )
}

function saysUse(message: Message): boolean {
  const event = eventOf(message)
  if (event?.event === "context.usage") return true
  return event?.event === "context.compacted" && event.tokensAfter !== undefined
}

type ContextFigures = Pick<AgentsContext, "used" | "wire" | "compactions">

/** The gateway's numbers, unless a later turn bypassed the gateway and made them outdated. */
export function newestWire(
  context: ContextFigures,
  hostSaidAt: number | null,
): AgentsContext["wire"] {
  const { wire, used, compactions } = context
  if (wire === null || used === null) return wire
  const said = Math.max(hostSaidAt ?? -Infinity, compactions.at(-1)?.at ?? -Infinity)
  return wire.at < said ? null : wire
}
