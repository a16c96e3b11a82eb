import type { RunStatus } from "../contract.ts"
import type { Status } from "../ui/status-mark/status-mark.tsx"

/** How each status of a run is drawn; its word is the contract's own. */
export const STATUS_MARKS: Readonly<Record<RunStatus, Status>> = {
  queued: "queued",
  starting: "running",
  running: "running",
  waiting: "waiting",
  paused: "paused",
  completed: "done",
  failed: "failed",
  stopped: "stopped",
  interrupted: "interrupted",
}
