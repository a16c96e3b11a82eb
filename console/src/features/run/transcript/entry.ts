import { asRecord } from "#ground/base/object"
import type { AgentEvent, Message } from "../../../contract.ts"

export type EventOf<Name extends AgentEvent["event"]> = Extract<AgentEvent, { event: Name }>

export type EntryPosition = {
  readonly key: string
  readonly seq: number
  readonly at: number
}

type FollowUps = { readonly told: readonly Message[] }

export type MessageEntry = EntryPosition &
  FollowUps & { readonly kind: "user" | "said" | "error"; readonly message: Message }
type Note = EntryPosition & { readonly kind: "note"; readonly message: Message }
export type QuietEntry = EntryPosition & {
  readonly kind: "quiet"
  readonly messages: readonly Message[]
}
export type ContextStart = EntryPosition &
  FollowUps & { readonly kind: "context"; readonly message: Message }
export type TurnEnd = EntryPosition & {
  readonly kind: "turn"
  readonly message: Message
  readonly event: EventOf<"turn.ended">
  readonly isRepeated: boolean
}
export type ApprovalEntry = EntryPosition & {
  readonly kind: "approval"
  readonly message: Message
  readonly event: EventOf<"approval.requested">
  readonly resolved: {
    readonly message: Message
    readonly event: EventOf<"approval.resolved">
  } | null
}
/** A pause of a pipeline in this session; `answer` is the message that ended it. */
export type PauseEntry = EntryPosition & {
  readonly kind: "pause"
  readonly message: Message
  readonly pipeline: string
  readonly pause: string
  readonly answer: Message | null
  /** Answered, or followed by another question or the end. */
  readonly isOver: boolean
}
export type Activity = EntryPosition &
  FollowUps & {
    readonly kind: "activity"
    readonly id: string
    /** Absent if it started before the first loaded message. */
    readonly started: {
      readonly message: Message
      readonly event: EventOf<"activity.started">
    } | null
    readonly updates: readonly Message[]
    readonly title: string | null
    readonly ended: { readonly message: Message; readonly event: EventOf<"activity.ended"> } | null
    readonly children: readonly Entry[]
  }
export type Group = EntryPosition & { readonly kind: "group"; readonly children: readonly Entry[] }

export type Entry =
  | MessageEntry
  | Note
  | QuietEntry
  | ContextStart
  | TurnEnd
  | ApprovalEntry
  | PauseEntry
  | Activity
  | Group

export function eventOf(message: Message): AgentEvent | undefined {
  const event: unknown = message.metadata.event
  return isEvent(event) ? event : undefined
}

/** The server validated it; the console cannot, because it has no zod. */
function isEvent(it: unknown): it is AgentEvent {
  return typeof it === "object" && it !== null && "event" in it && typeof it.event === "string"
}

export function ownMessages(entry: Entry): readonly Message[] {
  switch (entry.kind) {
    case "activity":
      return [entry.started?.message, ...entry.updates, entry.ended?.message, ...entry.told].filter(
        isDefined,
      )
    case "approval":
      return [entry.message, entry.resolved?.message].filter(isDefined)
    case "pause":
      return [entry.message, entry.answer ?? undefined].filter(isDefined)
    case "quiet":
      return entry.messages
    case "user":
    case "said":
    case "error":
    case "context":
      return [entry.message, ...entry.told]
    case "group":
      return []
    default:
      return [entry.message]
  }
}

function isDefined<One>(it: One | undefined): it is One {
  return it !== undefined
}

/** The part of a pipeline that a message is, as the server marks it. */
export function pipelinePart(
  message: Message,
): { readonly id: string; readonly part: string; readonly pause: string } | undefined {
  const pipeline = asRecord(message.metadata.pipeline)
  const { id, part, pause } = pipeline
  if (typeof id !== "string" || typeof part !== "string") return undefined
  return { id, part, pause: typeof pause === "string" ? pause : "" }
}
