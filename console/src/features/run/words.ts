import { formatUsd } from "#ground/base/format"
import { formatElapsed, formatRound, visibleLine } from "../../base/format.ts"
import { STATUS_MARKS, type Status } from "../../base/status.ts"
import {
  type AgentMode,
  type AgentsContext,
  formatCount,
  formatExact,
  type Message,
  plural,
  type RunStatus,
} from "../../contract.ts"
import type { IconName } from "../../ui/icon/icon.tsx"
import { type Activity, type Entry, eventOf, type Group } from "./transcript/entry.ts"

export function describeStatus(status: RunStatus): {
  readonly mark: Status
  readonly label: string
} {
  return { mark: STATUS_MARKS[status], label: `${status[0]?.toUpperCase()}${status.slice(1)}` }
}

export function isWorking(status: RunStatus): boolean {
  return ["queued", "starting", "running", "waiting", "paused"].includes(status)
}

export const MODES: readonly { readonly value: AgentMode; readonly detail: string }[] = [
  { value: "plan", detail: "Reads only, changes nothing" },
  { value: "ask", detail: "Asks before it changes or runs" },
  { value: "edits", detail: "Edits files, asks before commands" },
  { value: "auto", detail: "Edits and runs without asking" },
]

const ICONS: Readonly<Record<string, IconName>> = {
  read: "file",
  edit: "edit",
  command: "terminal",
  search: "search",
  fetch: "globe",
  agent: "fork",
  mcp: "plug",
  plan: "events",
  stage: "pipeline",
}

export function activityIcon(activity: Activity): IconName {
  return ICONS[activity.started?.event.kind ?? ""] ?? "settings"
}

export function activityTitle(activity: Activity): string {
  const title = activity.title ?? activity.started?.event.title ?? ""
  if (title !== "") return visibleLine(title)
  return activity.started?.event.tool ?? "Started before the loaded messages"
}

function tookMs(activity: Activity): number | null {
  const own = activity.ended?.event.durationMs
  if (own !== undefined) return own
  if (activity.started === null || activity.ended === null) return null
  return activity.ended.message.timestamp - activity.started.message.timestamp
}

export function activityFigures(activity: Activity): readonly string[] {
  const tokens = activity.ended?.event.tokens
  const took = tookMs(activity)
  const usd = activity.ended?.event.usd
  return [
    tokens === undefined ? "" : formatCount(tokens),
    took === null ? "" : formatElapsed(took),
    ...(usd === undefined ? [] : [formatUsd(usd)]),
  ]
}

type Outcome = { readonly description: string; readonly tone?: "bad" | "warn" }

export function activitySays(activity: Activity): Outcome {
  const inside = describeChildren(activity)
  switch (activity.ended?.event.outcome) {
    case undefined:
      return { description: join("running", inside) }
    case "failed":
      return { description: join("failed", inside), tone: "bad" }
    case "denied":
      return { description: join("denied", inside), tone: "warn" }
    case "stopped":
      return { description: join("stopped", inside), tone: "warn" }
    case "done":
      return { description: join(stageSummary(activity), inside) }
  }
}

/** The summary of a pipeline's stage is its output. */
function stageSummary({ started, ended }: Activity): string {
  return started?.event.kind === "stage" ? visibleLine(ended?.message.content ?? "") : ""
}

function join(...parts: readonly string[]): string {
  return parts.filter((it) => it !== "").join(", ")
}

function describeChildren({ children, ended }: Activity): string {
  const within = children.filter((it) => it.kind === "activity")
  if (within.length === 0) return ""
  const latest = within.at(-1)
  const now = ended === null && latest !== undefined ? `now ${activityTitle(latest)}` : ""
  return join(plural(within.length, "activity", "activities"), now)
}

const NOUNS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  read: ["read", "reads"],
  search: ["search", "searches"],
  fetch: ["page fetched", "pages fetched"],
  mcp: ["source queried", "sources queried"],
  plan: ["plan", "plans"],
  other: ["other", "others"],
}

