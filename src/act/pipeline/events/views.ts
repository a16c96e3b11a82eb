import { z } from "zod"
import { firstLine } from "#ground/base"
import {
  PipelineDocument,
  type PipelineLine,
  type PipelineRun,
  type PipelineStage,
  type PipelineStatus,
} from "#ground/contract"
import { mostRepairs, pausesAfter } from "./next.ts"
import { pauseView } from "./pause.ts"
import { costOf, type RunState, stageCost, unitBounds, unitOf } from "./state.ts"

const TITLE_CHARACTERS = 80

/** `isAlone`: the run should be working, but no process holds it. */
export function runView(state: RunState, at: { readonly isAlone: boolean }): PipelineRun {
  const status = statusOf(state, at.isAlone)
  return {
    ...headOf(state, status),
    stages: state.stages.map((_, stage) => stageView(state, stage, status)),
    repairs: state.repairs.map((used, unit) => ({
      ...unitBounds(state.start, unit),
      used,
      most: mostRepairs(state, unit),
    })),
    pause: pauseView(state),
    usage: state.usage,
  }
}

export function lineView(state: RunState): PipelineLine {
  const head = headOf(state, statusOf(state, false))
  const title = head.stage === null ? undefined : state.start.config.stages[head.stage]?.title
  return {
    ...head,
    stageTitle: title ?? null,
    stagesDone: state.stages.filter((it) => it.status === "done" || it.status === "skipped").length,
    stagesTotal: state.stages.length,
  }
}

export function bareView(line: PipelineLine): PipelineRun {
  const { stageTitle: _, stagesDone: __, stagesTotal: ___, ...head } = line
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
  return { ...head, stages: [], repairs: [], pause: null, usage }
}

export function statusOf(state: RunState, isAlone: boolean): PipelineStatus {
  if (state.end !== undefined) return state.end.status
  if (state.pause !== undefined) return "paused"
  return isAlone ? "interrupted" : "running"
}

function headOf(state: RunState, status: PipelineStatus) {
  const { start } = state
  return {
    id: state.id,
    agent: start.agent,
    title: titleOf(start.query),
    query: start.query,
    status,
    depth: start.depth,
    provider: start.provider,
    ...(start.connections === undefined ? {} : { connections: start.connections }),
    session: start.session,
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
    endedAt: state.end?.at ?? null,
    lastSeq: state.lastSeq,
    stage: stageAtWork(state),
    cost: { ...costOf(state), budgetUsd: start.budgetUsd },
    error: state.error,
    reason: state.end?.reason ?? null,
    isPartial: state.end?.isPartial ?? true,
    from: start.from === null ? null : { run: start.from.run, stage: start.from.stage },
    prior: start.prior,
    hasDocument: documentOf(state) !== undefined,
  }
}

export function titleOf(query: string): string {
  return firstLine(query, TITLE_CHARACTERS)
}

function stageAtWork(state: RunState): number | null {
  if (state.end !== undefined) return null
  if (state.pause !== undefined) return state.pause.stage
  return state.cursor < state.stages.length ? state.cursor : null
}

function stageView(state: RunState, index: number, status: PipelineStatus): PipelineStage {
  const config = state.start.config.stages[index]
  const stage = state.stages[index]
  if (config === undefined || stage === undefined) throw new RangeError(`no stage ${index}`)
  return {
    index,
    name: config.name,
    title: config.title,
    kind: config.kind,
    status: stageStatus(state, index, status),
    attempt: stage.attempt,
    rounds: stage.rounds,
    summary: stage.summary,
    startedAt: stage.startedAt,
    endedAt: stage.endedAt,
    activities: stage.activities,
    pauses: pausesAfter(state, config),
    repairUnit: unitOf(state.start, index) ?? null,
    cost: { ...stageCost(state, index), budgetUsd: config.budgetUsd ?? null },
  }
}

function stageStatus(
  state: RunState,
  index: number,
  status: PipelineStatus,
): PipelineStage["status"] {
  const own = state.stages[index]?.status ?? "waiting"
  if (state.pause?.stage === index) return state.pause.reason === "error" ? "failed" : "paused"
  if (own === "running" && status !== "running") return FAILED.has(status) ? "failed" : "waiting"
  return own
}

const FAILED: ReadonlySet<PipelineStatus> = new Set(["failed", "over-budget"])

const Output = z.object({
  title: z.string().default(""),
  markdown: z.string(),
  references: PipelineDocument.shape.references.default([]),
})

export function documentOf(state: RunState): PipelineDocument | undefined {
  const { stages } = state.start.config
  const last = stages.findLastIndex((it, at) => it.kind === "document" && hasOutput(state, at))
  const parsed = Output.safeParse(state.stages[last]?.output)
  if (!parsed.success) return undefined
  const { title, markdown, references } = parsed.data
  return {
    id: state.id,
    title: title === "" ? state.start.query : title,
    markdown,
    isPartial: state.end?.isPartial ?? true,
    note: noteOf(state),
    references,
  }
}

/** A completed run has ended, even if a stage did not pass. */
function noteOf({ end }: RunState): string | null {
  if (end === undefined) return "the run has not ended"
  if (!end.isPartial) return null
  return end.status === "completed" ? end.reason : `the run did not finish (${end.reason})`
}

function hasOutput(state: RunState, stage: number): boolean {
  return state.stages[stage]?.hasOutput === true
}
