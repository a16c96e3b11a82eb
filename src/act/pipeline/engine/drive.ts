import { isAppError } from "#ground/base"
import type { PipelineEventBody, StageConfig, StageKind } from "#ground/contract"
import { PromptMissing, StageCutTooOften, StageFailed, StageNeedsMissing } from "../errors.ts"
import { depthOf, ENGINE, nextOf, pauseOf, whatFollows } from "../events/next.ts"
import { type RunState, unitOf } from "../events/state.ts"
import type { PriorAnswer, StageInput, StageResult, StageWork } from "../stage.ts"
import { type Attempt, brief, keepable, OverBudget } from "./activity.ts"
import type { AskDeps } from "./ask.ts"
import { leftUsd, overBudget } from "./budget.ts"
import { createEffects } from "./effects.ts"
import { Interruption, interruptionOf, untilCut } from "./interruption.ts"
import type { RunWriter } from "./store/run-writer.ts"

/** A stage that was interrupted so often probably crashes its process, so the user decides. */
const MOST_ATTEMPTS = 100

export type DriveDeps = AskDeps &
  Pick<Attempt, "clock" | "redact" | "redactJson"> & {
    readonly stages: Readonly<Record<StageKind, StageWork>>
    prior(run: string): Promise<PriorAnswer | undefined>
  }

/**
 * The loop over the stages, until the run pauses or ends. The next action is always derived from
 * the events, so any process can continue.
 */
export async function drive(
  writer: RunWriter,
  signal: AbortSignal,
  deps: DriveDeps,
): Promise<void> {
  for (;;) {
    const next = nextOf(writer.state())
    switch (next.kind) {
      case "nothing":
        return
      case "write":
        await writer.append(next.bodies)
        break
      case "work":
        await workOn(next, { writer, signal, deps })
        break
      default:
        return next satisfies never
    }
  }
}

type DriveContext = {
  readonly writer: RunWriter
  readonly signal: AbortSignal
  readonly deps: DriveDeps
}

async function workOn(
  { stage, iteration }: { readonly stage: number; readonly iteration: number },
  { writer, signal, deps }: DriveContext,
): Promise<void> {
  const config = writer.state().start.config.stages[stage]
  const work = config === undefined ? undefined : deps.stages[config.kind]
  if (config === undefined || work === undefined) throw new RangeError(`no stage ${stage}`)
  const attempt = (writer.state().stages[stage]?.attempt ?? 0) + 1
  if (!signal.aborted) await writer.append([{ type: "stage_started", stage, attempt, iteration }])
  const over = new AbortController()
  const ofStage = AbortSignal.any([signal, over.signal])
  const context: Attempt = { ...deps, writer, stage, config, attempt, signal: ofStage }
  const { effects, settled } = createEffects({ ...deps, ...context })
  const its = refuseCrashLoop(context).then(() => attemptOf(context, { deps, effects, work }))
  const bodies = await untilCut(its, ofStage)
    .then((result) => outcomeOf(result, context))
    .catch(async (error: unknown) => {
      over.abort(new Interruption("stage-over"))
      await settled()
      return failureOf(error, { ...context, signal })
    })
  // Cancels effects that the stage did not await, before its output is recorded.
  over.abort(new Interruption("stage-over"))
  await settled()
  await writer.append(bodies)
}

async function refuseCrashLoop({ attempt, config }: Attempt): Promise<void> {
  const attempts = attempt - 1
  if (attempts >= MOST_ATTEMPTS) throw StageCutTooOften({ stage: config.name, attempts })
}

async function attemptOf(
  context: Attempt,
  of: Pick<StageInput, "effects"> & { readonly deps: DriveDeps; readonly work: StageWork },
): Promise<StageResult> {
  const state = context.writer.state()
  const unit = unitOf(state.start, context.stage)
  const iteration = state.stages[context.stage]?.iteration ?? 0
  const { prior, config: settings } = state.start
  return of.work({
    runId: state.id,
    query: state.start.query,
    person: state.start.person,
    settings,
    depth: depthOf(state),
    stage: context.config,
    iteration,
    outputs: outputsFor(state, context.stage, iteration),
    // A change that the user describes at an earlier stage also applies to the answer.
    amendments: state.stages.slice(0, context.stage + 1).flatMap((it) => it.amendments),
    feedback: unit === undefined ? undefined : state.feedback[unit],
    prior: prior === null ? undefined : await of.deps.prior(prior),
    leftUsd: () => leftUsd(context.writer.state(), context.stage),
    prompt: (file) => promptOf(state, context.config, file),
    effects: of.effects,
    signal: context.signal,
  })
}

