import { formatCount } from "#ground/base"
import { type GatewayRequest, type WireItem, type WireKind } from "#ground/contract"
import { oneLine } from "./lines.ts"

/** A few are named, many of a kind are counted. */
const MOST_NAMED = 2

/** What says most about a turn first; whatever is not here says least. */
const TELLING: readonly WireKind[] = [
  "instructions",
  "memory",
  "result",
  "call",
  "user",
  "skill",
  "image",
  "hook",
  "assistant",
  "reminder",
  "tool",
  "server",
  "agent",
  "style",
  "environment",
  "thinking",
  "system",
  "prompt",
]

/** What was new in a request and why it came, the most telling first; empty for nothing. */
export function sayNews({ added }: Pick<GatewayRequest, "added">): string {
  if (added.length === 0) return ""
  const byKind = Map.groupBy(added, (it) => (isFile(it) ? "file" : it.kind))
  const groups = [...byKind].toSorted(([a], [b]) => rankOf(a) - rankOf(b))
  const said = groups.flatMap(([, items]) => sayGroup(items))
  const tokens = added.reduce((sum, it) => sum + it.tokens, 0)
  return `+${formatCount(tokens)}: ${said.join(", ")}`
}

function isFile({ kind, context }: WireItem): boolean {
  return kind === "result" && context === "files"
}

function rankOf(group: WireKind | "file"): number {
  if (group === "file") return -1
  const rank = TELLING.indexOf(group)
  return rank === -1 ? TELLING.length : rank
}

/** Where the reasons differ the first are named, else their number says it. */
function sayGroup(items: readonly WireItem[]): readonly string[] {
  const kind = items[0]?.kind ?? "other"
  const isTold = items.some((it) => it.why !== undefined)
  if (items.length <= MOST_NAMED) return items.map(sayItem)
  if (!isTold) return [`${items.length} × ${kind}`]
  const named = items.slice(0, MOST_NAMED).map(sayItem)
  return [...named, `${items.length - MOST_NAMED} more × ${kind}`]
}

function sayItem({ kind, name, why }: WireItem): string {
  const called = name === kind ? kind : `${kind} ${oneLine(shortName(kind, name), 40)}`
  return why === undefined ? called : `${called} (${oneLine(why, 48)})`
}

/** Of a path its end: that tells files apart. */
function shortName(kind: WireKind, name: string): string {
  const isPath = (kind === "instructions" || kind === "memory") && name.includes("/")
  return isPath ? name.split("/").slice(-2).join("/") : name
}
