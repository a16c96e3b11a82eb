import { type Clock, isAppError, type Log, type Random } from "#ground/base"
import type { ModelProvider, TokenUsage } from "#ground/contract"
import { checkLength, estimateUsage, type ModelAnswer, type ModelAsk } from "./ask.ts"
import { answerReader } from "./json/structured-answer.ts"
import { type Try, tryPatiently } from "./retry.ts"
import { askScript, type ScriptedBrain } from "./scripted-model.ts"
import { destinationOf, type ModelConfig, usualModel } from "./settings.ts"

export type Model = {
  readonly provider: ModelProvider
  readonly name: string
  ask(ask: ModelAsk): Promise<ModelAnswer>
}

export type ModelDeps = {
  readonly settings: ModelConfig
  /** Read before each call, so that a key stored meanwhile is used. */
  readonly key: () => Promise<string | undefined>
  readonly price: (usage: TokenUsage, model: string) => number | undefined
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly script: ScriptedBrain
}

type ModelReply = {
  readonly text: string
  readonly usage: TokenUsage | undefined
  readonly model: string | undefined
  readonly end: "complete" | "length" | "refused"
}

export function createModel(deps: ModelDeps): Model {
  const { settings, clock } = deps
  const usual = usualModel(settings)
  const reach = settings.provider === "scripted" ? reachScript(deps) : reachProvider(deps)

  async function ask(question: ModelAsk): Promise<ModelAnswer> {
    const startedMs = clock.monotonicMs()
    checkLength(question)
    const read = answerReader(question.schema, question.name)
    const name = question.model ?? usual
    const { value: reply, retries } = await reach(question, name)
    const usage = reply.usage ?? estimateUsage(question.instructions + question.prompt, reply.text)
    const usd = priceOf(deps, usage, [reply.model, name])
    const durationMs = Math.round(clock.monotonicMs() - startedMs)
    const { value, problem } = judge(reply, read(reply.text))
    const isCut = reply.end === "length"
    const model = reply.model ?? name
    return { text: reply.text, value, problem, isCut, usage, usd, model, retries, durationMs }
  }

  return {
    provider: settings.provider,
    name: usual,
    ask: (question) => logged(() => ask(question), question, deps),
  }
}

type Reach = (
  ask: ModelAsk,
  model: string,
) => Promise<{ readonly value: ModelReply; readonly retries: number }>

function reachScript(deps: ModelDeps): Reach {
  return (ask) =>
    tryPatiently<ModelReply>(
      async () => {
        const { text, usage } = await askScript(deps.script, ask)
        return { kind: "done", value: { text, usage, model: undefined, end: "complete" } }
      },
      patience(deps, ask),
    )
}

function reachProvider(deps: ModelDeps): Reach {
  const { settings, clock } = deps
  const { provider } = settings
  const formless = new Set<string>()
  return async (ask, model) => {
    if (provider === "scripted") throw new Error("a scripted model has no wire format")
    const to = destinationOf({ settings, provider, model, key: await deps.key() })
    // Loaded with the first question: a command without questions does not wait for packages.
    const { callProvider } = await import("./providers/wire.ts")
    const effort = ask.effort ?? settings.effort
    const attempt = (signal: AbortSignal): Promise<Try<ModelReply>> =>
      callProvider({ ask, effort, to, signal, now: clock.now }, formless)
    return tryPatiently(attempt, patience(deps, ask))
  }
}

function patience(deps: ModelDeps, ask: ModelAsk) {
  const { settings, clock, random, log } = deps
  return {
    provider: settings.provider,
    name: ask.name,
    retries: settings.retries,
    timeoutSeconds: settings.timeout,
    signal: ask.signal,
    clock,
    random,
    log,
  }
}

/**
 * First by the model name in the response, which is more specific than a deployment's, then by the
 * requested name.
 */
function priceOf(
  deps: ModelDeps,
  usage: TokenUsage,
  names: readonly (string | undefined)[],
): number | null {
  for (const name of names) {
    const usd = name === undefined ? undefined : deps.price(usage, name)
    if (usd !== undefined) return usd
  }
  return deps.settings.provider === "scripted" ? 0 : null
}

function judge(
  reply: ModelReply,
  read: { readonly value: unknown; readonly problem: string | undefined },
) {
  if (reply.end === "refused") return { value: undefined, problem: "The model refused to respond." }
  const isCut = reply.end === "length" && read.problem !== undefined
  if (!isCut) return read
  return { value: undefined, problem: `${read.problem} It was truncated at the token limit.` }
}

async function logged(
  work: () => Promise<ModelAnswer>,
  ask: ModelAsk,
  deps: ModelDeps,
): Promise<ModelAnswer> {
  const who = { name: ask.name, provider: deps.settings.provider }
  try {
    const answer = await work()
    const { model, usage, usd, retries, durationMs, problem } = answer
    const fields = { ...who, model, input: usage.input, output: usage.output, usd, retries }
    deps.log.debug("model responded", { ...fields, ms: durationMs, problem })
    return answer
  } catch (error) {
    if (isAppError(error)) deps.log.warn("model call failed", { ...who, code: error.code })
    throw error
  }
}
