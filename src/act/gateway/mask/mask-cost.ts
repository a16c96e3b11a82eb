import type { Candidate } from "./choose-masks.ts"

/** Prices relative to plain input. */
const READ_PRICE = 0.1
const WRITE_PRICE = 1.25
const LONG_WRITE_PRICE = 2

/** A cache entry of five minutes has the lower price. */
const SHORT_LIFETIME_MS = 5 * 60_000

/** A conversation is expected to go on for half as long as it did so far. */
const EXPECTED_SHARE = 0.5
const MOST_EXPECTED_REQUESTS = 200

/**
 * Share of the host's threshold; a smaller saving puts a compaction off by a turn only. One read of a
 * large file must be enough, or a session that reads such files in turns compacts all the same.
 */
const LEAST_SHARE_BEFORE_COMPACTION = 0.1

/** A smaller saving is not worth a change of the conversation. */
const LEAST_SAVED_TOKENS = 2_000

export type MaskPlan = {
  readonly candidates: readonly Candidate[]
  readonly savedTokens: number
  /** Tokens that the provider has to write to its cache again. */
  readonly rewrittenTokens: number
}

export type CostInput = {
  readonly candidates: readonly Candidate[]
  /** Tokens of a candidate less those of its mask. */
  savedBy(candidate: Candidate): number
  /** Tokens of the request from a position on, as they are now. */
  tokensFrom(at: number): number
  readonly isCold: boolean
  /** The host would compact the conversation soon. */
  readonly isCompactionNear: boolean
  /** The fill at which the host compacts, in tokens. */
  readonly compactsAt: number
  readonly modelTurns: number
  readonly lifetimeMs: number | null
}

/**
 * The masks that pay: all of them if the cache is cold, or if they put off a compaction that is near;
 * otherwise the newest ones whose saving in later requests exceeds the one re-write.
 */
export function planMasks(input: CostInput): MaskPlan | undefined {
  const { candidates, savedBy, tokensFrom, isCold, isCompactionNear } = input
  const plans = candidates.map((first, index) => {
    const chosen = candidates.slice(index)
    const savedTokens = chosen.reduce((sum, it) => sum + savedBy(it), 0)
    const rewrittenTokens = Math.max(0, tokensFrom(first.result.at) - savedTokens)
    return { candidates: chosen, savedTokens, rewrittenTokens }
  })
  const worthwhile = plans.filter((it) => it.savedTokens >= LEAST_SAVED_TOKENS)
  const [all] = worthwhile
  const leastTokens = input.compactsAt * LEAST_SHARE_BEFORE_COMPACTION
  const isPutOff = isCompactionNear && (all?.savedTokens ?? 0) >= leastTokens
  if (isCold || isPutOff) return all
  const best = worthwhile
    .map((plan) => ({ plan, gain: gainOf(plan, input) }))
    .toSorted((a, b) => b.gain - a.gain)[0]
  return best !== undefined && best.gain > 0 ? best.plan : undefined
}

function gainOf({ savedTokens, rewrittenTokens }: MaskPlan, input: CostInput): number {
  const { modelTurns, lifetimeMs } = input
  const isLong = lifetimeMs !== null && lifetimeMs > SHORT_LIFETIME_MS
  const writePrice = isLong ? LONG_WRITE_PRICE : WRITE_PRICE
  const expectedRequests = Math.min(modelTurns * EXPECTED_SHARE, MOST_EXPECTED_REQUESTS)
  return savedTokens * READ_PRICE * expectedRequests - rewrittenTokens * (writePrice - READ_PRICE)
}
