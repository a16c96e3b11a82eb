import type { CacheReport, TokenUsage } from "#ground/contract"
import {
  type CachedRequest,
  compare,
  inCacheOrder,
  type NewRequest,
  scaleOf,
  sumTokens,
} from "./compare-requests.ts"
import { COUNT_ERROR, type MissInput, nameCause, SMALLEST_LOSS_TOKENS } from "./name-cause.ts"

type PriceOf = (usage: TokenUsage, model: string) => number | undefined

/**
 * Compares a request with the earlier one whose cache entries it could use, and names why the
 * provider did not use them. Pure; the causes that fit are checked against the provider's usage.
 */
export function explainCache(
  before: CachedRequest | undefined,
  now: NewRequest,
  priceOf: PriceOf,
): CacheReport {
  const report: CacheReport = {
    verdict: "first",
    cause: null,
    isCertain: false,
    also: [],
    detail: "",
    comparedWith: null,
    gapMs: null,
    prefixItems: 0,
    prefixTokens: 0,
    firstDifference: null,
    expectedTokens: null,
    lostTokens: null,
    lostUsd: null,
    settings: now.settings,
  }
  if (before === undefined) return report
  const comparison = compare(before, now)
  const compared: CacheReport = {
    ...report,
    comparedWith: { proxiedSession: before.proxiedSession, seq: before.seq },
    gapMs: Math.max(0, now.sentAt - before.answeredAt),
    prefixItems: comparison.prefix,
    prefixTokens: sumTokens(comparison.items.slice(0, comparison.prefix)),
    firstDifference: comparison.difference,
  }
  const { usage } = now
  const expectedTokens = expectedOf(before)
  if (usage === null || expectedTokens === null) return { ...compared, verdict: "unknown" }
  if (expectedTokens < SMALLEST_LOSS_TOKENS) {
    return { ...compared, verdict: "uncached", expectedTokens, lostTokens: 0 }
  }
  const lostTokens = lossOf({ before, now, usage, expectedTokens })
  const isMiss = lostTokens > Math.max(SMALLEST_LOSS_TOKENS, expectedTokens * COUNT_ERROR)
  if (!isMiss) return { ...compared, verdict: "hit", expectedTokens, lostTokens: 0, lostUsd: 0 }
  const lostUsd = costOfLoss({ usage, lostTokens, model: now.model, priceOf })
  const named = nameCause({ before, now, usage, comparison, expectedTokens })
  return { ...compared, verdict: "miss", expectedTokens, lostTokens, lostUsd, ...named }
}

/** Of the newest requests of a conversation, the one whose cache entries a new one can use best. */
export function chooseBefore(
  candidates: readonly CachedRequest[],
  now: NewRequest,
): CachedRequest | undefined {
  const ranked = candidates.map((it, at) => {
    const { prefix, difference } = compare(it, now)
    // A request that only continues an earlier one is compared with that, not with a fork of it.
    const rank = it.model === now.model ? prefix + (difference === null ? 0.5 : 0) : -1
    return { it, at, rank }
  })
  return ranked.toSorted((a, b) => b.rank - a.rank || b.at - a.at)[0]?.it
}

/** Tokens that the provider had in its cache after a request. */
function expectedOf({ usage, wire }: CachedRequest): number | null {
  if (usage === null) return null
  if (wire === "anthropic") return usage.cacheRead + usage.cacheWrite
  // It caches by itself, in steps of 128 tokens, and reports only what it read.
  return Math.floor((usage.input + usage.cacheRead + usage.cacheWrite) / 128) * 128
}

/** Sent before, sent again, and not read from the cache; content that left or is new is no loss. */
function lossOf({ before, now, usage, expectedTokens }: Omit<MissInput, "comparison">): number {
  const sent = usage.input + usage.cacheRead + usage.cacheWrite
  const repeated = Math.round(repeatedTokens(before, now) * scaleOf(now, usage))
  const resent = Math.max(0, Math.min(repeated, sent) - usage.cacheRead)
  return Math.max(0, Math.min(expectedTokens - usage.cacheRead, resent))
}

function repeatedTokens(before: CachedRequest, now: NewRequest): number {
  const left = new Map<string, number>()
  for (const { sha256 } of before.items) left.set(sha256, (left.get(sha256) ?? 0) + 1)
  return sumTokens(
    inCacheOrder(now.items)
      .map((it) => it.item)
      .filter(({ sha256 }) => {
        const count = left.get(sha256) ?? 0
        left.set(sha256, count - 1)
        return count > 0
      }),
  )
}

/** The same request, with the lost tokens read from the cache, would have cost less. */
function costOfLoss(it: {
  readonly usage: TokenUsage
  readonly lostTokens: number
  readonly model: string | null
  readonly priceOf: PriceOf
}): number | null {
  const { usage, lostTokens, model, priceOf } = it
  if (model === null) return null
  const written = Math.min(lostTokens, usage.cacheWrite)
  const read = Math.min(lostTokens, written + usage.input)
  const better = {
    ...usage,
    input: usage.input - (read - written),
    cacheWrite: usage.cacheWrite - written,
    cacheRead: usage.cacheRead + read,
  }
  const [paid, possible] = [priceOf(usage, model), priceOf(better, model)]
  return paid === undefined || possible === undefined ? null : Math.max(0, paid - possible)
}
