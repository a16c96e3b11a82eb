import { formatUsd } from "#ground/base/format"
import { formatMinutes } from "../../base/format.ts"
import {
  type CacheReport,
  formatCount,
  formatDuration,
  formatExact,
  type GatewayRequest,
  type GatewayShow,
  type ProxiedSession,
  plural,
  type WireItem,
  type WireKind,
} from "../../contract.ts"

export const KIND_NAMES: Readonly<Record<WireKind, string>> = {
  prompt: "System prompt",
  instructions: "Instruction files",
  memory: "Memory",
  tool: "Tools",
  server: "Server instructions",
  skill: "Skills",
  agent: "Agents",
  style: "Output style",
  environment: "Environment",
  hook: "Hook context",
  reminder: "Reminders",
  system: "System turns",
  user: "User messages",
  assistant: "Model messages",
  thinking: "Thinking",
  call: "Tool calls",
  result: "Tool results",
  image: "Images",
  other: "Other",
}

/** A provider counts a request, never its items. */
export function formatEstimate(tokens: number): string {
  return `≈${formatExact(tokens)}`
}

export const MODE_SAYS: Readonly<Record<ProxiedSession["mode"], string>> = {
  record: "Each request is recorded and forwarded unchanged.",
  fold: "Returned branches are left out of the requests; each request is recorded.",
}

type RequestUsage = Pick<GatewayRequest, "usage" | "route">

export function isCount({ route }: Pick<GatewayRequest, "route">): boolean {
  return route === "count"
}

/** The provider's numbers; null if it gave none, and for a token count. */
export function usageOf(request: RequestUsage): GatewayRequest["usage"] {
  return isCount(request) ? null : request.usage
}

export function inputOf(request: RequestUsage): number | null {
  const usage = usageOf(request)
  return usage === null ? null : usage.input + usage.cacheRead + usage.cacheWrite
}

export function cacheShareOf(request: RequestUsage): number | null {
  const input = inputOf(request)
  if (input === null || input === 0 || request.usage === null) return null
  return request.usage.cacheRead / input
}

function savedTokensOf({ folded }: Pick<GatewayRequest, "folded">): number {
  return folded.reduce((sum, it) => sum + it.tokens, 0)
}

export function formatPercent(share: number): string {
  return `${Math.round(share * 100)} %`
}

export function formatTime(ms: number): string {
  return ms < 60_000 ? formatDuration(Math.round(ms)) : formatMinutes(ms)
}

export type Badge = {
  readonly text: string
  readonly title: string
  readonly tone?: "ok" | "warn" | "bad"
}

export function badgesOf(request: GatewayRequest): readonly Badge[] {
  return [
    ...outcomeOf(request),
    ...foldBadge(request),
    ...maskBadge(request),
    ...missBadge(request),
    ...secretBadge(request),
    ...(request.fallback === null
      ? []
      : [{ text: "original sent", title: request.fallback, tone: "warn" as const }]),
    ...(request.problem === null
      ? []
      : [{ text: "incomplete", title: request.problem, tone: "warn" as const }]),
    ...(request.agent === null
      ? []
      : [{ text: "sub-agent", title: `Sent by the sub-agent ${request.agent}` }]),
    ...(isConversation(request)
      ? []
      : [{ text: request.route, title: "Not part of the conversation" }]),
  ]
}

function foldBadge(request: GatewayRequest): readonly Badge[] {
  const saved = savedTokensOf(request)
  if (request.folded.length === 0) return []
  const branches = plural(request.folded.length, "branch", "branches")
  return [
    {
      text: `−${formatCount(saved)}`,
      title: `${formatExact(saved)} tokens of ${branches} were folded out of it`,
      tone: "ok",
    },
  ]
}

/** Masked results, or the suggestion of masks. */
function maskBadge({ masked, maskable }: GatewayRequest): readonly Badge[] {
  if (masked !== undefined) {
    const results = plural(masked.results, "old tool result")
    const title = `${formatExact(masked.tokens)} tokens of ${results} are masked in it`
    return [{ text: `−${formatCount(masked.tokens)} masked`, title, tone: "ok" }]
  }
  if (maskable === undefined) return []
  const results = plural(maskable.results, "old tool result")
  const title = `${results} with ${formatExact(maskable.tokens)} tokens could be masked (setting gateway.autoFold)`
  return [{ text: `could mask ${formatCount(maskable.tokens)}`, title }]
}

