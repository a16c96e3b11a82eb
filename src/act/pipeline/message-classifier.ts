import { z } from "zod"
import { isAppError } from "#ground/base"
import type { PipelineEventBody } from "#ground/contract"
import type { Model, ModelAnswer } from "#ground/model"
import { type Classification, classifyBreakout } from "./breakout/classify.ts"
import { priceNotes } from "./engine/budget.ts"
import type { BodyOf, RunState } from "./events/state.ts"
import { SAY_OUTPUT_TOKENS } from "./limits.ts"
import type { StageAsk } from "./stage.ts"

type Deps = {
  model(): Promise<Pick<Model, "ask">>
  redact(text: string): string
  /** Fails if the run no longer waits in the same state. */
  write(at: RunState, bodies: readonly PipelineEventBody[]): Promise<RunState>
}

type Message = { readonly text: string; readonly signal: AbortSignal }

export type AskedClassifier = {
  readonly found: Classification | undefined
  /** Events for the end of the call, to be written with its consequence. */
  readonly calls: readonly PipelineEventBody[]
  readonly after: RunState
}

/**
 * Asks a model whether a message leaves the topic. The call is an activity of the paused stage and
 * is recorded before it is made, so that an interrupted call counts as unknown cost.
 */
export async function askClassifier(
  state: RunState,
  message: Message,
  deps: Deps,
): Promise<AskedClassifier> {
  const step = stepOf(state)
  const after = await deps.write(state, [{ ...step, phase: "started" }])
  const ended: PipelineEventBody[] = []
  const ask = async (question: StageAsk) => {
    const answer = await asking(question, { state, message, deps }).catch((error: unknown) => {
      const detail = isAppError(error) ? `${error.message} [${error.code}]` : "The call failed."
      ended.push({ ...step, phase: "ended", outcome: "failed", detail: deps.redact(detail) })
      throw error
    })
    ended.push(calledBy(answer, step, deps), { ...step, phase: "ended", outcome: "done" })
    return { text: answer.text, value: answer.value }
  }
  const question = {
    topic: state.start.query,
    subQueries: subQueriesOf(state),
    message: message.text,
  }
  const classification = await classifyBreakout(ask, question)
  return { found: classification, calls: [...ended, ...priceNotes(after, ended)], after }
}

type Step = Omit<BodyOf<"substep">, "phase">

function stepOf(state: RunState): Step {
  const stage = state.pause?.stage ?? 0
  return {
    type: "substep",
    stage,
    attempt: Math.max(1, state.stages[stage]?.attempt ?? 1),
    key: `breakout/${state.lastSeq}`,
    activityId: `orch-llm-${state.activities + 1}`,
    kind: "other",
    tool: "LLM Analysis",
    title: "does the message leave the topic",
  }
}

type ClassifyRequest = { readonly state: RunState; readonly message: Message; readonly deps: Deps }

async function asking(
  ask: StageAsk,
  { state, message, deps }: ClassifyRequest,
): Promise<ModelAnswer> {
  const model = await deps.model()
  return model.ask({
    name: `${state.start.agent}/breakout`,
    instructions: ask.instructions,
    prompt: ask.prompt,
    effort: ask.effort,
    maxOutputTokens: ask.maxOutputTokens ?? SAY_OUTPUT_TOKENS,
    schema: ask.schema,
    signal: message.signal,
  })
}

function calledBy(answer: ModelAnswer, step: Step, { redact }: Deps): PipelineEventBody {
  const { stage, attempt, key, activityId } = step
  const { model, usage, usd, retries, problem } = answer
  return {
    type: "llm_called",
    stage,
    attempt,
    key,
    activityId,
    model,
    usage,
    usd,
    retries,
    text: redact(answer.text),
    ...(problem === undefined ? {} : { problem: redact(problem) }),
    durationMs: Math.max(0, Math.round(answer.durationMs)),
  }
}

const Plan = z.object({ subQueries: z.array(z.object({ question: z.string() })) })

function subQueriesOf(state: RunState): readonly string[] {
  for (const { output } of state.stages.toReversed()) {
    const plan = Plan.safeParse(output)
    if (plan.success) return plan.data.subQueries.map((it) => it.question)
  }
  return []
}