export function groupTitle({ children }: Group): string {
  const counts = new Map<string, number>()
  for (const child of children) {
    if (child.kind !== "activity") continue
    const kind = child.started?.event.kind ?? "other"
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  const words = [...counts].map(([kind, count]) => {
    const [one, many] = NOUNS[kind] ?? ["other", "others"]
    return plural(count, one, many)
  })
  return words.join(", ")
}

export function groupSays({ children }: Group): string {
  const latest = children.findLast((it) => it.kind === "activity")
  return latest === undefined ? "" : `last ${activityTitle(latest)}`
}

export function groupFigures({ children }: Group): readonly string[] {
  const activities = children.filter((it) => it.kind === "activity")
  const tokens = activities.reduce((sum, it) => sum + (it.ended?.event.tokens ?? 0), 0)
  const took = activities.reduce((sum, it) => sum + (tookMs(it) ?? 0), 0)
  return [tokens === 0 ? "" : formatCount(tokens), took === 0 ? "" : formatElapsed(took)]
}

export function describeHostEvent(message: Message): string {
  const event = eventOf(message)
  switch (event?.event) {
    case "session.started":
      return join(
        "session started",
        visibleLine(event.model ?? ""),
        event.tools.length === 0 ? "" : plural(event.tools.length, "tool"),
      )
    case "turn.started":
      return "turn started"
    case "context.file":
      return join(
        `loaded ${visibleLine(event.path)}`,
        visibleLine(event.reason),
        event.tokens === undefined ? "" : `${formatExact(event.tokens)} tokens`,
      )
    case "context.usage":
      return `${formatCount(event.used)} of ${formatRound(event.window)} in the window`
    case "cost":
      return join(
        `${formatCount(event.usage.input + event.usage.cacheRead + event.usage.cacheWrite)} tokens in`,
        `${formatCount(event.usage.output)} out`,
        event.reportedUsd === undefined ? "" : formatUsd(event.reportedUsd),
      )
    default:
      return visibleLine(message.content)
  }
}

export function describeNote(message: Message): {
  readonly description: string
  readonly tone?: "warn"
} {
  const event = eventOf(message)
  switch (event?.event) {
    case "context.compacted": {
      const { tokensBefore, tokensAfter } = event
      const figures =
        tokensBefore === undefined || tokensAfter === undefined
          ? ""
          : `${formatCount(tokensBefore)} became ${formatCount(tokensAfter)} tokens`
      return {
        description: join(`The host compacted its context (${event.trigger})`, figures),
        tone: "warn",
      }
    }
    case "mode.changed":
      return { description: `Mode ${event.mode} from here on, by ${visibleLine(event.by)}` }
    case "approval.resolved":
      return { description: `${event.decision} by ${visibleLine(event.by)}` }
    default:
      return isBudget(message)
        ? { description: visibleLine(message.content), tone: "warn" }
        : { description: visibleLine(message.content) }
  }
}

function isBudget({ metadata, content }: Message): boolean {
  return "budget" in metadata || /^budget|of the budget/i.test(content)
}

export function describeEntry(entry: Entry): string {
  switch (entry.kind) {
    case "user":
      return "You"
    case "said":
      return "The agent"
    case "error":
      return "Error"
    case "note":
      return "Note"
    case "quiet":
      return "The host"
    case "context":
      return "Context at start"
    case "turn":
      return "End of the turn"
    case "approval":
      return "Approval"
    case "pause":
      return "Pause"
    case "activity":
      return activityTitle(entry)
    case "group":
      return groupTitle(entry)
    default:
      return entry satisfies never
  }
}

export function copyText(messages: readonly Message[]): string {
  return messages
    .map((it) => it.content)
    .filter((it) => it !== "")
    .join("\n\n")
}

export function describeUsageSource(wire: AgentsContext["wire"]): string {
  return wire === null ? "reported by the host" : `exact, from the gateway, request ${wire.seq}`
}
