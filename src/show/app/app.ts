import path from "node:path"
import type { Agents } from "#act/agents"
import type { Gateway, ProxiedHost } from "#act/gateway"
import type { Pipelines } from "#act/pipeline"
import type { Fold } from "#choose/fold"
import {
  type Clock,
  createLog,
  isAppError,
  type Log,
  type Random,
  systemClock,
  systemRandom,
} from "#ground/base"
import {
  type CallContext,
  Capture,
  type Config,
  type DoctorCheck,
  type HostName,
  type Operation,
  PackBuilt,
} from "#ground/contract"
import type { Secrets } from "#ground/secrets"
import { openStore, parseDatabaseUrl, type Store, type StoreLocation } from "#ground/store"
import type { MemoryRoom } from "#know/memory"
import { createSettings } from "./config/settings.ts"
import { InputInvalid } from "./errors.ts"
import { memo, once } from "./once.ts"
import { type ExtraOperations, type OperationTable, operationTable } from "./operations.ts"
import { findPlaces, type Places } from "./places.ts"
import type { HostSessionRequest } from "./rooms/gateway.ts"
import { createMapping } from "./rooms/map.ts"
import { openResearch } from "./rooms/research.ts"
import { lazyTokens } from "./rooms/tokens.ts"
import { loadSecrets, noticeCredentials } from "./secrets/known-secrets.ts"
import { refuseForeignState } from "./secrets/state-seal.ts"

export type AppOptions = {
  /** Where the person stands; the repository is found from here. */
  readonly directory: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Settings given on the command line, as `key=value`. */
  readonly settings: readonly string[]
  readonly writeLog: (line: string) => void
  /** Whether operations may write files wherever the caller says; a server may not. */
  readonly mayWriteFiles?: boolean
  /** Probes of the running server, for the doctor; handed in by what serves. */
  readonly attack?: (places: Places) => Promise<readonly DoctorCheck[]>
  /** Operations beside those of the product. */
  readonly extra?: ExtraOperations
  readonly clock?: Clock
  readonly random?: Random
}

export type App = AsyncDisposable & {
  readonly places: Places
  /** Everything it can do. */
  readonly operations: readonly Operation[]
  readonly log: Log
  /** The settings in force, or CONFIG_INVALID. */
  config(): Config
  /** Whether nobody has set it: neither file, nor environment, nor flag. */
  isDefault(key: string): boolean
  /** The one store of this process, opened at the first call. */
  store(): Promise<Store>
  /** The runs of this process, made at the first call. */
  agents(): Promise<Agents>
  /** The branches of this process, made at the first call. */
  fold(): Promise<Fold>
  /** Lets the requests of a process that is about to start go through the gateway. */
  carry(wanted: HostSessionRequest): Promise<ProxiedHost>
  /** The pipelines of this process, made at the first call. */
  pipelines(): Promise<Pipelines>
  /** A text without its secrets, for what no room has looked through. */
  redact(text: string): Promise<string>
  /** Run one operation by name: parse what goes in, run, parse what comes out, log once. */
  call(name: string, input: unknown, context: CallContext): Promise<unknown>
}

/**
 * The wiring of the house. Nothing is opened until an operation needs it, so that `config check`
 * and `doctor` also answer on a broken config, an unreachable database or a full disk.
 */
export async function createApp(options: AppOptions): Promise<App> {
  const ground = await layGround(options)
  const { places, deps, store } = ground
  const { rooms, close } = openRooms(deps)
  const research = openResearch({ ...rooms, agents: () => agents.open() })
  const agents = once(async (): Promise<Agents> => {
    const { openAgents } = await import("./rooms/agents.ts")
    return openAgents({ ...rooms, ...research.rooms, ...askedOfOthers(call) })
  })
  const operations = operationTable(
    {
      ...rooms,
      ...research.rooms,
      agents: agents.open,
      mayWriteFiles: options.mayWriteFiles === true,
    },
    options.extra,
  )
  const call = callerOf(operations, deps)
  return {
    places,
    operations: operations.all,
    log: deps.log,
    config: deps.config,
    isDefault: deps.isDefault,
    store: store.open,
    agents: agents.open,
    fold: rooms.fold,
    carry: async (wanted) => (await import("./rooms/gateway.ts")).proxyHost(wanted, rooms),
    pipelines: research.rooms.pipelines,
    redact: async (text) => (await loadSecrets(places.repository.root, deps)).redact(text).text,
    call,
    async [Symbol.asyncDispose]() {
      // First what works: what it says last still has to be written.
      await research.close()
      await agents.close()
      await close()
      await store.close()
    },
  }
}

