import type { Status } from "../../base/status.ts"
import { type Memory, plural } from "../../contract.ts"

/** It rests on a text that nobody here wrote, and nobody here has confirmed it. */
export function isQuarantined({ source, state }: Memory): boolean {
  return source.isUntrusted && state === "proposed"
}

const MARKS: Readonly<Record<Memory["state"], Status>> = {
  proposed: "queued",
  confirmed: "done",
  superseded: "stopped",
  stale: "warned",
}

export function markOf(decision: Memory): Status {
  return isQuarantined(decision) ? "waiting" : MARKS[decision.state]
}

export function sayState(decision: Memory): string {
  return isQuarantined(decision) ? "quarantined" : decision.state
}

/** How much of the code it rests on is not as it was; empty where all is. */
export function sayMoved({ cites }: Memory): string {
  const moved = cites.filter(({ state }) => state === "changed" || state === "gone").length
  return moved === 0 ? "" : `${plural(moved, "citation")} not as it was`
}

export const CITE_STATES = {
  fresh: { says: "as cited", tone: "3" },
  changed: { says: "changed since", tone: "warn" },
  gone: { says: "gone", tone: "bad" },
  unchecked: { says: "not checked", tone: "3" },
} as const satisfies Record<Memory["cites"][number]["state"], { says: string; tone: string }>

export function placeOf({ path, symbol }: Memory["cites"][number]): string {
  return symbol === undefined ? path : `${path}#${symbol}`
}
