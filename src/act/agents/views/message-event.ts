import { AgentEvent, type Message } from "#ground/contract"

/** What an agent did, as a message keeps it; undefined for a person's turn and what we say. */
export function eventOf(message: Pick<Message, "metadata">): AgentEvent | undefined {
  const kept = message.metadata["event"]
  if (kept === undefined) return undefined
  const event = AgentEvent.safeParse(kept)
  return event.success ? event.data : undefined
}
