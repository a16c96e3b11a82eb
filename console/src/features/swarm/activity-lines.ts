import { formatClock, visibleLine } from "../../base/format.ts"
import { type ActivityKind, type AgentEvent, formatDuration, type Message } from "../../contract.ts"
import { readUnified } from "../../ui/diff/unified-diff.ts"
import type { IconName } from "../../ui/icon/icon.tsx"
import type { TrackLine } from "../../ui/tracks/tracks.tsx"

const ICONS: Readonly<Record<ActivityKind, IconName>> = {
  read: "file",
  edit: "edit",
  command: "terminal",
  search: "search",
  fetch: "globe",
  agent: "agent",
  mcp: "plug",
  plan: "events",
  stage: "pipeline",
  other: "dots",
}

const LONGEST_TEXT = 200

type Growing = { -readonly [Key in keyof TrackLine]: TrackLine[Key] }

/** The last activities and sentences of a run, one line each, newest last. */
export function activityLines(messages: readonly Message[], most: number): readonly TrackLine[] {
  const lines: Growing[] = []
  const activities = new Map<string, Growing>()
  for (const message of messages) {
    const event = eventOf(message)
    if (event?.event === "activity.started") {
      const line = lineOf(message, ICONS[event.kind] ?? "dots", event.title)
      activities.set(event.activityId, line)
      lines.push(line)
    } else if (event?.event === "activity.ended") {
      const line = activities.get(event.activityId)
      if (line !== undefined) end(line, event)
    } else if (event?.event === "error") {
      lines.push({ ...lineOf(message, "warning", event.message), tone: "bad" })
    } else if (message.type === "assistant" && message.content.trim() !== "") {
      lines.push(lineOf(message, "ask", message.content))
    }
  }
  return lines.slice(-most)
}

function lineOf({ seq, timestamp }: Message, icon: IconName, text: string): Growing {
  const shown = visibleLine(text.trim().split("\n", 1)[0] ?? "").slice(0, LONGEST_TEXT)
  return { key: String(seq), time: formatClock(timestamp), icon, text: shown, end: "" }
}

function end(line: Growing, event: Extract<AgentEvent, { event: "activity.ended" }>): void {
  const files = event.diff === undefined ? [] : readUnified(event.diff)
  const added = files.reduce((sum, it) => sum + it.added, 0)
  const removed = files.reduce((sum, it) => sum + it.removed, 0)
  if (event.outcome !== "done") {
    line.tone = "bad"
    line.end = event.outcome
  } else if (added + removed > 0) line.end = `+${added} −${removed}`
  else if (event.durationMs !== undefined) line.end = formatDuration(event.durationMs)
}

/** The server validated it; the console cannot, because it has no zod. */
function eventOf({ metadata }: Message): AgentEvent | undefined {
  const event: unknown = metadata.event
  const isEvent = (it: unknown): it is AgentEvent =>
    typeof it === "object" && it !== null && "event" in it && typeof it.event === "string"
  return isEvent(event) ? event : undefined
}
