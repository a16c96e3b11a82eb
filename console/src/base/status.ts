import { formatUsd } from "#ground/base/format"
import type { PipelineLine, PipelineStatus, RunStatus } from "../contract.ts"

export type Status =
  | "queued"
  | "running"
  | "waiting"
  | "paused"
  | "done"
  | "failed"
  | "stopped"
  | "interrupted"
  | "timed-out"
  | "cancelled"
  | "warned"
  | "picked"

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

export const PIPELINE_MARKS: Readonly<Record<PipelineStatus, Status>> = {
  running: "running",
  paused: "paused",
  interrupted: "interrupted",
  completed: "done",
  breakout: "cancelled",
  stopped: "stopped",
  failed: "failed",
  "over-budget": "warned",
}

export const PIPELINE_WORDS: Readonly<Record<PipelineStatus, string>> = {
  running: "running",
  paused: "paused",
  interrupted: "interrupted",
  completed: "completed",
  breakout: "exited",
  stopped: "stopped",
  failed: "failed",
  "over-budget": "over budget",
}

export function isOpen(status: PipelineStatus): boolean {
  return status === "running" || status === "paused" || status === "interrupted"
}

/** Without the budget, which a column of costs would show as if it were spent. */
export function formatCost({ spentUsd, unknownCalls }: PipelineLine["cost"]): string {
  if (spentUsd === 0 && unknownCalls > 0) return "unknown"
  return `${unknownCalls > 0 ? "at least " : ""}${formatUsd(spentUsd)}`
}

export function describeStageProgress({
  stagesDone,
  stagesTotal,
  stageTitle,
}: PipelineLine): string {
  const progress = `${stagesDone} of ${stagesTotal}`
  return stageTitle === null ? progress : `${progress}, ${stageTitle}`
}
