import { readTextBounded, statFile } from "#ground/base"
import type { TokenUsage } from "#ground/contract"
import {
  costOf,
  createTokens,
  type ModelScale,
  scaleCounter,
  scaleOf,
  type Tokens,
  tokensHandlers,
  toTokenScale,
  type UsageSample,
} from "#ground/tokens"
import { describeUnreadable, FileUnreadable } from "../errors.ts"
import { checkForEvents } from "../room-events.ts"
import type { Services } from "../services.ts"

/** Larger than the window of any model. */
const COUNTED_FILE_LIMIT_BYTES = 50_000_000

export function openTokensHandlers(
  deps: Pick<Services, "config" | "modelScale" | "resolve" | "tokens">,
) {
  return tokensHandlers({
    tokens: deps.tokens,
    scale: async (model) => toTokenScale(await deps.modelScale(model)),
    window: () => deps.config().tokens.window,
    async read(userPath) {
      const outcome = await readTextBounded(deps.resolve(userPath), {
        maxBytes: COUNTED_FILE_LIMIT_BYTES,
      })
      if (outcome.kind === "read") return { text: outcome.text, sizeBytes: outcome.bytes.length }
      const reason = describeUnreadable(outcome, COUNTED_FILE_LIMIT_BYTES)
      throw FileUnreadable({ path: userPath, reason })
    },
  })
}

/** US dollars by our price table; undefined for an unknown model. */
export function priceOf(usage: TokenUsage, model: string): number | undefined {
  const cost = costOf(
    {
      inputTokens: usage.input,
      outputTokens: usage.output,
      cacheReadTokens: usage.cacheRead,
      cacheWriteTokens: usage.cacheWrite,
    },
    model,
  )
  return cost.kind === "priced" ? cost.usd : undefined
}

export function withModelCounter(
  tokens: Pick<Tokens, "counter">,
  modelScale: Services["modelScale"],
): Services["tokens"] {
  return {
    ...tokens,
    modelCounter: async () =>
      scaleCounter(await tokens.counter(), toTokenScale(await modelScale())),
  }
}

/** Loading an encoding takes 20 ms or more, so it waits for the first count. */
export function lazyTokens(deps: Pick<Services, "config">): Pick<Tokens, "counter"> {
  const made = new Map<string, Tokens>()
  return {
    counter: () => {
      const { encoding } = deps.config().tokens
      const tokens = made.get(encoding) ?? createTokens({ encoding })
      made.set(encoding, tokens)
      return tokens.counter()
    },
  }
}

/** Recorded requests change it slowly. */
const MEASURED_FOR_MS = 60_000

type ScaleDeps = Pick<Services, "clock" | "config" | "location" | "log" | "places" | "store">

/**
 * The factor of the given model, else of `tokens.model`, else of the model that was used last here;
 * measured with its recorded requests.
 */
export function modelScales(deps: ScaleDeps): (model?: string) => Promise<ModelScale> {
  let last: { readonly at: number; readonly samples: Promise<readonly UsageSample[]> } | undefined
  return async (model) => {
    const now = deps.clock.now()
    if (last === undefined || now - last.at > MEASURED_FOR_MS) {
      last = { at: now, samples: readSamples(deps) }
    }
    const samples = await last.samples
    const { encoding, model: configured } = deps.config().tokens
    const modelName = model ?? (configured === "" ? samples[0]?.model : configured)
    return scaleOf(modelName ?? null, encoding, samples)
  }
}

async function readSamples(deps: ScaleDeps): Promise<readonly UsageSample[]> {
  try {
    const location = deps.location()
    // Counting a text creates no database.
    if (location.kind === "sqlite" && (await statFile(location.file)).kind !== "found") return []
    if (!(await checkForEvents("gateway", deps))) return []
    const { readUsageSamples } = await import("#act/gateway")
    const db = (await deps.store()).forRoom("gateway")
    return await readUsageSamples({ db, root: () => deps.places().repository.root })
  } catch (error) {
    deps.log.warn("the stated token factor is used", { error })
    return []
  }
}