/** Places, settings, log and store: what every room stands on. */
async function layGround(options: AppOptions) {
  const { clock = systemClock, random = systemRandom } = options
  const places = await findPlaces(options.directory, options.environment)
  const settings = await settingsAt(places, options)
  const { config } = settings
  // A command that needs no secrets does not load their room for its log.
  let scrub: Secrets["redact"] | undefined
  const log = createLog({
    clock,
    write: options.writeLog,
    scrub: (text) => scrub?.(text).text ?? text,
    ...settings.loaded().config.log,
  })
  const location = (): StoreLocation => locateStore(config(), places)
  const store = once(async () => {
    const where = location()
    if (where.kind === "sqlite") await refuseForeignState({ places: () => places, random, log })
    return openStore({ location: where, clock, random, log, ...config().store })
  })
  const deps = {
    ...settings,
    places: () => places,
    environment: () => options.environment,
    attack: async () => options.attack?.(places) ?? [],
    onSecrets: ({ redact }: Secrets) => {
      scrub = redact
    },
    location,
    store: store.open,
    resolve: (given: string) => path.resolve(options.directory, given),
    permissions: memo(async () => {
      const { openPermissions } = await import("./rooms/permissions.ts")
      return openPermissions({ places: () => places, config, log })
    }).get,
    tokens: lazyTokens({ config, places: () => places, log }),
    clock,
    random,
    log,
  }
  return { places, store, deps }
}

type Ground = Awaited<ReturnType<typeof layGround>>["deps"]

/** Rooms that hand each other what they need, each made at its first call. */
function openRooms(deps: Ground) {
  const mapping = memo(() => createMapping(deps))
  const rooms = {
    ...deps,
    mapping: mapping.get,
    fold: () => fold.open(),
    memory: () => memory.get(),
    gateway: () => gateway.open(),
  }
  const fold = once(async (): Promise<Fold> => (await import("./rooms/fold.ts")).openFold(rooms))
  const memory = memo(
    async (): Promise<MemoryRoom> => (await import("./rooms/memory.ts")).openMemory(rooms),
  )
  const gateway = once(
    async (): Promise<Gateway> => (await import("./rooms/gateway.ts")).openGateway(rooms),
  )
  return {
    rooms,
    async close(): Promise<void> {
      await gateway.close()
      await fold.close()
      await mapping.made()?.close()
    },
  }
}

/** Calls operations by their names. */
function callerOf(
  operations: OperationTable,
  deps: Parameters<typeof noticeCredentials>[0],
): App["call"] {
  return async (name, input, context) => {
    await noticeCredentials(deps)
    return callOperation({ ...(await operations.find(name)), input, context }, deps)
  }
}

function settingsAt(places: Places, options: AppOptions) {
  return createSettings({
    userFile: places.userConfig,
    projectFile: places.projectConfig,
    environment: options.environment,
    flags: options.settings,
  })
}

/** What runs need of other rooms: asked for like anybody does. */
function askedOfOthers(call: App["call"]) {
  return {
    capture: (path: string, host: HostName) => captureFor({ path, host }, call),
    pack: (id: string) => packFor(id, call),
  }
}

type Captured = { readonly path: string; readonly host: HostName }

async function captureFor(captured: Captured, call: App["call"]): Promise<Capture> {
  const { signal } = new AbortController()
  const input = { ...captured, content: true, save: false }
  return Capture.parse(await call("capture.take", input, { signal }))
}

async function packFor(id: string, call: App["call"]): Promise<PackBuilt> {
  const { signal } = new AbortController()
  return PackBuilt.parse(await call("pack.show", { id, format: "markdown" }, { signal }))
}

function locateStore(config: Config, places: Places): StoreLocation {
  const { databaseUrl } = config.store
  return databaseUrl === ""
    ? { kind: "sqlite", file: places.database }
    : parseDatabaseUrl(databaseUrl)
}

type Call = Awaited<ReturnType<OperationTable["find"]>> & {
  readonly input: unknown
  readonly context: CallContext
}

async function callOperation(call: Call, deps: { clock: Clock; log: Log }): Promise<unknown> {
  const { operation, context } = call
  const startedMs = deps.clock.monotonicMs()
  const elapsedMs = (): number => Math.round(deps.clock.monotonicMs() - startedMs)
  try {
    const input = parseInput(operation, call.input)
    const output = operation.output.parse(await call.run(input, context))
    deps.log.info("operation done", { name: operation.name, ms: elapsedMs() })
    return output
  } catch (error) {
    const code = isAppError(error) ? error.code : "BUG"
    deps.log.info("operation failed", { name: operation.name, ms: elapsedMs(), code })
    throw error
  }
}

function parseInput(operation: Operation, input: unknown): unknown {
  const parsed = operation.input.safeParse(input)
  if (parsed.success) return parsed.data
  const problem = parsed.error.issues
    .map((it) => (it.path.length === 0 ? it.message : `${it.path.join(".")}: ${it.message}`))
    .join("; ")
  throw InputInvalid({ operation: operation.name, problem })
}
