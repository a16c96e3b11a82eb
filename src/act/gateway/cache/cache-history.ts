import type { CacheReport, GatewayManifest, GatewayRequest, WireName } from "#ground/contract"
import type { CachedRequest, NewRequest } from "./compare-requests.ts"
import { chooseBefore, explainCache } from "./explain-cache.ts"

/** Hosts send forks of a conversation in between, e.g. for suggestions. */
const MOST_CANDIDATES = 3

/** A host has a main conversation and a few sub-agents at a time. */
const MOST_CONVERSATIONS = 50

type Observed = Pick<
  GatewayRequest,
  "agent" | "at" | "durationMs" | "folded" | "masked" | "model" | "route" | "usage"
> & {
  readonly conversation: string
  readonly items: GatewayManifest["items"]
  readonly cacheSettings: CacheReport["settings"]
}

/** The newest requests of each conversation of one proxied session, to explain the next one. */
export function createCacheHistory(deps: {
  readonly proxiedSession: string
  readonly wire: WireName
  priceOf: Parameters<typeof explainCache>[2]
}) {
  const histories = new Map<string, readonly CachedRequest[]>()
  const factsOf = (observed: Observed): NewRequest => ({
    proxiedSession: deps.proxiedSession,
    wire: deps.wire,
    model: observed.model,
    settings: observed.cacheSettings,
    items: observed.items,
    usage: observed.usage,
    folds: observed.folded.map((it) => it.branchId),
    maskedResults: observed.masked?.results ?? 0,
    sentAt: observed.at,
    answeredAt: observed.at + Math.round(observed.durationMs),
  })
  const add = (key: string, request: CachedRequest): void => {
    const before = histories.get(key) ?? []
    histories.delete(key)
    histories.set(key, [...before, request].slice(-MOST_CANDIDATES))
    const [oldest] = histories.keys()
    if (histories.size > MOST_CONVERSATIONS && oldest !== undefined) histories.delete(oldest)
  }
  return {
    /** The last request of a conversation that another process proxied. */
    resume(conversation: string, { request, items }: GatewayManifest): void {
      const { cache, proxiedSession, seq } = request
      if (cache === undefined) return
      const observed = { ...request, items, conversation, cacheSettings: cache.settings }
      add(keyOf(observed), { ...factsOf(observed), proxiedSession, seq })
    },
    explain(observed: Observed): CacheReport {
      const now = factsOf(observed)
      const before = chooseBefore(histories.get(keyOf(observed)) ?? [], now)
      return explainCache(before, now, deps.priceOf)
    },
    add(observed: Observed, seq: number): void {
      add(keyOf(observed), { ...factsOf(observed), seq })
    },
  }
}

/** Small requests without tools, e.g. for a title, are not part of the conversation. */
function keyOf({ conversation, route, items }: Observed): string {
  return `${conversation} ${route} ${items.some((it) => it.kind === "tool")}`
}
