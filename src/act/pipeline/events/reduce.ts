import type { PipelineEvent, PipelineEventBody } from "#ground/contract"
import {
  type BodyOf,
  begunState,
  changed,
  type RunState,
  type StageState,
  unitBounds,
} from "./state.ts"
import { applyWork, settleOpen } from "./work.ts"

export type ReduceResult =
  | { readonly kind: "state"; readonly state: RunState }
  | { readonly kind: "damaged"; readonly seq: number; readonly problem: string }

/** Total: any list gives a state or damage, never an exception. */
export function replay(id: string, events: readonly PipelineEvent[]): ReduceResult {
  const [first, ...rest] = events
  if (first === undefined) return { kind: "damaged", seq: 1, problem: "is missing" }
  if (first.body.type !== "run_started") {
    return { kind: "damaged", seq: first.seq, problem: "does not start a run" }
  }
  let state = begunState(id, first.body, first.at)
  for (const event of rest) {
    const next = advance(state, event)
    if (next.kind === "damaged") return next
    state = next.state
  }
  return { kind: "state", state }
}

export function advance(state: RunState, { seq, at, body }: PipelineEvent): ReduceResult {
  if (body.type === "run_started") {
    return { kind: "damaged", seq, problem: "starts the run a second time" }
  }
  const problem = impossible(state, body)
  if (problem !== undefined) return { kind: "damaged", seq, problem }
  const worked = workedUntil({ ...state, lastSeq: seq, updatedAt: at }, body, at)
  return { kind: "state", state: apply(worked, body, at) }
}

/** Records the last activity of the working stage; time after it is not work. */
function workedUntil(state: RunState, body: LaterBody, at: number): RunState {
  if (!("stage" in body) || body.stage === null || body.type === "stage_started") return state
  if (state.stages[body.stage]?.status !== "running") return state
  return changed(state, body.stage, () => ({ workedAt: at }))
}

type LaterBody = Exclude<PipelineEventBody, BodyOf<"run_started">>

function impossible(state: RunState, body: LaterBody): string | undefined {
  if (state.end !== undefined && body.type !== "said") return "comes after the end of the run"
  if (state.end === undefined && body.type === "said") return "comes before the end of the run"
  if ("stage" in body && body.stage !== null && state.stages[body.stage] === undefined) {
    return `names stage ${body.stage}, which does not exist`
  }
  switch (body.type) {
    case "repair_started":
      return state.repairs[body.unit] === undefined ? "repairs an unknown unit" : undefined
    case "stage_output":
      return isAtWork(state, body) ? undefined : "has the output of a stage that did not start"
    case "stage_started":
    case "pause_requested":
      return state.pause === undefined ? undefined : "continues although the run is paused"
    case "resumed":
    case "breakout_pending":
    case "breakout":
      return state.pause === undefined ? "answers a pause that does not exist" : undefined
    default:
      return undefined
  }
}

function isAtWork(state: RunState, body: BodyOf<"stage_output">): boolean {
  return body.isCarried || state.stages[body.stage]?.status === "running"
}

function apply(state: RunState, body: LaterBody, at: number): RunState {
  switch (body.type) {
    case "stage_started":
    case "stage_output":
    case "validation_failed":
    case "repair_started":
      return applyStage(state, body, at)
    case "substep":
    case "llm_called":
    case "said":
      return applyWork(state, body)
    case "pause_requested":
    case "resumed":
    case "amended":
    case "skipped":
    case "breakout_pending":
    case "breakout":
      return applyPerson(state, body, at)
    case "budget_warned":
      return { ...state, warned: [...state.warned, body.scope] }
    case "budget_exceeded":
      return state
    case "error":
      return applyError(state, body)
    case "run_completed": {
      const { type: _, ...end } = body
      return { ...settleOpen(state), pause: undefined, unsettled: undefined, end: { ...end, at } }
    }
    default:
      return body satisfies never
  }
}

type StageBody = BodyOf<"stage_started" | "stage_output" | "validation_failed" | "repair_started">