function outputsFor(
  state: RunState,
  stage: number,
  iteration: number,
): Readonly<Record<string, unknown>> {
  const last = iteration > 0 ? stage : stage - 1
  return Object.fromEntries(
    state.start.config.stages.flatMap(({ name }, at) => {
      const its = state.stages[at]
      return at <= last && its?.hasOutput === true ? [[name, structuredClone(its.output)]] : []
    }),
  )
}

function promptOf(state: RunState, { name }: StageConfig, file: string): string {
  const { prompts } = state.start
  const text = Object.hasOwn(prompts, file) ? prompts[file] : undefined
  if (text === undefined) throw PromptMissing({ stage: name, file })
  return text
}

/** Output and consequence are one write, so that they are never separated. */
function outcomeOf(result: StageResult, context: Attempt): readonly PipelineEventBody[] {
  const { stage, attempt, writer } = context
  if (result.skipped !== undefined) {
    const { name, optional } = context.config
    if (!optional) throw StageNeedsMissing({ stage: name, problem: result.skipped })
    return [{ type: "skipped", by: ENGINE, stage, reason: brief(result.skipped, context) }]
  }
  const failed = failedOf(result, context)
  const output: PipelineEventBody = {
    type: "stage_output",
    stage,
    attempt,
    output: keepable(result.output, context),
    summary: brief(result.summary, context),
    isCarried: false,
  }
  const bodies = [...failed, output]
  return [...bodies, ...whatFollows(writer.foresee(bodies), stage, clarifyOf(result, context))]
}

function failedOf(result: StageResult, context: Attempt): readonly PipelineEventBody[] {
  if (result.failed === undefined) return []
  const { stage, attempt } = context
  const problems = result.failed.problems.map((it) => brief(it, context))
  const feedback = context.redact(namedFeedback(result.output, context) ?? result.failed.feedback)
  return [{ type: "validation_failed", stage, attempt, problems, feedback }]
}

function namedFeedback(output: unknown, { writer, stage }: Attempt): string | undefined {
  const { start } = writer.state()
  const unit = unitOf(start, stage)
  const field = unit === undefined ? undefined : start.config.repairUnits[unit]?.feedbackField
  if (field === undefined || typeof output !== "object" || output === null) return undefined
  const value: unknown = Object.entries(output).find(([name]) => name === field)?.[1]
  const lines = (Array.isArray(value) ? value : [value]).filter((it) => typeof it === "string")
  const text = lines.join("\n").trim()
  return text === "" ? undefined : text
}

function clarifyOf(result: StageResult, context: Attempt): string | undefined {
  return result.pause === undefined ? undefined : brief(result.pause.question, context)
}

/** An interrupted stage, or one whose run was lost, records nothing. */
function failureOf(error: unknown, context: Attempt): readonly PipelineEventBody[] {
  const why = interruptionOf(context.signal)
  if (why === "lost" || why === "leave") throw new Interruption(why)
  // The run cannot be written; it is left as it is and continued from there.
  if (context.writer.isBroken()) throw error
  if (why !== undefined) return [STOPPED]
  if (error instanceof OverBudget) return overBudget(error.spending)
  const reported = isAppError(error) ? error : bugOf(error, context)
  const { stage, writer } = context
  const failure: PipelineEventBody = {
    type: "error",
    stage,
    code: reported.code,
    message: brief(reported.message, context),
    hint: reported.hint,
  }
  const { config } = writer.state().start
  const title = context.config.title
  if (config.pauseOnErrors && !config.autoAdvance) {
    const question = `${title} failed. Try again?`
    return [failure, pauseOf(writer.state(), { stage, reason: "error", question })]
  }
  const reason = `${title} failed: ${failure.message}`
  return [failure, { type: "run_completed", status: "failed", reason, isPartial: true }]
}

export const STOPPED: PipelineEventBody = {
  type: "run_completed",
  status: "stopped",
  reason: "Stopped by the user",
  isPartial: true,
}

function bugOf(error: unknown, context: Attempt) {
  const problem = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return StageFailed({ stage: context.config.name, problem }, error)
}
