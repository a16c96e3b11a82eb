import { type Clock, formatExact, type Log, plural } from "#ground/base"
import type {
  Config,
  HostName,
  ProxiedSession,
  TokenUsage,
  WireFold,
  WireItem,
} from "#ground/contract"
import type { Secrets } from "#ground/secrets"
import { createCacheHistory } from "./cache/cache-history.ts"
import type { MaskPlan } from "./mask/mask-cost.ts"
import type { Masking } from "./mask/mask-requests.ts"
import { foldedIn, masksIn } from "./proxied-session.ts"
import { type Exchange, type Header } from "./proxy/exchange.ts"
import { NO_SETTINGS } from "./read/cache-settings.ts"
import type { ReadAnswer, Reader } from "./read/reader.ts"
import { createSecretReport, type SecretReport } from "./secrets/secret-report.ts"
import { headerOf, sessionIn } from "./session-header.ts"
import { conversationOf, type RecordedRequest } from "./store/record.ts"
import type { GatewayStore } from "./store/store.ts"

/** Above this, requests are recorded without their content. */
const MOST_WAITING_BYTES = 128 * 1024 ** 2

const MOST_CACHED_NAMES = 20_000

const LONGEST_KEPT_TEXT_UNITS = 400_000

const LONGEST_WHY_UNITS = 300

type UsageReport = {
  readonly session: string
  readonly agent: string
  readonly sentAt: number
  readonly inputTokens: number
  readonly outputTokens: number
}

type CacheNote = {
  readonly session: string
  readonly expiresAt: number
  /** Tokens that the next request writes to the cache again after that. */
  readonly tokens: number
  /** Tokens of old results that `gateway.autoFold: on` would mask. */
  readonly maskableTokens: number
}

export type RecorderDeps = {
  readonly session: ProxiedSession
  readonly host: HostName | undefined
  readonly place: { readonly home: string; readonly environment: Readonly<Record<string, string>> }
  readonly reader: Reader
  readonly store: GatewayStore
  readonly clock: Clock
  readonly log: Log
  readonly mostWaitingBytes?: number
  readonly secretMode: Config["gateway"]["secrets"]
  readonly masking: Masking
  tell(text: string): void
  secrets(): Promise<Pick<Secrets, "locate" | "redact">>
  priceOf(usage: TokenUsage, model: string): number | undefined
  /** Charges the open branch of a session with the provider's own count. */
  chargeUsage(report: UsageReport): Promise<void>
  /** Stores when the cached prefix of a session expires and what could be masked, for its status line. */
  noteCache(note: CacheNote): Promise<void>
  /** Adds the removed steps to the branch's trail. False: try again later. */
  keepTrail(branchId: string, steps: ReadAnswer["trails"][number]["steps"]): Promise<boolean>
}

export function createRecorder(deps: RecorderDeps) {
  let last: Promise<void> = Promise.resolve()
  const names = createRedactionCache(deps)
  const folds = createFoldCache()
  const { wire, id: proxiedSession } = deps.session
  const caches = createCacheHistory({ proxiedSession, wire, priceOf: deps.priceOf })
  const recordedSessions = new Set<string>()
  const reportSecrets = createSecretReport(deps)
  let waitingBytes = 0
  let queued = 0
  const record = async (exchange: Exchange | SkippedExchange): Promise<void> => {
    const job = { deps, names, folds, caches, reportSecrets }
    try {
      if ("skipped" in exchange) {
        return await keep({ problem: TOO_BUSY }, { ...job, exchange: exchange.skipped })
      }
      const before = await beforeOf(exchange, recordedSessions, deps)
      if (before !== undefined) caches.resume(before.conversation, before.manifest)
      const items = before?.manifest.items
      const read = await readExchange({ exchange, before: items, folds }, deps)
      await keep(read, { ...job, exchange })
    } catch (error) {
      deps.log.warn("could not record a request", { proxiedSession: deps.session.id, error })
    }
  }
  return {
    take(exchange: Exchange): void {
      const bytes = weightOf(exchange)
      const most = deps.mostWaitingBytes ?? MOST_WAITING_BYTES
      const isTooMuch = waitingBytes > 0 && waitingBytes + bytes > most
      queued += 1
      if (isTooMuch) {
        const skipped = withoutBodies(exchange)
        last = last.then(() => record({ skipped }))
        return
      }
      waitingBytes += bytes
      last = last
        .then(() => record(exchange))
        .finally(() => {
          waitingBytes -= bytes
        })
    },
    settled: (): Promise<void> => last,
    taken: (): number => queued,
  }
}

