import type { Model, ModelAnswer } from "#ground/model"
import { AnswerInvalid, ConnectionChanged, PromptTooLong, ProviderChanged } from "../errors.ts"
import type { BodyOf, RecordedEffect } from "../events/state.ts"
import type { StageAnswer, StageAsk } from "../stage.ts"
import { type Attempt, begin, brief, keepable, recordedOf, refuseOverBudget } from "./activity.ts"
import type { LiveText } from "./live-text.ts"

const LONGEST_ANSWER_CHARACTERS = 400_000

/** The first call and two retries if the response does not match its schema. Each is paid. */
const ASKS_FOR_ONE_ANSWER = 3

export type AskDeps = {
  model(connection?: string): Promise<Pick<Model, "ask" | "name" | "provider">>
  readonly liveText: Pick<LiveText, "writing">
  count(): Promise<(text: string) => number>
  windowTokens(): number
}

type AskContext = Attempt & AskDeps
type RecordedAnswer = Extract<RecordedEffect, { kind: "answer" }>

export async function askUntilFitting(
  key: string,
  ask: StageAsk,
  context: AskContext,
): Promise<StageAnswer> {
  const keys = Array.from({ length: ASKS_FOR_ONE_ANSWER }, (_, nth) => nthKey(key, nth + 1))
  const recorded = keys.map((it) => answeredOf(it, context))
  // Checked before any call: a later try may be recorded although an earlier one was dropped.
  let answer = recorded.find((it) => it !== undefined && it.problem === undefined)
  let problem: string | undefined
  for (const [index, itsKey] of keys.entries()) {
    if (answer !== undefined && answer.problem === undefined) break
    answer = recorded[index] ?? (await askOnce(itsKey, corrected(ask, problem), context))
    problem = answer.problem
  }
  if (answer !== undefined && answer.problem === undefined) {
    return { text: answer.text, value: structuredClone(answer.value) }
  }
  throw AnswerInvalid({ stage: context.config.name, asks: keys.length, problem: problem ?? "" })
}

/** `plan`, then `plan~2` and `plan~3`: each call is a separate effect. */
function nthKey(key: string, nth: number): string {
  return nth === 1 ? key : `${key}~${nth}`
}

function answeredOf(key: string, context: AskContext): RecordedAnswer | undefined {
  const recorded = recordedOf(key, context)
  return recorded?.kind === "answer" ? recorded : undefined
}

function corrected(ask: StageAsk, problem: string | undefined): StageAsk {
  if (problem === undefined) return ask
  const complaint = `Your last answer could not be used: ${problem}\nAnswer again, with JSON alone.`
  return { ...ask, prompt: `${ask.prompt}\n\n${complaint}` }
}

async function askOnce(key: string, ask: StageAsk, context: AskContext): Promise<RecordedAnswer> {
  refuseOverBudget(context)
  await refuseOtherProvider(context)
  await refuseTooLong(ask, context)
  const label = { tool: "LLM Analysis", kind: "other", title: ask.title } as const
  const activity = await begin({ key, label, prefix: "llm" }, context)
  const answer = await activity.during(() => call(ask, activity.activityId, context))
  const called = recordOf(answer, { key, activityId: activity.activityId }, context)
  const { input, output, cacheRead, cacheWrite } = called.usage
  const tokens = input + output + cacheRead + cacheWrite
  await activity.end({ outcome: "done", tokens }, [called])
  return { kind: "answer", text: called.text, value: called.value, problem: called.problem }
}

async function call(ask: StageAsk, activityId: string, context: AskContext): Promise<ModelAnswer> {
  const { writer, stage, config, signal, liveText } = context
  const writing = liveText.writing({ id: writer.claim.id, stage, activityId })
  try {
    const model = await context.model(config.connection)
    const usual = config.connection === undefined ? writer.state().start.model : model.name
    return await model.ask({
      name: `${writer.state().start.agent}/${config.name}`,
      instructions: ask.instructions,
      prompt: ask.prompt,
      model: config.model ?? usual,
      effort: ask.effort ?? config.effort,
      maxOutputTokens: ask.maxOutputTokens ?? config.maxOutputTokens,
      schema: ask.schema,
      signal,
      onText: writing.grown,
    })
  } finally {
    writing.ended()
  }
}

function recordOf(
  answer: ModelAnswer,
  at: { readonly key: string; readonly activityId: string },
  context: AskContext,
): BodyOf<"llm_called"> {
  const { length } = answer.text
  const most = LONGEST_ANSWER_CHARACTERS
  const problem =
    length > most ? `it has ${length} characters; the limit is ${most}` : answer.problem
  const called = {
    type: "llm_called",
    stage: context.stage,
    attempt: context.attempt,
    ...at,
    model: answer.model,
    ...(context.config.connection !== undefined && { connection: context.config.connection }),
    usage: answer.usage,
    usd: answer.usd,
    durationMs: Math.max(0, Math.round(answer.durationMs)),
    retries: answer.retries,
  } as const
  if (problem !== undefined) {
    const text = brief(answer.text, context)
    return { ...called, text, problem: brief(problem, context) }
  }
  const text = context.redact(answer.text.toWellFormed())
  const value = answer.value === undefined ? {} : { value: keepable(answer.value, context) }
  return { ...called, text, ...value }
}

/** Otherwise a run resumed with other settings would name the wrong author of its answer. */
async function refuseOtherProvider({ writer, model, config }: AskContext): Promise<void> {
  const { id, start } = writer.state()
  const { connection } = config
  const { provider, name } = await model(connection)
  if (connection === undefined) {
    if (provider !== start.provider)
      throw ProviderChanged({ id, was: start.provider, is: provider })
    return
  }
  const was = start.connections?.[connection]
  const isSame = was?.provider === provider && was.model === name
  if (!isSame) {
    const before = was === undefined ? "none" : `${was.provider} ${was.model}`
    throw ConnectionChanged({ id, connection, was: before, is: `${provider} ${name}` })
  }
}

async function refuseTooLong(ask: StageAsk, context: AskContext): Promise<void> {
  const count = await context.count()
  const tokens = count(ask.instructions) + count(ask.prompt)
  const most = context.windowTokens()
  if (tokens > most) throw PromptTooLong({ stage: context.config.name, tokens, most })
}