function missBadge({ cache }: GatewayRequest): readonly Badge[] {
  if (cache?.verdict !== "miss" || cache.lostTokens === null) return []
  const text = `missed ${formatCount(cache.lostTokens)}`
  return [{ text, title: describeCache(cache), tone: "warn" }]
}

function secretBadge(request: GatewayRequest): readonly Badge[] {
  const { secrets = [], areSecretsReplaced } = request
  if (secrets.length === 0) return []
  return areSecretsReplaced === true
    ? [{ text: "secrets replaced", title: describeSecrets(request), tone: "ok" }]
    : [{ text: "secrets sent", title: describeSecrets(request), tone: "bad" }]
}

/** The kinds of secrets in a request, and whether the provider got them. */
export function describeSecrets({ secrets = [], areSecretsReplaced }: GatewayRequest): string {
  const kinds = secrets.map(({ kind, count }) => (count === 1 ? kind : `${kind} ×${count}`))
  const what = areSecretsReplaced === true ? "sent as placeholders" : "received by the provider"
  return `${kinds.join(", ")}: ${what}`
}

const VERDICTS: Readonly<Record<Exclude<CacheReport["verdict"], "miss">, string>> = {
  first: "first request of the conversation",
  hit: "everything that was cached was read",
  uncached: "nothing was cached before",
  unknown: "the provider reported no usage",
}

/** The cache report of a request as a sentence. */
export function describeCache(cache: CacheReport): string {
  const { cause, detail, lostTokens, lostUsd, isCertain, also } = cache
  if (cache.verdict !== "miss") return VERDICTS[cache.verdict]
  const cost = lostUsd === null ? "" : `, ${formatUsd(lostUsd)} more`
  const lost = `${formatExact(lostTokens ?? 0)} cached tokens were sent again${cost}`
  const doubt = isCertain || cause === "unknown" ? "" : " (not certain)"
  const others = also.length === 0 ? "" : `; also ${also.join(", ")}`
  return `${lost}. Cause: ${cause ?? "unknown"}${doubt}, ${detail}${others}`
}

/** The first item at which two requests differ. */
export function describeDifference({ firstDifference, prefixTokens }: CacheReport): string {
  const start = `the first ${formatExact(prefixTokens)} tokens are equal`
  if (firstDifference === null) return `${start}, and nothing after them changed`
  const { change, kind, name } = firstDifference
  return `${start}, then ${KIND_NAMES[kind].toLowerCase()} ${name} ${CHANGES[change]}`
}

type MissedTokens = { readonly misses: number; readonly tokens: number; readonly usd: number }

/** Over the listed requests. */
export function missedOf({ requests }: Pick<GatewayShow, "requests">): MissedTokens {
  const missed = requests.flatMap(({ cache }) => (cache?.verdict === "miss" ? [cache] : []))
  return {
    misses: missed.length,
    tokens: missed.reduce((sum, it) => sum + (it.lostTokens ?? 0), 0),
    usd: missed.reduce((sum, it) => sum + (it.lostUsd ?? 0), 0),
  }
}

export function describeMissed({ misses, tokens, usd }: MissedTokens): string {
  const cost = usd === 0 ? "" : `, ${formatUsd(usd)} more`
  return `${formatExact(tokens)} cached tokens were sent again in ${plural(misses, "cache miss", "cache misses")}${cost}; each request says why`
}

const CHANGES = {
  added: "was inserted",
  removed: "was removed",
  changed: "changed",
  moved: "moved",
} as const

export function outcomeOf({ outcome, status }: GatewayRequest): readonly Badge[] {
  const code = status === null ? "" : ` ${status}`
  switch (outcome) {
    case "answered":
      return status !== null && status >= 400
        ? [{ text: String(status), title: `The provider returned status ${status}`, tone: "bad" }]
        : []
    case "refused":
      return [{ text: `refused${code}`, title: "The provider rejected it", tone: "bad" }]
    case "cut":
      return [{ text: "cut off", title: "The response ended early", tone: "warn" }]
    case "aborted":
      return [{ text: "aborted", title: "The host cancelled it", tone: "warn" }]
    case "unreachable":
      return [{ text: "unreachable", title: "The provider could not be reached", tone: "bad" }]
    default:
      return outcome satisfies never
  }
}

