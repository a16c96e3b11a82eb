import { visibleLine } from "../../base/format.ts"
import type { Status } from "../../base/status.ts"
import {
  formatExact,
  type Memory,
  type MemoryKind,
  type MemoryState,
  plural,
} from "../../contract.ts"

export const KINDS_IN_WORDS: Readonly<Record<MemoryKind, string>> = {
  strategy: "an approach that worked",
  pitfall: "a known problem and its symptoms",
  decision: "a choice and its reason",
  rule: "a statement that always holds here",
  term: "the meaning of a term here",
  fix: "a repair that worked",
}

export const NAMES_OF_STATES: Readonly<Record<MemoryState, string>> = {
  proposed: "Proposed",
  confirmed: "Confirmed",
  superseded: "Superseded",
  stale: "Stale",
}

export function isQuarantined({ source, state }: Memory): boolean {
  return source.isUntrusted && state === "proposed"
}

const MARKS: Readonly<Record<MemoryState, Status>> = {
  proposed: "queued",
  confirmed: "done",
  superseded: "stopped",
  stale: "warned",
}

export function markOf(memory: Memory): Status {
  return isQuarantined(memory) ? "waiting" : MARKS[memory.state]
}

export function describeState(memory: Memory): string {
  return isQuarantined(memory) ? "quarantined" : memory.state
}

export function describeConfidence(confidence: number): string {
  if (confidence >= 0.85) return "high"
  if (confidence >= 0.7) return "fair"
  return confidence >= 0.4 ? "low" : "poor"
}

const ACTORS: Readonly<Record<Memory["source"]["actor"], string>> = {
  human: "a user",
  agent: "an agent",
  tool: "a tool",
}

export function describeSource({ source }: Memory): string {
  const how = source.isDistilled ? ", distilled" : ""
  return `${ACTORS[source.actor]}${how}`
}

export function describeFullSource(memory: Memory): string {
  const { session, commit } = memory.source
  const where = session === null ? "" : `, in session ${visibleLine(session)}`
  const at = commit === null ? "" : `, at ${visibleLine(commit.slice(0, 7))}`
  return `${describeSource(memory)}${where}${at}`
}

export function describeStaleCites({ cites }: Memory): string {
  const changed = cites.filter((it) => it.state === "changed").length
  const gone = cites.filter((it) => it.state === "gone").length
  const parts = [
    changed === 0 ? "" : `${plural(changed, "citation")} changed`,
    gone === 0 ? "" : `${plural(gone, "citation")} gone`,
  ]
  return parts.filter((it) => it !== "").join(", ")
}

export function describeSignals({ signals }: Memory): string {
  const { helpful, unhelpful, succeeded, failed } = signals
  const parts = [
    [helpful, `${formatExact(helpful)} helpful`],
    [unhelpful, `${formatExact(unhelpful)} unhelpful`],
    [succeeded, `${plural(succeeded, "task")} succeeded`],
    [failed, `${plural(failed, "task")} failed`],
  ] as const
  const shownSignals = parts.flatMap(([count, words]) => (count === 0 ? [] : [words]))
  return shownSignals.length === 0 ? "none yet" : shownSignals.join(", ")
}

export function describeUses({ uses }: Memory): string {
  return uses === 0 ? "never on this machine" : `${plural(uses, "time")} on this machine`
}

export const CITE_STATES = {
  fresh: { description: "as cited", tone: "3" },
  changed: { description: "changed", tone: "warn" },
  gone: { description: "missing", tone: "bad" },
  unchecked: { description: "not checked", tone: "3" },
} as const satisfies Record<Memory["cites"][number]["state"], { description: string; tone: string }>

export function placeOf({ path, symbol }: Memory["cites"][number]): string {
  return symbol === undefined ? path : `${path}#${symbol}`
}

export function describeForget({ title, file }: Memory): string {
  return `The memory "${visibleLine(title)}" and its file ${visibleLine(file)} will be deleted. Committed versions stay in git; uncommitted changes are lost.`
}
