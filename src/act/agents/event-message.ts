import { AgentEvent, type Message } from "#ground/contract"
import { LONGEST_CONTENT_CHARACTERS, LONGEST_RAW_CHARACTERS } from "./limits.ts"

/** A message that has no place yet: number and time are given when it is stored. */
export type Draft = Pick<Message, "type" | "role" | "content" | "metadata" | "raw">

/** How an event stands in the transcript: words for people, and the event itself as metadata. */
export function draftOf(event: AgentEvent, raw?: string): Draft {
  return {
    ...wordsOf(event),
    metadata: { event: shorten(event) },
    ...(raw === undefined ? {} : { raw: cut(raw, LONGEST_RAW_CHARACTERS) }),
  }
}

type Words = Pick<Draft, "type" | "role" | "content">

function wordsOf(event: AgentEvent): Words {
  const said = (type: Draft["type"], role: Draft["role"], content: string): Words => ({
    type,
    role,
    content: cut(content, LONGEST_CONTENT_CHARACTERS),
  })
  switch (event.event) {
    case "message":
      return said(event.type, roleOf(event.type), event.text)
    case "turn.ended":
      return event.outcome === "failed"
        ? said("error", "system", event.error ?? "The turn failed.")
        : said("response", "assistant", event.text)
    case "activity.started":
      return said("tool", "assistant", event.title)
    case "activity.updated":
    case "activity.ended":
      return said("tool", "tool", event.output)
    case "error":
      return said("error", "system", event.message)
    default:
      return said("system", "system", sayEvent(event))
  }
}

function roleOf(type: "assistant" | "user" | "system" | "response"): Draft["role"] {
  return type === "response" ? "assistant" : type
}

type Other = Exclude<
  AgentEvent,
  { event: "message" | "turn.ended" | "error" | `activity.${string}` }
>

function sayEvent(event: Other): string {
  switch (event.event) {
    case "session.started":
      return `Session ${event.sessionId} started${event.model === undefined ? "" : ` with ${event.model}`}`
    case "turn.started":
      return "Turn started"
    case "text.delta":
      return event.text
    case "approval.requested":
      return event.title
    case "approval.resolved":
      return `${event.decision === "allow" ? "Allowed" : "Denied"} by ${event.by}`
    case "context.file":
      return `${event.path}, ${event.reason}`
    case "context.usage":
      return `${event.used} of ${event.window} tokens in the window`
    case "context.compacted":
      return "The host compacted its context"
    case "cost":
      return "Usage so far"
    case "mode.changed":
      return `Mode ${event.mode}, by ${event.by}`
    default:
      return event satisfies never
  }
}

/** Long outputs are kept once, as content; the event beside them carries the rest. */
function shorten(event: AgentEvent): AgentEvent {
  switch (event.event) {
    case "message":
      return { ...event, text: "" }
    case "activity.updated":
    case "activity.ended":
      return { ...event, output: "" }
    case "turn.ended":
      return { ...event, text: "" }
    default:
      return event
  }
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`
}

/** What an agent did, as a message keeps it; undefined for a person's turn and what we say. */
export function eventOf(message: Pick<Message, "metadata">): AgentEvent | undefined {
  const kept = message.metadata["event"]
  if (kept === undefined) return undefined
  const event = AgentEvent.safeParse(kept)
  return event.success ? event.data : undefined
}
