import { formatExact } from "../contract.ts"
import type { LivePhase } from "./live-cursor.ts"

export type LiveWords = {
  readonly text: string
  readonly dot: "ok" | "warn" | "off"
  readonly tone?: "warn"
}

/** The connection in the words of the status bar. Nothing is wiped, so nothing more is said. */
export function sayLive(phase: LivePhase, now: number): LiveWords {
  switch (phase.kind) {
    case "connecting":
      return { text: "Connecting", dot: "off" }
    case "live":
      return { text: "Live", dot: "ok" }
    case "catching-up":
      return { text: `Catching up, ${sayEvents(phase.events)}`, dot: "ok" }
    case "caught-up":
      return { text: `Caught up, ${sayEvents(phase.events)}`, dot: "ok" }
    case "reconnecting": {
      const seconds = Math.ceil((phase.retryAt - now) / 1_000)
      const text = seconds > 0 ? `Reconnecting, ${seconds} s` : "Reconnecting"
      return { text, dot: "warn", tone: "warn" }
    }
    default:
      return phase satisfies never
  }
}

function sayEvents(count: number): string {
  return count === 1 ? "1 event" : `${formatExact(count)} events`
}
