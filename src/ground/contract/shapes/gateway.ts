import { z } from "zod"
import { TokenUsage } from "./agent.ts"
import { ContextKind } from "./start.ts"

const Count = z.int().nonnegative()

export const GATEWAY_MODES = ["off", "record", "fold"] as const
export const GatewayMode = z.enum(GATEWAY_MODES)
export type GatewayMode = z.infer<typeof GatewayMode>

export const SECRET_MODES = ["off", "warn", "replace"] as const

/** Whether old tool results are masked without being asked. */
export const AUTO_FOLD_MODES = ["off", "suggest", "on"] as const
export const AutoFoldMode = z.enum(AUTO_FOLD_MODES)
export type AutoFoldMode = z.infer<typeof AutoFoldMode>

/** Why a tool result is not needed any more. */
const MASK_KINDS = ["superseded", "duplicate", "failed", "oversize", "hand"] as const
export const MaskKind = z.enum(MASK_KINDS)
export type MaskKind = z.infer<typeof MaskKind>

/** The API of the model provider. */
const WIRE_NAMES = ["anthropic", "openai", "gemini"] as const
export const WireName = z.enum(WIRE_NAMES)
export type WireName = z.infer<typeof WireName>

export const WIRE_KINDS = [
  "prompt",
  "instructions",
  "memory",
  "tool",
  "skill",
  "agent",
  "server",
  "hook",
  "style",
  "environment",
  "reminder",
  "system",
  "user",
  "assistant",
  "thinking",
  "call",
  "result",
  "image",
  "other",
] as const
export const WireKind = z.enum(WIRE_KINDS)
export type WireKind = z.infer<typeof WireKind>

/** One part of a request; its text is stored only if that is switched on. */
export const WireItem = z.object({
  kind: WireKind,
  context: ContextKind.describe("Kind on the budget bar"),
  name: z.string().describe("Path, tool, skill or role, redacted"),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  tokens: Count.describe("By our counter"),
  bytes: Count,
  path: z.string().optional().describe("Path of an instruction file with the same text on disk"),
  isConfirmed: z
    .boolean()
    .optional()
    .describe("Whether the file on disk has the same text; absent for other items"),
  isDeferred: z.boolean().optional().describe("A tool whose schema is loaded later"),
  why: z.string().max(300).optional().describe("Reason for the item, if the request shows it"),
})
export type WireItem = z.infer<typeof WireItem>

/** A branch removed from a request. */
export const WireFold = z.object({
  branchId: z.string(),
  bytes: Count.describe("Removed from this request"),
  tokens: Count.describe("Removed from this request, by our counter"),
})
export type WireFold = z.infer<typeof WireFold>

/** Tool results replaced by one line in a request, with the thinking that depended on them. */
export const WireMasks = z.object({
  results: Count,
  bytes: Count.describe("Removed from this request, thinking included"),
  tokens: Count.describe("Removed from this request, by the ratio of the provider's count"),
  added: Count.describe("Results masked for the first time in this request"),
})
export type WireMasks = z.infer<typeof WireMasks>

export const WireOutcome = z.enum(["answered", "refused", "cut", "aborted", "unreachable"])
export type WireOutcome = z.infer<typeof WireOutcome>

/** Why the provider could not reuse what it had cached. */
const CACHE_CAUSES = [
  "model",
  "effort",
  "tools",
  "system",
  "instructions",
  "reminder",
  "history",
  "expired",
  "lookback",
  "resume",
  "compaction",
  "fold",
  "unknown",
] as const
export const CacheCause = z.enum(CACHE_CAUSES)
export type CacheCause = z.infer<typeof CacheCause>

/** The settings of a request that decide which cache entries it can use. */
export const CacheSettings = z.object({
  effort: z.string().max(100).nullable(),
  thinking: z.string().max(100).nullable().describe("Thinking settings"),
  toolChoice: z.string().max(100).nullable(),
  lifetimeMs: Count.nullable().describe("Longest lifetime that its cache markers ask for"),
  markers: Count.describe("Number of cache markers"),
})
export type CacheSettings = z.infer<typeof CacheSettings>

