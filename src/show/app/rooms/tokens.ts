import { readTextBounded } from "#ground/base"
import type { TokenUsage } from "#ground/contract"
import { costOf, createTokens, knownScale, type Tokens, tokensHandlers } from "#ground/tokens"
import { describeUnreadable, FileUnreadable } from "../errors.ts"
import type { Services } from "../services.ts"

/** Larger than the window of any model. */
const COUNTED_FILE_LIMIT_BYTES = 50_000_000

export function openTokensHandlers(
  deps: Pick<Services, "config" | "modelScale" | "resolve" | "tokens">,
) {
  return tokensHandlers({
    tokens: deps.tokens,
    scale: async (model) => knownScale(await deps.modelScale(model)),
    window: () => deps.config().tokens.window,
    async read(given) {
      const outcome = await readTextBounded(deps.resolve(given), {
        maxBytes: COUNTED_FILE_LIMIT_BYTES,
      })
      if (outcome.kind === "read") return { text: outcome.text, sizeBytes: outcome.bytes.length }
      const reason = describeUnreadable(outcome, COUNTED_FILE_LIMIT_BYTES)
      throw FileUnreadable({ path: given, reason })
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
