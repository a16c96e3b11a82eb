import type { DepthConfig, PipelineEventBody, StageConfig } from "#ground/contract"
import { type RunState, unitBounds, unitOf } from "./state.ts"

const DEPTH_DEFAULTS = {
  quick: { subQueries: 3, paragraphs: 10, repairs: 0, contextTokens: 4_000, web: false },
  standard: { subQueries: 8, paragraphs: 20, repairs: 2, contextTokens: 12_000, web: true },
  deep: { subQueries: 15, paragraphs: 30, repairs: 3, contextTokens: 24_000, web: true },
} as const

export type NextStep =
  | { readonly kind: "nothing" }
  | { readonly kind: "write"; readonly bodies: readonly PipelineEventBody[] }
  | { readonly kind: "work"; readonly stage: number; readonly iteration: number }

export function nextOf(state: RunState): NextStep {
  if (state.end !== undefined || state.pause !== undefined) return { kind: "nothing" }
  if (state.unsettled !== undefined) {
    const bodies = whatFollows(state, state.unsettled)
    if (bodies.length > 0) return { kind: "write", bodies }
  }
  if (state.cursor >= state.stages.length) return { kind: "write", bodies: [completion(state)] }
  const unit = unitOf(state.start, state.cursor)
  // After an amendment a unit starts over, which is not a repair.
  const isRepair = unit !== undefined && state.feedback[unit] !== undefined
  const iteration = isRepair ? (state.repairs[unit] ?? 0) : 0
  return { kind: "work", stage: state.cursor, iteration }
}

/**
 * The consequence of a stage's output: a repair, a pause, the end, or nothing (the next stage
 * runs).
 */
export function whatFollows(
  state: RunState,
  stage: number,
  clarify?: string,
): readonly PipelineEventBody[] {
  const { config } = state.start
  const at = state.stages[stage]
  if (at?.failure !== undefined) {
    const repair = repairOf(state, stage, at.failure.feedback)
    if (repair !== undefined) return [repair]
    if (config.pauseOnErrors && !config.autoAdvance) return [limitPause(state, stage)]
  } else if (!config.autoAdvance) {
    if (clarify !== undefined)
      return [pauseOf(state, { stage, reason: "clarify", question: clarify })]
    const named = config.stages[stage]
    if (named !== undefined && pausesAfter(state, named)) {
      const question = named.question ?? `Continue after ${named.title}?`
      return [pauseOf(state, { stage, reason: "configured", question })]
    }
  }
  return stage + 1 >= state.stages.length ? [completion(state)] : []
}

export function pausesAfter(state: RunState, stage: StageConfig): boolean {
  const { config } = state.start
  if (config.autoAdvance) return false
  return stage.pauseAfter || config.pauseAfterStages.includes(stage.name)
}

export function mostRepairs(state: RunState, unit: number): number {
  const { config, depth } = state.start
  const ofUnit = config.repairUnits[unit]?.maxIterations ?? 0
  const ofDepth = config.depths[depth]?.repairs
  return ofDepth === undefined ? ofUnit : Math.min(ofUnit, ofDepth)
}

export function depthOf({ start }: RunState): DepthConfig {
  return start.config.depths[start.depth] ?? DEPTH_DEFAULTS[start.depth]
}

export function amendedStage(state: RunState): number {
  const stage = state.pause?.stage ?? 0
  if (state.pause?.reason !== "repair-limit") return stage
  // Checking the same text again would change nothing, so the unit starts over.
  const unit = unitOf(state.start, stage)
  return unit === undefined ? stage : unitBounds(state.start, unit).first
}

export function skippedStage(state: RunState): number | undefined {
  const stage = state.pause?.stage ?? 0
  const skipped = state.pause?.reason === "error" ? stage : stage + 1
  return skipped < state.stages.length ? skipped : undefined
}

export function pauseOf(
  state: RunState,
  request: Pick<
    Extract<PipelineEventBody, { type: "pause_requested" }>,
    "stage" | "reason" | "question"
  >,
): PipelineEventBody {
  return { type: "pause_requested", pauseId: `pause-${state.pauses + 1}`, ...request }
}

function repairOf(state: RunState, stage: number, feedback: string): PipelineEventBody | undefined {
  const unit = unitOf(state.start, stage)
  if (unit === undefined) return undefined
  const used = state.repairs[unit] ?? 0
  // A repair without feedback could not improve anything.
  if (used >= mostRepairs(state, unit) || feedback === "") return undefined
  return { type: "repair_started", unit, iteration: used + 1, feedback }
}

function limitPause(state: RunState, stage: number): PipelineEventBody {
  const title = state.start.config.stages[stage]?.title ?? ""
  const why = whyNoRepair(state, stage)
  const question = `${title} did not pass${afterRepairs(state, stage)}${why}. Continue with it as it is?`
  return pauseOf(state, { stage, reason: "repair-limit", question })
}

/** If no repair can help, the reason is shown to the user. */
function whyNoRepair(state: RunState, stage: number): string {
  const { problems = [], feedback } = state.stages[stage]?.failure ?? {}
  const isHopeless = feedback === "" || unitOf(state.start, stage) === undefined
  return isHopeless && problems[0] !== undefined ? `: ${problems[0].replace(/\.$/, "")}` : ""
}

function afterRepairs(state: RunState, stage: number): string {
  const unit = unitOf(state.start, stage)
  const used = unit === undefined ? 0 : (state.repairs[unit] ?? 0)
  if (used === 0) return ""
  return ` after ${used} ${used === 1 ? "repair" : "repairs"}`
}

function completion(state: RunState): PipelineEventBody {
  const titles = state.start.config.stages.map((it) => it.title)
  const failed = state.stages.flatMap((it, stage) =>
    it.failure === undefined ? [] : [`${titles[stage]} did not pass${afterRepairs(state, stage)}`],
  )
  const skipped = state.stages.flatMap((it, stage) =>
    it.skippedBy === undefined || it.skippedBy === ENGINE ? [] : [`${titles[stage]} was skipped`],
  )
  const notes = [...failed, ...skipped]
  return {
    type: "run_completed",
    status: "completed",
    reason: notes.length === 0 ? "All stages are done" : `All stages are done; ${notes.join("; ")}`,
    isPartial: notes.length > 0,
  }
}

export const ENGINE = "engine"
