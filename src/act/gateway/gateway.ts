import {
  type Clock,
  type Ids,
  once,
  type ProcessIdentity,
  type Random,
  type SocketServer,
} from "#ground/base"
import type { AutoFoldMode, Config, GatewayMode, HostName, WireName } from "#ground/contract"
import type { Secrets } from "#ground/secrets"
import type { Db } from "#ground/store"
import type { CodexProvider } from "#see/hosts"
import { FoldNotOffered } from "./errors.ts"
import { createBodyReader, listName } from "./fold/body-reader.ts"
import {
  createSessionStates,
  type EligibilitySocketPlace,
  type IneligibleSessions,
  joinAnswers,
  type SessionStates,
  serveFoldEligibility,
} from "./fold-eligibility.ts"
import { type HostOverrides, isFoldable, pointHostAt, upstreamOf } from "./host-config.ts"
import { hostWindow } from "./host-window.ts"
import { createMasking, type Masking, type MaskingDeps } from "./mask/mask-requests.ts"
import { createProxiedSession, type LatchedOff, rewriteDoubt } from "./proxied-session.ts"
import { type Exchange, type SessionPort } from "./proxy/exchange.ts"
import { createProxy, type OpenSession } from "./proxy/proxy.ts"
import { createReader } from "./read/reader.ts"
import { createRecorder, type RecorderDeps } from "./recorder.ts"
import { createSecretWire } from "./secrets/placeholders.ts"
import { createSecretGuard } from "./secrets/secret-guard.ts"
import { foldByHand } from "./store/hand-fold.ts"
import { createGatewayStore, type GatewayStore } from "./store/store.ts"

/** How long `end()` waits for the last requests to be recorded. */
const LONGEST_RECORDING_MS = 15_000

type GatewayDeps = Pick<
  RecorderDeps,
  "chargeUsage" | "clock" | "keepTrail" | "log" | "mostWaitingBytes" | "noteCache" | "priceOf"
> & {
  readonly db: Db<"gateway">
  readonly ids: Ids
  readonly random: Random
  readonly owner: { readonly pid: number; readonly startedAt: string; readonly machine: string }
  readonly location: EligibilitySocketPlace
  root(): string
  settings(): Config["gateway"]
  secrets(): Promise<Pick<Secrets, "locate" | "redact">>
  receiptKey(): Promise<string>
  isAlive(identity: ProcessIdentity): boolean
  unfold(branchIds: readonly string[]): Promise<void>
  readonly keepResults: MaskingDeps["keepResults"]
  proxyEnvironment(): Readonly<Record<string, string | undefined>>
}

export type ProxiedSessionRequest = {
  readonly run: string | null
  readonly title: string
  readonly host: HostName | undefined
  readonly wire: WireName
  readonly mode: Exclude<GatewayMode, "off">
  readonly hasContent: boolean
  readonly workingDirectory: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly codexProvider?: CodexProvider | undefined
  /** In place of the settings. */
  readonly autoFold?: AutoFoldMode | undefined
  readonly autoFoldAt?: number | undefined
  tell(text: string): void
}

export type ProxiedHost = HostOverrides & {
  readonly id: string
  /** Call it when the host has ended; resolves when its requests are recorded. */
  end(): Promise<void>
}

export type Gateway = ReturnType<typeof createGateway>

/**
 * The loopback proxy of this process, and the recorded requests of all processes of this
 * repository.
 */
export function createGateway(deps: GatewayDeps) {
  const storeDeps = {
    ...deps,
    keepRequests: () => deps.settings().keep,
    cacheAlertTokens: () => deps.settings().cacheAlertTokens,
  }
  const store = createGatewayStore(storeDeps)
  const proxy = createProxy({ ...deps, proxyEnvironment: deps.proxyEnvironment() })
  const reader = createReader()
  const folding = createFolding(deps, store)
  const open = new Set<ProxiedHost>()

  async function proxySession(request: ProxiedSessionRequest): Promise<ProxiedHost> {
    const { mode, host, wire, environment } = request
    if (mode === "fold" && !isFoldable(host)) throw FoldNotOffered({ title: request.title })
    const upstream = upstreamOf(request)
    const notice = noticeOf(request, deps.settings())
    const facts = { ...factsOf(request, upstream), ...(notice !== undefined && { notice }) }
    const session = await store.open({ ...facts, owner: deps.owner })
    if (notice !== undefined) request.tell(notice)
    const location = placeOf(environment)
    const { tell } = request
    const secretMode = deps.settings().secrets
    const masking = maskingFor(request, deps, store)
    const own = { session, host, place: location, reader, store, tell, secretMode, masking }
    const recorder = createRecorder({ ...deps, ...own })
    const shut = async (opened?: OpenSession): Promise<void> => {
      folding.remove(session.id)
      await opened?.close()
      await within(LONGEST_RECORDING_MS, recorder.settled(), deps.clock)
      await store.close(session.id)
      // A program that never sent a request, or never started, leaves nothing to show.
      if (recorder.taken() === 0) await store.delete({ id: session.id })
    }
    try {
      const folded =
        mode === "fold" ? await folding.add(session.id, { ...request, masking }) : undefined
      const done = (exchange: Exchange): void => {
        folded?.ended(exchange)
        recorder.take(exchange)
      }
      const guard = secretMode === "replace" ? await secretGuard(deps, wire) : undefined
      const port = guard === undefined ? folded?.port : guardedPort(folded?.port, guard)
      const opened = await proxy.open({ upstream, wire, ...port, done })
      const end = once(() => shut(opened).finally(() => open.delete(proxied)))
      const proxied: ProxiedHost = { ...pointHostAt(opened.url, request), id: session.id, end }
      open.add(proxied)
      return proxied
    } catch (error) {
      await shut()
      throw error
    }
  }
  return {
    ...store,
    foldByHand: foldByHand({ ...storeDeps, masks: store.masks, secrets: deps.secrets }),
    proxySession,
    async close(): Promise<void> {
      await Promise.all([...open].map((it) => it.end()))
      await proxy.close()
      await reader.close()
      await folding.close()
    },
  }
}

