import type { AgentsContext, Message } from "../../contract.ts"
import { eventOf } from "./entry.ts"

/**
 * When the turn began in which the host last said how full its window is, by the messages that are
 * held. Its word always comes a moment after the request that it is about.
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

type Known = Pick<AgentsContext, "used" | "wire" | "compactions">

/** The wire's figures unless a later turn went without the gateway: those are exact and wrong. */
export function newestWire(context: Known, hostSaidAt: number | null): AgentsContext["wire"] {
  const { wire, used, compactions } = context
  if (wire === null || used === null) return wire
  const said = Math.max(hostSaidAt ?? -Infinity, compactions.at(-1)?.at ?? -Infinity)
  return wire.at < said ? null : wire
}