const TOO_BUSY = "the recorder was too busy to read it"

type SkippedExchange = { readonly skipped: Exchange }

function weightOf({ request, prepared, answer }: Exchange): number {
  const sent = request.body.length + (prepared?.isChanged === true ? prepared.body.length : 0)
  return answer.body.reduce((sum, it) => sum + it.length, sent)
}

function withoutBodies(exchange: Exchange): Exchange {
  const { request, answer } = exchange
  return {
    ...exchange,
    request: { ...request, body: Buffer.alloc(0) },
    prepared: undefined,
    answer: { ...answer, body: [], isWhole: false },
  }
}

/** Undefined after the first request of a session: then the reader's thread has it. */
async function beforeOf({ request }: Exchange, recordedSessions: Set<string>, deps: RecorderDeps) {
  const session = sessionIn(request.headers)
  if (session === undefined) return undefined
  const conversation = conversationOf(session, headerOf(request.headers, "x-claude-code-agent-id"))
  if (recordedSessions.has(conversation)) return undefined
  recordedSessions.add(conversation)
  const manifest = await deps.store.lastManifest(conversation)
  return manifest && { conversation, manifest }
}

type FoldCache = ReturnType<typeof createFoldCache>
type ReadJob = {
  readonly exchange: Exchange
  readonly before: readonly WireItem[] | undefined
  readonly folds: FoldCache
}

async function readExchange({ exchange, before, folds }: ReadJob, deps: RecorderDeps) {
  const { request, prepared, fallback, answer } = exchange
  const isFolded = prepared?.isChanged === true && fallback === null
  return deps.reader.read({
    wire: deps.session.wire,
    path: request.path,
    headers: request.headers,
    body: isFolded ? prepared.body : (prepared?.fallbackBody?.() ?? request.body),
    answer,
    folded: foldedIn(exchange).filter((it) => folds.weightOf(it) === undefined),
    place: {
      host: deps.host,
      workingDirectory: deps.session.workingDirectory,
      ...deps.place,
    },
    encoding: deps.session.wire === "anthropic" ? "claude" : "o200k",
    conversationBefore: before,
    wantsTexts: deps.session.hasContent || deps.secretMode === "warn",
  })
}

type RedactionCache = ReturnType<typeof createRedactionCache>
type RecordJob = {
  readonly exchange: Exchange
  readonly deps: RecorderDeps
  readonly names: RedactionCache
  readonly folds: FoldCache
  readonly caches: ReturnType<typeof createCacheHistory>
  readonly reportSecrets: SecretReport
}

async function keep(read: Awaited<ReturnType<Reader["read"]>>, job: RecordJob): Promise<void> {
  const { exchange, deps, names, folds, caches } = job
  const answer = "problem" in read ? unread(exchange) : read
  const clean = await names.cleaner()
  const item = (it: WireItem): WireItem => ({
    ...it,
    name: clean(it.name),
    ...(it.path === undefined ? {} : { path: clean(it.path) }),
    // Truncated after redaction: half a secret is not recognized.
    ...(it.why === undefined ? {} : { why: clean(it.why).slice(0, LONGEST_WHY_UNITS) }),
  })
  const { prepared, request, fallback } = exchange
  const isFolded = prepared?.isChanged === true && fallback === null
  const session = answer.session === null ? null : clean(answer.session)
  const recorded = {
    at: exchange.at,
    route: answer.route,
    session,
    agent: answer.agent === null ? null : clean(answer.agent),
    model: answer.model === null ? null : clean(answer.model),
    status: exchange.status,
    outcome: exchange.outcome,
    firstByteMs: exchange.firstByteMs,
    durationMs: exchange.durationMs,
    sentBytes: request.sizeBytes,
    forwardedBytes: isFolded ? prepared.body.length : request.sizeBytes,
    tokens: answer.tokens,
    kinds: [...answer.kinds],
    usage: answer.usage,
    costUsd: costOf(answer, deps),
    added: answer.added.map(item),
    gone: answer.gone,
    folded: foldedIn(exchange).flatMap(
      (it) => folds.weightOf(it) ?? answer.folded.filter((one) => one.branchId === it.branchId),
    ),
    ...(await maskFieldsOf(exchange, answer, deps)),
    // It quotes the provider, which may quote the request.
    fallback: fallback === null ? null : clean(fallback),
    problem: problemOf(exchange, read),
    items: answer.items.map(item),
    conversation: conversationOf(session ?? deps.session.id, answer.agent),
    headers: shownHeaders(request.headers, clean),
    // Truncated after redaction: half a secret is not recognized.
    texts: (deps.session.hasContent ? answer.texts : []).map((it) => ({
      ...it,
      text: clean(it.text).slice(0, LONGEST_KEPT_TEXT_UNITS),
    })),
  }
  const secrets = await job.reportSecrets(answer.texts, prepared)
  const observed = isCached(recorded)
    ? { ...recorded, cacheSettings: answer.cacheSettings }
    : undefined
  const cache = observed === undefined ? {} : { cache: caches.explain(observed) }
  const seq = await deps.store.record(deps.session.id, { ...recorded, ...cache, ...secrets })
  if (observed !== undefined && seq !== undefined) caches.add(observed, seq)
  observeUsage(answer, exchange, deps)
  await noteCache(answer, exchange, deps)
  await chargeUsage(answer, exchange, deps)
  await keepTrails(answer, deps, folds)
}