type SecretGuard = ReturnType<typeof createSecretGuard>
type PreparingPort = Pick<SessionPort, "began" | "prepare" | "unprepared">

async function secretGuard(deps: GatewayDeps, wire: WireName): Promise<SecretGuard> {
  const [secrets, key] = await Promise.all([deps.secrets(), deps.receiptKey()])
  return createSecretGuard({
    wire,
    secretWire: createSecretWire({ secrets, key }),
    rewriteDoubt: (it) => rewriteDoubt(it, wire),
  })
}

/** Secrets are replaced after folding, so that also what a fold keeps is scanned. */
function guardedPort(folding: PreparingPort | undefined, guard: SecretGuard): PreparingPort {
  return {
    ...folding,
    prepare(request) {
      const whole = { body: request.body, isChanged: false, note: undefined }
      const folded = folding?.prepare?.(request) ?? whole
      return folded instanceof Promise
        ? folded.then((it) => guard.protect(request, it))
        : guard.protect(request, folded)
    },
    unprepared: guard.unprepared,
  }
}

function factsOf(request: ProxiedSessionRequest, upstream: URL) {
  const { run, title, host = null, wire, mode, hasContent, workingDirectory } = request
  const facts = { workingDirectory, upstream: upstream.origin }
  return { run, title, host, wire, mode, hasContent, ...facts }
}

/** Masks change requests, which record mode never does. */
function noticeOf(
  { mode, autoFold }: ProxiedSessionRequest,
  settings: Config["gateway"],
): string | undefined {
  const isIdle = mode === "record" && (autoFold ?? settings.autoFold) === "on"
  return isIdle ? NO_MASKS_IN_RECORD_MODE : undefined
}

const NO_MASKS_IN_RECORD_MODE =
  "gateway.autoFold is on, but record mode changes no request. " +
  "To mask old results, start the session with `--mode fold`, and runs with `--gateway fold`."

type FoldingSession = ProxiedSessionRequest & { readonly masking: Masking }

function maskingFor(
  { wire, autoFold, autoFoldAt, environment }: ProxiedSessionRequest,
  { settings, log, clock, keepResults }: GatewayDeps,
  store: GatewayStore,
): Masking {
  const maskedWire = wire === "openai" ? "openai" : "anthropic"
  return createMasking({
    wire: maskedWire,
    reader: createBodyReader(listName(maskedWire)),
    store: store.masks,
    log,
    keepResults,
    now: clock.now,
    window: (model) => hostWindow(wire, model, environment),
    settings: () => ({
      autoFold: autoFold ?? settings().autoFold,
      autoFoldAt: autoFoldAt ?? settings().autoFoldAt,
    }),
  })
}

/** The sessions that fold, and one socket at which other processes query their eligibility. */
function createFolding(deps: GatewayDeps, store: GatewayStore) {
  const latches: IneligibleSessions = new Map()
  const sessions = new Map<string, SessionStates>()
  let server: Promise<SocketServer | undefined> | undefined
  async function listening(): Promise<void> {
    server ??= serveFoldEligibility(deps.location, deps.owner.pid, (question) =>
      joinAnswers([...sessions.values()].map((it) => it.eligibility(question))),
    )
    await server.catch((error: unknown) => {
      server = undefined
      throw error
    })
  }
  return {
    async add(id: string, { wire, tell, masking }: FoldingSession) {
      await listening()
      for (const it of await store.latches()) latches.set(it.session, it.reason)
      const states = createSessionStates(latches)
      const key = await deps.receiptKey()
      sessions.set(id, states)
      const latchOff = ({ session, reason, branchIds }: LatchedOff): void => {
        tell(
          `Folding is off for the rest of this session: ${reason}. The session continues unfolded.`,
        )
        const stored = [store.latchOff(id, { session, reason }), deps.unfold(branchIds)]
        Promise.all(stored).catch((error: unknown) => {
          deps.log.warn("could not store that folding was switched off", {
            proxiedSession: id,
            error,
          })
        })
      }
      const own = { wire, key, states, latches, masking, tell, latchOff }
      return createProxiedSession({ ...own, log: deps.log })
    },
    remove: (id: string) => void sessions.delete(id),
    close: async (): Promise<void> => (await server)?.close(),
  }
}

/** The variables that decide which files a host loads; no keys. */
function placeOf(environment: ProxiedSessionRequest["environment"]): RecorderDeps["place"] {
  const names = ["HOME", "USERPROFILE", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME"]
  const isSwitch = (name: string) => /^CLAUDE_CODE_(?:DISABLE|ADDITIONAL)_/.test(name)
  const picked = Object.entries(environment).filter(
    ([name]) => names.includes(name) || isSwitch(name),
  )
  return {
    home: environment["HOME"] ?? environment["USERPROFILE"] ?? "",
    environment: Object.fromEntries(
      picked.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
  }
}

async function within(ms: number, work: Promise<void>, clock: Clock): Promise<void> {
  const late = new AbortController()
  try {
    await Promise.race([work, clock.sleep(ms, late.signal)])
  } finally {
    late.abort()
  }
}