export function isConversation({ route }: Pick<GatewayRequest, "route">): boolean {
  return route !== "count" && route !== "other"
}

const FIRST_NAMES = 3

const TELLING: readonly WireKind[] = [
  "assistant",
  "call",
  "reminder",
  "hook",
  "image",
  "tool",
  "skill",
  "result",
  "memory",
  "instructions",
  "user",
]

/** The most important kind first, a few names and the number of others; empty if nothing is new. */
export function describeNewItems({ added }: Pick<GatewayRequest, "added">): string {
  const items = withoutAnswered(added).toSorted(
    (a, b) => TELLING.indexOf(b.kind) - TELLING.indexOf(a.kind),
  )
  const times = new Map<string, number>()
  for (const name of items.map(shortName)) times.set(name, (times.get(name) ?? 0) + 1)
  const first = [...times].slice(0, FIRST_NAMES)
  const more = items.length - first.reduce((sum, [, count]) => sum + count, 0)
  if (first.length === 0) return ""
  const names = first.map(([name, count]) => (count === 1 ? name : `${name} ×${count}`)).join(", ")
  return more === 0 ? names : `${names} and ${formatExact(more)} more`
}

function withoutAnswered(added: readonly WireItem[]): readonly WireItem[] {
  const answers = new Map<string, number>()
  for (const item of added) {
    if (item.kind === "result") answers.set(item.name, (answers.get(item.name) ?? 0) + 1)
  }
  return added.filter((item) => {
    const left = answers.get(item.name) ?? 0
    if (item.kind !== "call" || left === 0) return true
    answers.set(item.name, left - 1)
    return false
  })
}

export function shortName({ kind, name }: Pick<WireItem, "kind" | "name">): string {
  if (name === "") return KIND_NAMES[kind].toLowerCase()
  const isPath = kind === "instructions" || kind === "memory"
  return isPath ? (name.split("/").findLast((it) => it !== "") ?? name) : name
}

export function describeUsage(request: GatewayRequest): string {
  const usage = usageOf(request)
  if (isCount(request)) return "a token count, which uses no tokens"
  if (usage === null) return `usage unknown, about ${formatExact(request.tokens)} tokens sent`
  const { input, cacheRead, cacheWrite, output } = usage
  return `${formatExact(cacheRead)} read from the cache, ${formatExact(cacheWrite)} written, ${formatExact(input)} fresh, ${formatExact(output)} output`
}

export function tokensOf({ totals }: Pick<GatewayShow, "totals">): number | null {
  if (totals.unknownUsage >= totals.requests) return null
  const { input, output, cacheRead, cacheWrite } = totals.usage
  const sum = input + output + cacheRead + cacheWrite
  // Every real response has tokens; 0 means that there were only token counts.
  return sum === 0 ? null : sum
}

export function describeTotals({ totals }: Pick<GatewayShow, "totals">): string {
  const { input, output, cacheRead, cacheWrite } = totals.usage
  const usage = `${formatExact(cacheRead)} read from the cache, ${formatExact(cacheWrite)} written to it, ${formatExact(input)} fresh, ${formatExact(output)} output: the provider's numbers`
  return totals.unknownUsage === 0
    ? usage
    : `${usage}; ${describeUnknown(totals.unknownUsage)}, not counted`
}

export function describeUnknown(requests: number): string {
  return `usage unknown for ${formatExact(requests)}`
}

/** The URL without the parts that all providers share. */
export function formatUpstream(upstream: string): string {
  return upstream.replace(/^https:\/\//, "")
}

export function describeDelete({ sessions, totals }: GatewayShow): string {
  const hasTexts = sessions.some((it) => it.hasContent)
  const what = `${plural(totals.requests, "request")}${hasTexts ? " and their texts" : ""}`
  return `The records of ${what} will be deleted. This cannot be undone. The transcript and the trails of branches stay.`
}