/** The masks of a request, or the suggestion of masks; `gateway.autoFold` decides. */
async function maskFieldsOf(
  exchange: Exchange,
  { session, agent, route }: ReadAnswer,
  deps: RecorderDeps,
) {
  const masked = masksIn(exchange)
  if (masked !== undefined) {
    if (session !== null) suggestionsOf(deps).delete(session)
    return { masked }
  }
  const isConversation = route === "messages" || route === "responses"
  if (session === null || !isConversation || exchange.outcome !== "answered") return {}
  try {
    const key = { session, agent: agent ?? "" }
    const plan = await deps.masking.suggest(key, exchange.request.body)
    if (plan === undefined) return {}
    suggestOnce(deps, session, plan)
    return { maskable: { results: plan.candidates.length, tokens: plan.savedTokens } }
  } catch (error) {
    deps.log.warn("could not look for results to mask", { error })
    return {}
  }
}

/** Tokens of the newest suggestion of each session; a session gets one notice. */
const suggestions = new WeakMap<Masking, Map<string, number>>()

function suggestionsOf({ masking }: Pick<RecorderDeps, "masking">): Map<string, number> {
  const tokensBySession = suggestions.get(masking) ?? new Map<string, number>()
  suggestions.set(masking, tokensBySession)
  return tokensBySession
}

function suggestOnce(deps: RecorderDeps, session: string, plan: MaskPlan): void {
  const { candidates, savedTokens } = plan
  const tokensBySession = suggestionsOf(deps)
  const isFirst = !tokensBySession.has(session)
  tokensBySession.set(session, savedTokens)
  if (!isFirst) return
  deps.tell(
    `${plural(candidates.length, "old tool result")} with ${formatExact(savedTokens)} tokens could be masked. ` +
      "To mask them: `qm config set gateway.autoFold on`, or `qm gateway run --mode fold --auto-fold on -- claude`.",
  )
}

/** A provider caches what it answered. */
function isCached({ route, outcome }: Pick<RecordedRequest, "outcome" | "route">): boolean {
  return route !== "count" && route !== "other" && outcome === "answered"
}

function observeUsage(
  { session, agent, usage, cacheSettings }: ReadAnswer,
  { at, durationMs, request, prepared, fallback }: Exchange,
  { masking }: RecorderDeps,
): void {
  if (session === null || usage === null) return
  const { lifetimeMs } = cacheSettings
  const isChanged = prepared?.isChanged === true && fallback === null
  masking.observe({
    session,
    agent: agent ?? "",
    tokens: usage.input + usage.cacheRead + usage.cacheWrite,
    bytes: isChanged ? prepared.body.length : request.body.length,
    expiresAt: lifetimeMs === null ? null : Math.round(at + durationMs + lifetimeMs),
    lifetimeMs,
  })
}

