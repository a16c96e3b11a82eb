import type { ModelProvider } from "#ground/contract"
import type { Embedder, Model, ScriptedBrain } from "#ground/model"
import type { Services } from "../services.ts"
import { priceOf } from "./tokens.ts"

type ModelDeps = Pick<
  Services,
  "clock" | "config" | "credentials" | "environment" | "log" | "random"
>

/** The model of the settings. Its packages are loaded with the first question. */
export async function openModel(deps: ModelDeps, script: ScriptedBrain): Promise<Model> {
  const { createModel } = await import("#ground/model")
  return createModel({
    settings: deps.config().model,
    key: () => keyFor(providerOf(deps), deps),
    price: priceOf,
    clock: deps.clock,
    random: deps.random,
    log: deps.log,
    script,
  })
}

/** Undefined when the settings name none: then only words are searched. */
export async function openEmbedder(deps: ModelDeps): Promise<Embedder | undefined> {
  const { knowledge, model } = deps.config()
  if (knowledge.embedder === "") return undefined
  const { createEmbedder } = await import("#ground/model")
  const { clock, random, log } = deps
  return createEmbedder({
    knowledge,
    model,
    // By the address that is asked: a foreign one gets no key of the model's.
    key: (of) => keyFor(of, deps),
    clock,
    random,
    log,
  })
}

type WithKey = Exclude<ModelProvider, "scripted">

function providerOf({ config }: ModelDeps): WithKey {
  const { provider } = config().model
  return provider === "scripted" ? "custom" : provider
}

/** The variable of the provider first, because it is what a script sets for one call. */
async function keyFor(of: WithKey, { environment, credentials }: ModelDeps) {
  const { MODEL_KEYS } = await import("#ground/model")
  const { variable, credential } = MODEL_KEYS[of]
  const given = environment()[variable]
  return given === undefined || given === "" ? (await credentials()).use(credential) : given
}
