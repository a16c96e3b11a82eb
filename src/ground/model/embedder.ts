import type { Clock, Log, Random } from "#ground/base"
import type { Config } from "#ground/contract"
import { tryPatiently } from "./retry.ts"
import {
  checkAddress,
  checkKey,
  type Destination,
  destinationOf,
  type ModelConfig,
  missing,
  ownAddress,
  under,
  type WireProvider,
} from "./settings.ts"

/** About 8,000 tokens, the longest input of common embedders; the rest of a text is dropped. */
const LONGEST_EMBEDDED_CHARACTERS = 24_000

/**
 * Providers accept 96 (Cohere) to 2,048 (OpenAI) texts per call; the smallest number works
 * everywhere.
 */
const MOST_TEXTS_A_CALL = 96

export type Embedder = {
  readonly name: string
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>
}

export type EmbedderDeps = {
  readonly knowledge: Pick<Config["knowledge"], "embedder" | "embedderUrl">
  readonly model: ModelConfig
  /** The key of the named provider; `custom` for an address of the embedder's own. */
  readonly key: (of: WireProvider) => Promise<string | undefined>
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** Undefined if the settings name no embedding model: then search is by words only. */
export function createEmbedder(deps: EmbedderDeps): Embedder | undefined {
  const { model, clock, random, log } = deps
  const name = deps.knowledge.embedder.trim()
  if (name === "") return undefined

  async function embedBatch(texts: readonly string[], signal: AbortSignal) {
    const to = await destination(deps, name)
    const { embedOnce } = await import("./providers/embeddings.ts")
    const patience = {
      provider: `the embedder ${name}`,
      name: "embed",
      retries: model.retries,
      timeoutSeconds: model.timeout,
      signal,
      clock,
      random,
      log,
    }
    const attempt = (inTime: AbortSignal) =>
      embedOnce({ to, texts, signal: inTime, now: clock.now, provider: patience.provider })
    return (await tryPatiently(attempt, patience)).value
  }

  return {
    name,
    async embed(texts, signal) {
      const vectors: Float32Array[] = []
      for (let at = 0; at < texts.length; at += MOST_TEXTS_A_CALL) {
        const batch = texts.slice(at, at + MOST_TEXTS_A_CALL).map(embeddable)
        vectors.push(...(await embedBatch(batch, signal)))
      }
      return vectors
    },
  }
}

function embeddable(text: string): string {
  return text.trim() === "" ? " " : text.slice(0, LONGEST_EMBEDDED_CHARACTERS)
}

async function destination(deps: EmbedderDeps, name: string): Promise<Destination> {
  const settings = deps.model
  const { provider, apiVersion } = settings
  const own = deps.knowledge.embedderUrl.trim()
  if (own !== "") {
    const address = checkAddress(own, "knowledge.embedderUrl")
    const baseUrl = under(address, "")
    // The model's key is for the model's provider; another address must not receive it.
    const owner = isOfModel(address, settings) && provider !== "scripted" ? provider : "custom"
    const key = checkKey("custom", await deps.key(owner))
    return { provider: "custom", model: name, baseUrl, key, apiVersion }
  }
  if (provider === "scripted" || provider === "anthropic") {
    const needs = `an embedder with provider ${provider}`
    throw missing("knowledge.embedderUrl", "QM_KNOWLEDGE_EMBEDDER_URL", needs)
  }
  return destinationOf({ settings, provider, model: name, key: await deps.key(provider) })
}

function isOfModel(address: URL, settings: ModelConfig): boolean {
  const ownUrl = ownAddress(settings)
  return ownUrl !== undefined && URL.parse(ownUrl)?.origin === address.origin
}