/** Only of the main conversation, and only where the request says how long entries live. */
async function noteCache(
  { session, agent, usage, cacheSettings, items }: ReadAnswer,
  { at, durationMs, outcome }: Exchange,
  deps: RecorderDeps,
): Promise<void> {
  const { lifetimeMs } = cacheSettings
  const isMain = agent === null && items.some((it) => it.kind === "tool")
  const isKnown = session !== null && usage !== null && lifetimeMs !== null
  if (!isMain || !isKnown || outcome !== "answered") return
  const { input, output, cacheRead, cacheWrite } = usage
  const expiresAt = Math.round(at + durationMs + lifetimeMs)
  try {
    const maskableTokens = suggestionsOf(deps).get(session) ?? 0
    const tokens = input + output + cacheRead + cacheWrite
    await deps.noteCache({ session, expiresAt, tokens, maskableTokens })
  } catch (error) {
    deps.log.warn("could not store when the cache expires", { error })
  }
}

/** Later figures of a session do not depend on one that could not be charged. */
async function chargeUsage(
  { session, agent, usage }: ReadAnswer,
  exchange: Exchange,
  deps: RecorderDeps,
): Promise<void> {
  if (session === null || usage === null) return
  const { input, output, cacheRead, cacheWrite } = usage
  try {
    await deps.chargeUsage({
      session,
      agent: agent ?? "",
      sentAt: exchange.at,
      inputTokens: input + cacheRead + cacheWrite,
      outputTokens: output,
    })
  } catch (error) {
    deps.log.warn("could not charge the usage of a request", { error })
  }
}

async function keepTrails(
  { trails, folded }: ReadAnswer,
  deps: RecorderDeps,
  folds: FoldCache,
): Promise<void> {
  for (const { branchId, steps } of trails) {
    const fold = folded.find((it) => it.branchId === branchId)
    const isStored = await deps.keepTrail(branchId, steps)
    if (isStored && fold !== undefined) folds.add(fold)
  }
}

function problemOf({ request }: Exchange, read: ReadAnswer | { readonly problem: string }) {
  if ("problem" in read) return read.problem
  return request.isWhole ? null : "its body was too large to store, or was aborted"
}

function costOf({ usage, model }: ReadAnswer, deps: RecorderDeps): number | null {
  return usage === null || model === null ? null : (deps.priceOf(usage, model) ?? null)
}

function unread({ request }: Exchange): ReadAnswer {
  return {
    route: "other",
    session: headerOf(request.headers, "x-claude-code-session-id") ?? null,
    agent: null,
    model: null,
    items: [],
    kinds: [],
    tokens: 0,
    added: [],
    gone: 0,
    kept: 0,
    usage: null,
    cacheSettings: NO_SETTINGS,
    folded: [],
    trails: [],
    texts: [],
  }
}

/** Only these header values are stored: any other may be a key. */
const SHOWN = new Set([
  "accept",
  "accept-encoding",
  "anthropic-beta",
  "anthropic-version",
  "content-length",
  "content-type",
  "user-agent",
  "x-app",
  "x-stainless-retry-count",
])

function shownHeaders(headers: readonly Header[], clean: (text: string) => string) {
  return headers.map(([name, value]) => ({
    name: clean(name),
    value: SHOWN.has(name.toLowerCase()) ? clean(value) : "(not stored)",
  }))
}

/** Most names occur in every request; they are redacted once. */
function createRedactionCache(deps: Pick<RecorderDeps, "secrets">) {
  const cache = new Map<string, string>()
  return {
    async cleaner(): Promise<(text: string) => string> {
      const secrets = await deps.secrets()
      return (text) => {
        const before = cache.get(text)
        if (before !== undefined) return before
        const cleaned = secrets.redact(text).text
        if (text.length < 1_000 && cache.size < MOST_CACHED_NAMES) cache.set(text, cleaned)
        return cleaned
      }
    },
  }
}

/**
 * The removed steps of a branch are the same in every later request and may be a megabyte: read
 * them once.
 */
function createFoldCache() {
  const cache = new Map<string, WireFold>()
  const weightOf = ({ branchId, bytes }: Omit<WireFold, "tokens">): WireFold | undefined => {
    const fold = cache.get(branchId)
    return fold?.bytes === bytes ? fold : undefined
  }
  return {
    weightOf,
    add: (fold: WireFold) => void cache.set(fold.branchId, fold),
  }
}