function applyStage(state: RunState, body: StageBody, at: number): RunState {
  switch (body.type) {
    case "stage_started":
      return {
        ...changed(settleOpen(state), body.stage, (it) => ({
          status: "running",
          attempt: body.attempt,
          iteration: body.iteration,
          // An interrupted or failed attempt counts its working time; the time between attempts
          // does not count.
          startedAt: it.attempt === 0 ? at : at - ((it.workedAt ?? at) - (it.startedAt ?? at)),
          workedAt: at,
          endedAt: null,
          failure: undefined,
          skippedBy: undefined,
        })),
        cursor: body.stage,
        unsettled: undefined,
        error: null,
      }
    case "stage_output":
      return {
        ...changed(state, body.stage, (it) => ({
          status: it.failure === undefined ? "done" : "failed",
          rounds: it.rounds + 1,
          hasOutput: true,
          output: body.output,
          summary: body.summary,
          isCarried: body.isCarried,
          endedAt: at,
        })),
        cursor: body.stage + 1,
        unsettled: body.isCarried ? undefined : body.stage,
      }
    case "validation_failed":
      return changed(state, body.stage, () => ({
        failure: { problems: body.problems, feedback: body.feedback },
      }))
    case "repair_started":
      return repaired(state, body)
    default:
      return body satisfies never
  }
}

function repaired(state: RunState, body: BodyOf<"repair_started">): RunState {
  const { first, last } = unitBounds(state.start, body.unit)
  return {
    ...state,
    stages: state.stages.map((it, at) => (first <= at && at <= last ? newRound(it) : it)),
    repairs: state.repairs.with(body.unit, body.iteration),
    feedback: state.feedback.with(body.unit, body.feedback),
    cursor: first,
    unsettled: undefined,
  }
}

function newRound(stage: StageState): StageState {
  return { ...stage, status: "waiting", attempt: 0, recorded: {}, failure: undefined }
}

type PersonBody = BodyOf<
  "pause_requested" | "resumed" | "amended" | "skipped" | "breakout_pending" | "breakout"
>

function applyPerson(state: RunState, body: PersonBody, at: number): RunState {
  switch (body.type) {
    case "pause_requested": {
      const { type: _, ...request } = body
      const pause = { ...request, since: at, pending: undefined }
      const pauses = state.pauses + 1
      return { ...settleOpen(state), pause, pauses, unsettled: undefined }
    }
    case "resumed": {
      const isRetry = state.pause?.reason === "error"
      const cursor = isRetry ? (state.pause?.stage ?? state.cursor) : state.cursor
      return { ...state, pause: undefined, cursor }
    }
    case "amended":
      return amended(state, body)
    case "skipped":
      return {
        ...changed(state, body.stage, () => ({
          status: "skipped",
          summary: body.reason,
          endedAt: at,
          skippedBy: body.by,
        })),
        pause: undefined,
        unsettled: undefined,
        error: null,
        cursor: body.stage + 1,
      }
    case "breakout_pending":
      return { ...state, pause: state.pause && { ...state.pause, pending: body.message } }
    case "breakout":
      return { ...state, pause: undefined, breakout: body.message }
    default:
      return body satisfies never
  }
}

function amended(state: RunState, body: BodyOf<"amended">): RunState {
  const stages = state.stages.map((it, at) => (at >= body.stage ? newRound(it) : it))
  // The old feedback was about an answer that is now rewritten.
  const feedback = state.feedback.map((it, unit) =>
    unitBounds(state.start, unit).last >= body.stage ? undefined : it,
  )
  return {
    ...changed({ ...state, stages, feedback }, body.stage, (it) => ({
      amendments: [...it.amendments, body.text],
    })),
    pause: undefined,
    unsettled: undefined,
    cursor: body.stage,
  }
}

/** Invalid responses are requested again when the stage is retried. */
function applyError(state: RunState, body: BodyOf<"error">): RunState {
  const { code, message, hint } = body
  const failed = { ...state, error: { code, message, hint } }
  if (body.stage === null) return failed
  return changed(failed, body.stage, (it) => ({
    status: "failed",
    recorded: Object.fromEntries(
      Object.entries(it.recorded).filter(
        ([, recorded]) => recorded.kind === "result" || recorded.problem === undefined,
      ),
    ),
  }))
}