/** The provider's use of its cache for one request, with the cause of a miss. */
export const CacheReport = z.object({
  verdict: z
    .enum(["first", "hit", "miss", "uncached", "unknown"])
    .describe("uncached: nothing was cached before; unknown: no usage was reported"),
  cause: CacheCause.nullable().describe("Of a miss"),
  isCertain: z.boolean().describe("Whether only this cause fits the request and the usage"),
  also: z.array(CacheCause).describe("Further causes that were present"),
  detail: z.string().max(300).describe("The cause in words; empty without a miss"),
  comparedWith: z
    .object({ proxiedSession: z.string(), seq: z.int().positive() })
    .nullable()
    .describe("The earlier request of the conversation"),
  gapMs: Count.nullable().describe("Time between that response and this request"),
  prefixItems: Count.describe("Items at the start that both requests have"),
  prefixTokens: Count.describe("Their tokens, by our counter"),
  firstDifference: z
    .object({
      place: Count.describe("Position in cache order: tools, system, messages"),
      change: z.enum(["added", "removed", "changed", "moved"]),
      kind: WireKind,
      name: z.string(),
    })
    .nullable(),
  expectedTokens: Count.nullable().describe("Cached by the earlier request, by the provider"),
  lostTokens: Count.nullable().describe("Sent again although they had been cached"),
  lostUsd: z.number().nonnegative().nullable().describe("Their extra cost, by the price table"),
  settings: CacheSettings,
})
export type CacheReport = z.infer<typeof CacheReport>

export const GatewayRequest = z.object({
  proxiedSession: z.string().describe("Id of its proxied session"),
  seq: z.int().positive().describe("Number within its proxied session"),
  run: z.string().nullable(),
  at: z.int(),
  route: z.enum(["messages", "responses", "chat", "generate", "count", "other"]),
  session: z.string().nullable().describe("The host's session id"),
  agent: z.string().nullable().describe("The sub-agent; null for the main conversation"),
  model: z.string().nullable(),
  status: z.int().nullable().describe("Status of the response; null if there was none"),
  outcome: WireOutcome,
  firstByteMs: z.number().nonnegative().nullable(),
  durationMs: z.number().nonnegative(),
  sentBytes: Count.describe("Size of the body that the host sent"),
  forwardedBytes: Count.describe("Size of the body that the provider received"),
  tokens: Count.describe("Tokens of the forwarded body, by our counter"),
  kinds: z.array(z.object({ kind: ContextKind, tokens: Count })),
  usage: TokenUsage.nullable().describe(
    "The provider's own usage; null also for token-count requests, which cost nothing",
  ),
  costUsd: z.number().nonnegative().nullable().describe("Cost of that usage by the price table"),
  added: z.array(WireItem).describe("Items new since the previous request, in order"),
  gone: Count.describe("Number of items of the previous request that are missing"),
  folded: z.array(WireFold),
  masked: WireMasks.optional().describe("Absent if no result is masked"),
  maskable: z
    .object({ results: Count, tokens: Count })
    .optional()
    .describe("Results that `gateway.autoFold: on` would have masked in this request"),
  fallback: z
    .string()
    .nullable()
    .describe("Reason why the original body was sent instead of the folded one"),
  problem: z.string().nullable().describe("Reason why it was not recorded completely"),
  secrets: z
    .array(z.object({ kind: z.string(), count: Count }))
    .optional()
    .describe(
      "Secrets that were replaced in it, or sent in its new items; absent if none was found",
    ),
  areSecretsReplaced: z.boolean().optional(),
  cache: CacheReport.optional().describe(
    "Absent for token counts, unanswered requests and records of older versions",
  ),
})
export type GatewayRequest = z.infer<typeof GatewayRequest>

/** One host process whose requests go through the gateway. */
export const ProxiedSession = z.object({
  id: z.string(),
  run: z.string().nullable(),
  title: z.string().describe("The agent, or the program name"),
  host: z.string().nullable().describe("The host, if known"),
  wire: WireName,
  mode: GatewayMode.exclude(["off"]),
  hasContent: z.boolean().describe("Whether texts are stored"),
  workingDirectory: z.string(),
  upstream: z.string().describe("Upstream address: scheme and host only"),
  startedAt: z.int(),
  endedAt: z.int().nullable(),
  requests: Count,
  folds: Count.describe("Number of folded requests"),
  latchedOff: z.string().nullable().describe("Reason why folding is off for good, or null"),
  isAlive: z.boolean().describe("Whether the proxy process is running"),
  notice: z.string().optional().describe("A setting that has no effect in this session"),
})
export type ProxiedSession = z.infer<typeof ProxiedSession>

/** Sums over the requests of a run or a proxied session. */
export const GatewayTotals = z.object({
  requests: Count,
  usage: TokenUsage.describe("Usage reported by the provider"),
  unknownUsage: Count.describe("Requests with unknown usage; token counts cost nothing"),
  costUsd: z.number().nonnegative().nullable().describe("Null if no price is known"),
  unknownCosts: z
    .int()
    .nonnegative()
    .describe("Requests with usage of a model without a known price, not in `costUsd`"),
  savedTokens: Count.describe("Tokens removed by folding, summed over all requests"),
  savedBytes: Count,
  cacheShare: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe("Share of input tokens read from a cache"),
})
export type GatewayTotals = z.infer<typeof GatewayTotals>

