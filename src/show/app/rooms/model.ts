import type { ModelProvider } from "#ground/contract"
import type { Embedder, Model, ScriptedBrain } from "#ground/model"
import type { Services } from "../services.ts"
import { priceOf } from "./tokens.ts"

type ModelDeps = Pick<
  Services,
  "clock" | "config" | "credentials" | "environment" | "log" | "random"
>

/** Loads the provider's package at the first call. */
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

/** Undefined if the settings name none: then search uses words only. */
export async function openEmbedder(deps: ModelDeps): Promise<Embedder | undefined> {
  const { knowledge, model } = deps.config()
  if (knowledge.embedder === "") return undefined
  const { createEmbedder } = await import("#ground/model")
  const { clock, random, log } = deps
  return createEmbedder({
    knowledge,
    model,
    // Chosen by address, so that a foreign embedder does not get the model's key.
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

/** The provider's variable wins, because scripts set it for one call. */
async function keyFor(of: WithKey, { environment, credentials }: ModelDeps) {
  const { MODEL_KEYS } = await import("#ground/model")
  const { variable, credential } = MODEL_KEYS[of]
  const key = environment()[variable]
  return key === undefined || key === "" ? (await credentials()).use(credential) : key
}
