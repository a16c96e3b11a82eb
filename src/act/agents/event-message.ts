import { truncate } from "#ground/base"
import { AgentEvent, type Message } from "#ground/contract"

export const MAX_CONTENT_CHARACTERS = 200_000

export type NewMessage = Pick<Message, "type" | "role" | "content" | "metadata" | "raw">

export function messageOfEvent(event: AgentEvent, raw?: string): NewMessage {
  const [type, role, content] = textOf(event)
  return {
    type,
    role,
    content: cutContent(content),
    metadata: { ...initFields(event), event: withoutText(event) },
    ...(raw === undefined ? {} : { raw: cutContent(raw) }),
  }
}

/** Readers of the host's own stream look for these fields. */
function initFields(event: AgentEvent): { subtype?: "init"; cwd?: string } {
  if (event.event !== "session.started") return {}
  return { subtype: "init", ...(event.cwd === undefined ? {} : { cwd: event.cwd }) }
}

export function systemMessage(content: string): NewMessage {
  return { type: "system", role: "system", content, metadata: {} }
}

export function eventOf(message: Pick<Message, "metadata">): AgentEvent | undefined {
  const event = message.metadata["event"]
  return event === undefined ? undefined : AgentEvent.safeParse(event).data
}

export function cutContent(text: string): string {
  return truncate(text, MAX_CONTENT_CHARACTERS)
}

type Text = readonly [type: NewMessage["type"], role: NewMessage["role"], content: string]

function textOf(event: AgentEvent): Text {
  switch (event.event) {
    case "message":
      return [event.type, event.type === "response" ? "assistant" : event.type, event.text]
    case "turn.ended":
      return event.outcome === "failed"
        ? ["error", "system", event.error ?? "The turn failed."]
        : ["response", "assistant", event.text]
    case "activity.started":
      return ["tool", "assistant", event.title]
    case "activity.updated":
    case "activity.ended":
      return ["tool", "tool", event.output]
    case "error":
      return ["error", "system", event.message]
    default:
      return ["system", "system", systemText(event)]
  }
}

type SystemEvent = Exclude<
  AgentEvent,
  { event: "message" | "turn.ended" | "error" | `activity.${string}` }
>

function systemText(event: SystemEvent): string {
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
      return `${event.used} of ${event.window} tokens used in the context window`
    case "context.compacted":
      return "The host compacted its context"
    case "cost":
      return "Usage so far"
    case "mode.changed":
      return `Mode set to ${event.mode} by ${event.by}`
    default:
      return event satisfies never
  }
}

function withoutText(event: AgentEvent): AgentEvent {
  switch (event.event) {
    case "message":
    case "turn.ended":
      return { ...event, text: "" }
    case "activity.updated":
    case "activity.ended":
      return { ...event, output: "" }
    default:
      return event
  }
}
