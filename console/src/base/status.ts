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

/** $0.15 of $3.00; "at least" if a call was interrupted or has no price. */
export function formatCost({ spentUsd, budgetUsd, unknownCalls }: PipelineLine["cost"]): string {
  const isUnknown = spentUsd === 0 && unknownCalls > 0
  const least = unknownCalls > 0 ? "at least " : ""
  const spent = isUnknown ? "unknown" : `${least}${formatUsd(spentUsd)}`
  return budgetUsd === null ? spent : `${spent} of ${formatUsd(budgetUsd)}`
}

export function describeStageProgress({
  stagesDone,
  stagesTotal,
  stageTitle,
}: PipelineLine): string {
  const progress = `${stagesDone} of ${stagesTotal}`
  return stageTitle === null ? progress : `${progress}, ${stageTitle}`
}
