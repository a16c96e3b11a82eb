import type { AgentEvent, RunStatus } from "#ground/contract"

/** A run in one of these is over and stays so; a further turn makes it start anew. */
const ENDED: ReadonlySet<RunStatus> = new Set(["completed", "failed", "stopped", "interrupted"])

export function isEnded(status: RunStatus): boolean {
  return ENDED.has(status)
}

/** What a run is once an agent has said something. */
export function statusAfter(status: RunStatus, event: AgentEvent, open: number): RunStatus {
  if (isEnded(status)) return status
  switch (event.event) {
    case "session.started":
    case "turn.started":
      return "running"
    case "approval.requested":
      return "waiting"
    case "approval.resolved":
      return open === 0 ? "running" : "waiting"
    case "turn.ended":
      return "paused"
    case "error":
      return event.isFatal ? "failed" : status
    default:
      return status === "starting" || status === "queued" ? "running" : status
  }
}
