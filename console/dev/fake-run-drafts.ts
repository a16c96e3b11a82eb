import type { AgentEvent, Message } from "../src/contract.ts"
import { WORLD_NOW } from "./fake-world.ts"

/** A message before it has its number. */
export type Draft = Omit<Message, "id" | "seq">

type Loose = AgentEvent | { readonly event: string; readonly [field: string]: unknown }

/** An event as the engine stores it: its long text is the content, the rest is metadata. */
export function draft(afterMs: number, event: Loose, content = ""): Draft {
  return {
    type: typeOf(event.event),
    role: event.event.startsWith("activity") ? "tool" : "assistant",
    content,
    timestamp: WORLD_NOW - 372_000 + afterMs,
    metadata: { event },
  }
}

function typeOf(event: string): Message["type"] {
  if (event === "message") return "assistant"
  if (event === "turn.ended") return "response"
  if (event === "error") return "error"
  return event.startsWith("activity") ? "tool" : "system"
}

export function userTurn(afterMs: number, content: string, parts: object[] = []): Draft {
  const metadata = parts.length === 0 ? {} : { parts }
  const timestamp = WORLD_NOW - 372_000 + afterMs
  return { type: "user", role: "user", content, timestamp, metadata }
}

type Does = { kind: string; tool: string; title: string; input?: string; path?: string }
type Gave = {
  output?: string
  diff?: string
  outcome?: string
  tokens?: number
  parentId?: string
  /** Not ended yet. */
  isOpen?: boolean
}

/** From when, and for how long. */
type Time = readonly [fromMs: number, forMs: number]

/** Something an agent did, from its start to its end. */
export function activity(id: string, [fromMs, forMs]: Time, given: Does & Gave): Draft[] {
  const { output = "", diff, outcome = "done", tokens, parentId, isOpen = false, ...does } = given
  const parent = parentId === undefined ? {} : { parentId }
  const started = draft(
    fromMs,
    { event: "activity.started", activityId: id, input: "", ...does, ...parent },
    does.title,
  )
  const more = {
    ...(diff === undefined ? {} : { diff }),
    ...(tokens === undefined ? {} : { tokens }),
  }
  const ended = draft(
    fromMs + forMs,
    { event: "activity.ended", activityId: id, outcome, output: "", durationMs: forMs, ...more },
    output,
  )
  return isOpen ? [started] : [started, ended]
}

export const say = (afterMs: number, text: string, parentId?: string): Draft =>
  draft(
    afterMs,
    { event: "message", type: "assistant", text: "", ...(parentId && { parentId }) },
    text,
  )
