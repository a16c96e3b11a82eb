import { z } from "zod"
import { TokenUsage } from "./agent.ts"
import { ContextKind } from "./manifest.ts"

const Count = z.int().nonnegative()

export const GATEWAY_MODES = ["off", "record", "fold"] as const
export const GatewayMode = z.enum(GATEWAY_MODES)
export type GatewayMode = z.infer<typeof GatewayMode>

/** In whose words a host speaks to its model. */
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

/** One piece of a request as it went over the wire; its text is kept only when that is on. */
export const WireItem = z.object({
  kind: WireKind,
  context: ContextKind.describe("Its colour on the budget bar"),
  name: z.string().describe("Path, tool, skill or role, secrets replaced"),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  tokens: Count.describe("By our own counter"),
  bytes: Count,
  path: z.string().optional().describe("Of an instruction file that was confirmed on the disk"),
  isConfirmed: z
    .boolean()
    .optional()
    .describe("Whether the file on the disk says the same; absent for what is no file"),
  isDeferred: z.boolean().optional().describe("A tool whose schema is loaded later"),
  why: z.string().max(300).optional().describe("Why it came, where the wire tells"),
})
export type WireItem = z.infer<typeof WireItem>

/** A branch that was taken out of a request. */
export const WireFold = z.object({
  branchId: z.string(),
  bytes: Count.describe("Taken out of this request"),
  tokens: Count.describe("The same, by our own counter"),
})
export type WireFold = z.infer<typeof WireFold>

export const WireOutcome = z.enum(["answered", "refused", "cut", "aborted", "unreachable"])
export type WireOutcome = z.infer<typeof WireOutcome>

/** One request of a host to its model. */
export const GatewayRequest = z.object({
  carry: z.string().describe("Id of the carry it went through"),
  seq: z.int().positive().describe("Within its carry"),
  run: z.string().nullable(),
  at: z.int(),
  route: z.enum(["messages", "responses", "chat", "generate", "count", "other"]),
  session: z.string().nullable().describe("The host's session"),
  agent: z.string().nullable().describe("The sub-agent that asks; null for the main conversation"),
  model: z.string().nullable(),
  status: z.int().nullable().describe("Of the answer; null when there was none"),
  outcome: WireOutcome,
  firstByteMs: z.number().nonnegative().nullable(),
  durationMs: z.number().nonnegative(),
  sentBytes: Count.describe("Of the body as the host sent it"),
  forwardedBytes: Count.describe("Of the body as the provider got it"),
  tokens: Count.describe("Of what was forwarded, by our own counter"),
  kinds: z.array(z.object({ kind: ContextKind, tokens: Count })),
  usage: TokenUsage.nullable().describe(
    "The provider's own figure: exact; null also for a count, which costs nothing",
  ),
  costUsd: z.number().nonnegative().nullable().describe("Of that usage, by the price table"),
  added: z.array(WireItem).describe("What is new since the request before, in order"),
  gone: Count.describe("Pieces that the request before had and this one has not"),
  folded: z.array(WireFold),
  fallback: z.string().nullable().describe("Why the original was sent instead of a folded body"),
  problem: z.string().nullable().describe("Why it could not be recorded whole"),
})
export type GatewayRequest = z.infer<typeof GatewayRequest>

/** One process of a host whose requests go through the gateway. */
export const ProxiedSession = z.object({
  id: z.string(),
  run: z.string().nullable(),
  title: z.string().describe("The agent, or the command line without its arguments"),
  host: z.string().nullable().describe("Which host it is, when that is known"),
  wire: WireName,
  mode: GatewayMode.exclude(["off"]),
  hasContent: z.boolean().describe("Whether texts are kept"),
  workingDirectory: z.string(),
  upstream: z.string().describe("Where requests go: scheme and host alone"),
  startedAt: z.int(),
  endedAt: z.int().nullable(),
  requests: Count,
  folds: Count.describe("Requests that left without some of their turns"),
  latchedOff: z.string().nullable().describe("Why nothing more is folded, or null"),
  isAlive: z.boolean().describe("Whether the process that carries it is there"),
})
export type ProxiedSession = z.infer<typeof ProxiedSession>

/** Sums over the requests of a run or a carry. */
export const GatewayTotals = z.object({
  requests: Count,
  usage: TokenUsage.describe("The provider's own figures"),
  unknownUsage: Count.describe("Requests whose usage is not known; counts cost nothing"),
  costUsd: z.number().nonnegative().nullable().describe("Null when no price is known"),
  savedTokens: Count.describe("Left out of requests by folding, each request counted"),
  savedBytes: Count,
  cacheShare: z.number().min(0).max(1).nullable().describe("Of input tokens, read from a cache"),
})
export type GatewayTotals = z.infer<typeof GatewayTotals>

export const GatewayList = z.object({ carries: z.array(ProxiedSession).describe("Newest first") })
export type GatewayList = z.infer<typeof GatewayList>

export const GatewayShow = z.object({
  carries: z.array(ProxiedSession).describe("Oldest first"),
  requests: z.array(GatewayRequest).describe("In their order"),
  earlier: Count.describe("Requests before those shown"),
  totals: GatewayTotals.describe("Of all requests, also those not shown"),
})
export type GatewayShow = z.infer<typeof GatewayShow>

/** Everything that one request held, in the order of the wire. */
export const GatewayManifest = z.object({
  request: GatewayRequest,
  items: z.array(WireItem),
  headers: z
    .array(z.object({ name: z.string(), value: z.string() }))
    .describe("Of the request; only values that cannot be a secret are kept"),
})
export type GatewayManifest = z.infer<typeof GatewayManifest>

/** The texts of one request, when recording them was on; secrets are replaced. */
export const GatewayTexts = z.object({
  total: Count.describe("Pieces that fit"),
  pieces: z.array(
    WireItem.extend({
      place: Count.describe("In the request, from 0"),
      text: z.string().nullable().describe("Null when it was not kept"),
      isCut: z.boolean(),
      lines: z
        .array(z.object({ number: z.int().positive(), text: z.string() }))
        .optional()
        .describe("The first of those that have the words, when words were asked for"),
      moreLines: Count.optional().describe("Further lines that have them"),
    }),
  ),
})
export type GatewayTexts = z.infer<typeof GatewayTexts>

export const GatewayDeleted = z.object({ id: z.string(), requests: Count })

export const WireContext = z.object({
  at: z.int(),
  carry: z.string(),
  seq: z.int().positive(),
  used: Count.describe("Input of the newest request, all kinds of it: the provider's own figure"),
  kinds: z.array(z.object({ kind: ContextKind, tokens: Count })).describe("Scaled to that figure"),
  savedTokens: Count.describe("Folded out of that request"),
})
export type WireContext = z.infer<typeof WireContext>
