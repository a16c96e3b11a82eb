import path from "node:path"
import type {
  Config,
  connectionOperations,
  Handlers,
  ModelConnection,
  ModelProvider,
} from "#ground/contract"
import type { Embedder, Model, ScriptedBrain } from "#ground/model"
import type { Services } from "../services.ts"
import { priceOf } from "./tokens.ts"

type ModelDeps = Pick<
  Services,
  "clock" | "config" | "credentials" | "environment" | "log" | "places" | "random"
>

/** Loads the provider's package at the first call. */
export async function openModel(deps: ModelDeps, script: ScriptedBrain): Promise<Model> {
  return makeModel(deps, {
    settings: deps.config().model,
    key: () => keyFor(providerOf(deps), deps),
    script,
  })
}

/** A named model of the user, independent of the model settings. */
export async function openConnection(deps: ModelDeps, name: string): Promise<Model> {
  const { settingsOf } = await import("#ground/model")
  const connection = await (await connectionFile(deps)).find(name)
  return makeModel(deps, {
    settings: settingsOf(connection, deps.config().model),
    key: () => requiredKey(connection, deps),
    script: () => {
      throw new Error("a connection has a provider")
    },
  })
}

async function makeModel(
  { clock, random, log }: ModelDeps,
  own: {
    readonly settings: Config["model"]
    readonly script: ScriptedBrain
    key(): Promise<string | undefined>
  },
): Promise<Model> {
  const { createModel } = await import("#ground/model")
  return createModel({ ...own, price: priceOf, clock, random, log })
}

/** Undefined if the settings name none: then search uses words only. */
export async function openEmbedder(deps: ModelDeps): Promise<Embedder | undefined> {
  const { knowledge, model } = deps.config()
  if (knowledge.connection !== "") return openEmbeddings(deps, knowledge.connection)
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

async function openEmbeddings(deps: ModelDeps, name: string): Promise<Embedder | undefined> {
  const { createEmbedder, settingsOf } = await import("#ground/model")
  const connection = await (await connectionFile(deps)).find(name)
  const { clock, random, log } = deps
  return createEmbedder({
    knowledge: { embedder: connection.model, embedderUrl: "" },
    model: settingsOf(connection, deps.config().model),
    key: () => requiredKey(connection, deps),
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

/** Undefined without a key, which only a server on this machine may not need. */
async function requiredKey(connection: ModelConnection, deps: ModelDeps) {
  const key = await connectionKey(connection, deps)
  if (key !== undefined) return key
  const { ConnectionWithoutKey, isOnThisMachine } = await import("#ground/model")
  if (isOnThisMachine(connection.baseUrl)) return undefined
  throw ConnectionWithoutKey(connection)
}

/** Its own key. The provider's general one only at the provider's own address. */
async function connectionKey(connection: ModelConnection, deps: ModelDeps) {
  const own = await (await deps.credentials()).use(connection.credential)
  if (own !== undefined || connection.baseUrl !== "") return own
  return keyFor(connection.provider, deps)
}

async function connectionFile({ places }: Pick<ModelDeps, "places">) {
  const { createConnectionFile } = await import("#ground/model")
  return createConnectionFile(path.join(places().home, "connections.json"))
}

/** Returns the file that has it now. */
export async function addConnection(
  connection: ModelConnection,
  deps: Pick<ModelDeps, "places">,
): Promise<string> {
  const connections = await connectionFile(deps)
  await connections.put(connection)
  return connections.file
}

export function openConnectionHandlers(deps: ModelDeps): Handlers<typeof connectionOperations> {
  const list = async () => {
    const all = await (await connectionFile(deps)).list()
    const connections = all.map(async (it) => ({
      ...it,
      hasKey: (await connectionKey(it, deps)) !== undefined,
    }))
    return { connections: await Promise.all(connections) }
  }
  return {
    list,
    async add({ credential, ...connection }) {
      const named = { ...connection, credential: credential ?? connection.name }
      await (await connectionFile(deps)).put(named)
      return list()
    },
    async remove({ name }) {
      await (await connectionFile(deps)).remove(name)
      return list()
    },
    async test({ name }, { signal }) {
      const connection = await (await connectionFile(deps)).find(name)
      const startedMs = deps.clock.monotonicMs()
      const took = () => Math.round(deps.clock.monotonicMs() - startedMs)
      if (connection.purpose === "embeddings") {
        await (await openEmbeddings(deps, name))?.embed(["harbour"], signal)
        return { name, model: connection.model, durationMs: took(), usd: null }
      }
      const { model, usd } = await (await openConnection(deps, name)).ask({
        name: "connection/test",
        instructions: "You are asked whether you can be reached.",
        prompt: "Answer with the word ok.",
        maxOutputTokens: 16,
        signal,
      })
      return { name, model, durationMs: took(), usd }
    },
  }
}
