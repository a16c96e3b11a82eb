import type { Clock } from "#ground/base"
import { isAppError, sliceText } from "#ground/base"
import type { PipelineEventBody, StageConfig } from "#ground/contract"
import { ResultTooLarge } from "../errors.ts"
import type { BodyOf, RecordedEffect } from "../events/state.ts"
import type { StepLabel } from "../stage.ts"
import { type BudgetUse, dueWarnings, exhausted, priceNotes } from "./budget.ts"
import { mayWrite, refuseIfCut, untilCut } from "./interruption.ts"
import type { RunWriter } from "./store/run-writer.ts"

const LONGEST_PROBLEM_CHARACTERS = 2_000

/** Per effect, as JSON. A run is loaded as a whole, so its parts are bounded. */
const LONGEST_RESULT_CHARACTERS = 4_000_000

export type Attempt = {
  readonly clock: Clock
  readonly writer: RunWriter
  readonly stage: number
  readonly config: StageConfig
  readonly attempt: number
  readonly signal: AbortSignal
  redact(text: string): string
  redactJson(value: unknown): unknown
}

export type Step = { readonly key: string; readonly label: StepLabel; readonly prefix: string }

type Substep = BodyOf<"substep">
type End = Pick<Substep, "outcome" | "result" | "detail" | "tokens" | "usd">

export class OverBudget extends Error {
  override readonly name = "OverBudget"
  readonly spending: BudgetUse

  constructor(spending: BudgetUse) {
    super(`the budget of ${spending.scope} is spent`)
    this.spending = spending
  }
}

export function refuseOverBudget({ writer, stage }: Attempt): void {
  const spending = exhausted(writer.state(), stage)
  if (spending !== undefined) throw new OverBudget(spending)
}

export async function begin(step: Step, attempt: Attempt) {
  const startedMs = attempt.clock.monotonicMs()
  let activityId = ""
  await attempt.writer.append(() => {
    activityId = nextActivity(step, attempt)
    return [substep(step, { activityId, phase: "started" }, attempt)]
  })
  const end = async (how: End, before: readonly PipelineEventBody[] = []): Promise<void> => {
    const durationMs = Math.max(0, Math.round(attempt.clock.monotonicMs() - startedMs))
    const end = { activityId, phase: "ended" } as const
    const bodies = [...before, { ...substep(step, end, attempt), durationMs, ...how }]
    await attempt.writer.append(() => [
      ...bodies,
      ...priceNotes(attempt.writer.state(), bodies),
      ...dueWarnings(attempt.writer.foresee(bodies), attempt.stage),
    ])
  }
  return {
    activityId,
    end,
    /** Cost known so far counts even if the work fails. */
    async during<Result>(
      work: () => Promise<Result>,
      cost: Pick<End, "tokens" | "usd"> = {},
    ): Promise<Result> {
      try {
        // While its start was stored, another claim may have begun and done the same work.
        refuseIfCut(attempt.signal)
        return await untilCut(work(), attempt.signal)
      } catch (error) {
        const outcome = attempt.signal.aborted ? "stopped" : "failed"
        const detail = brief(messageOf(error), attempt)
        const priced = wasRefused(error) ? { usd: 0, ...cost } : cost
        if (mayWrite(attempt.signal)) await end({ outcome, detail, ...priced })
        throw error
      }
    },
  }
}

export async function tell(step: Step, how: End, attempt: Attempt): Promise<void> {
  await attempt.writer.append(() => {
    const activityId = nextActivity(step, attempt)
    return [{ ...substep(step, { activityId, phase: "ended" }, attempt), ...how }]
  })
}

function nextActivity({ prefix }: Step, { writer }: Attempt): string {
  return `orch-${prefix}-${writer.state().activities + 1}`
}

function substep(
  { key, label }: Step,
  phase: Pick<Substep, "activityId" | "phase">,
  { stage, attempt, redact }: Attempt,
): Substep {
  const { kind, tool, title } = label
  return { type: "substep", stage, attempt, key, ...phase, kind, tool, title: redact(title) }
}

export function recordedOf(key: string, { writer, stage }: Attempt): RecordedEffect | undefined {
  const recorded = writer.state().stages[stage]?.recorded ?? {}
  return Object.hasOwn(recorded, key) ? recorded[key] : undefined
}

/**
 * A result as it is stored: plain JSON without secrets. The stage gets this version too, so that it
 * behaves the same after a crash.
 */
export function keepable(value: unknown, { config, redactJson }: Attempt): unknown {
  const text = JSON.stringify(value ?? null)
  const most = LONGEST_RESULT_CHARACTERS
  if (text.length > most) {
    throw ResultTooLarge({ stage: config.name, characters: text.length, most })
  }
  return redactJson(JSON.parse(text))
}

export function brief(text: string, { redact }: Pick<Attempt, "redact">): string {
  // Redact first: a truncated secret would not be recognized.
  return sliceText(redact(text.toWellFormed()), LONGEST_PROBLEM_CHARACTERS)
}

function wasRefused(error: unknown): boolean {
  return isAppError(error) && (error.family === "invalid" || error.family === "denied")
}

function messageOf(error: unknown): string {
  if (isAppError(error)) return `${error.message} [${error.code}]`
  return error instanceof Error ? error.message : String(error)
}