export const GatewayList = z.object({ sessions: z.array(ProxiedSession).describe("Newest first") })
export type GatewayList = z.infer<typeof GatewayList>

export const GatewayShow = z.object({
  sessions: z.array(ProxiedSession).describe("Oldest first"),
  requests: z.array(GatewayRequest).describe("In order"),
  earlier: Count.describe("Requests before the listed ones"),
  totals: GatewayTotals.describe("Of all requests, listed or not"),
})
export type GatewayShow = z.infer<typeof GatewayShow>

/** All items of one request, in order. */
export const GatewayManifest = z.object({
  request: GatewayRequest,
  items: z.array(WireItem),
  headers: z
    .array(z.object({ name: z.string(), value: z.string() }))
    .describe("Headers of the request; only values that cannot be a secret are stored"),
})
export type GatewayManifest = z.infer<typeof GatewayManifest>

/** The texts of one request, if they were recorded; redacted. */
export const GatewayTexts = z.object({
  total: Count.describe("Number of matching items"),
  pieces: z.array(
    WireItem.extend({
      place: Count.describe("Position in the request, from 0"),
      text: z.string().nullable().describe("Null if it was not stored"),
      isCut: z.boolean(),
      lines: z
        .array(z.object({ number: z.int().positive(), text: z.string() }))
        .optional()
        .describe("First matching lines, if a query was given"),
      moreLines: Count.optional().describe("Further matching lines"),
    }),
  ),
})
export type GatewayTexts = z.infer<typeof GatewayTexts>

/** Cache use of a run or a proxied session. */
export const GatewayCache = z.object({
  sessions: z.array(ProxiedSession).describe("Oldest first"),
  requests: z
    .array(
      GatewayRequest.pick({
        proxiedSession: true,
        seq: true,
        at: true,
        agent: true,
        model: true,
        usage: true,
        tokens: true,
      }).extend({ cache: CacheReport }),
    )
    .describe("Requests with a cache report, in order"),
  earlier: Count.describe("Requests before the listed ones"),
  misses: Count.describe("Among the listed requests"),
  lostTokens: Count,
  lostUsd: z.number().nonnegative().nullable().describe("Null if no price is known"),
  causes: z
    .array(z.object({ cause: CacheCause, misses: Count, lostTokens: Count }))
    .describe("Most lost tokens first"),
})
export type GatewayCache = z.infer<typeof GatewayCache>

/** The masked tool results of a run or a proxied session. */
export const GatewayMasks = z.object({
  sessions: z.array(ProxiedSession).describe("Oldest first"),
  masks: z
    .array(
      z.object({
        at: z.int(),
        session: z.string().describe("The host's session id"),
        agent: z.string().describe("The sub-agent; empty for the main conversation"),
        kind: MaskKind,
        label: z.string().describe("The call, redacted"),
        tokens: Count,
        handle: z.string().describe("Reads the masked text with read_handle"),
        rereadAfterTurns: Count.nullable().describe("Null if the text was not read again"),
      }),
    )
    .describe("In order"),
  kinds: z.array(
    z.object({
      kind: MaskKind,
      masks: Count,
      tokens: Count,
      rereads: Count,
      isStopped: z.boolean().describe("Read again soon, so the kind is not masked any more"),
    }),
  ),
  savedTokens: Count.describe("Tokens kept out of requests by masks, summed over all requests"),
  rereads: Count,
  maskable: z
    .object({ results: Count, tokens: Count })
    .nullable()
    .describe("Newest suggestion of `gateway.autoFold: suggest`"),
})
export type GatewayMasks = z.infer<typeof GatewayMasks>

/** A span of finished work that a person folds into a summary. */
export const GatewayFolded = z.object({
  session: z.string().describe("The host's session id"),
  results: Count.describe("Tool results that the summary replaces at the next prompt"),
  tokens: Count.describe("Their tokens, by our counter"),
})
export type GatewayFolded = z.infer<typeof GatewayFolded>

export const GatewayDeleted = z.object({ id: z.string(), requests: Count })

export const WireContext = z.object({
  at: z.int(),
  proxiedSession: z.string(),
  seq: z.int().positive(),
  used: Count.describe("Input tokens of the newest request, by the provider"),
  kinds: z
    .array(z.object({ kind: ContextKind, tokens: Count }))
    .describe("Tokens by kind, scaled to that number"),
  savedTokens: Count.describe("Tokens removed from that request by folding"),
})
export type WireContext = z.infer<typeof WireContext>
