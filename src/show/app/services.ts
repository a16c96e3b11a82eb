import { hostname } from "node:os"
import path from "node:path"
import type { Agents, PermissionRules } from "#act/agents"
import type { Gateway } from "#act/gateway"
import type { Pipelines } from "#act/pipeline"
import type { SwarmRoom } from "#act/swarm"
import type { Worktrees } from "#act/worktrees"
import type { Fold } from "#choose/fold"
import {
  type Clock,
  createLog,
  type Log,
  once,
  openOnce,
  processIdentity,
  type Random,
  statFile,
  systemClock,
  systemRandom,
} from "#ground/base"
import type { CallContext, Config, DoctorCheck } from "#ground/contract"
import type { People } from "#ground/people"
import type { Credentials, Secrets } from "#ground/secrets"
import { openStore, parseDatabaseUrl, type Store, type StoreLocation } from "#ground/store"
import type { ModelScale, TokenCounter, Tokens } from "#ground/tokens"
import type { AutonomyRoom, BoardRoom } from "#know/board"
import type { Knowledge } from "#know/knowledge"
import type { MemoryRoom } from "#know/memory"
import type { SessionIndex } from "#know/sessions"
import type { Sources } from "#see/sources"
import { createSettings, type LoadedConfig } from "./config/layers.ts"
import { StoreMissing } from "./errors.ts"
import { findPlaces, type RepositoryPaths } from "./places.ts"
import { createRepositoryMap, type RepositoryMap } from "./rooms/map.ts"
import { lazyTokens, modelScales, withModelCounter } from "./rooms/tokens.ts"
import { type LoadedSecrets, loadSecrets } from "./secrets/known-secrets.ts"
import { refuseForeignState } from "./secrets/salt.ts"

/**
 * Each handler and room takes a `Pick` of it. Anything that may fail or cost time is a function.
 */
export type Services = {
  places(): RepositoryPaths
  environment(): Readonly<Record<string, string | undefined>>
  /** A path given by the user, made absolute. */
  resolve(path: string): string
  loaded(): LoadedConfig
  reload(): Promise<void>
  config(): Config
  location(): StoreLocation
  store(): Promise<Store>
  /** The secrets of a directory, by default the repository; read at each call. */
  secrets(directory?: string): Promise<LoadedSecrets>
  credentials(): Promise<Credentials>
  permissions(): Promise<PermissionRules>
  /** People of the store, their keys and the audit log. */
  people(): Promise<People>
  map(): RepositoryMap
  board(): Promise<BoardRoom>
  autonomy(): Promise<AutonomyRoom>
  worktrees(): Promise<Worktrees>
  swarm(): Promise<SwarmRoom>
  memory(): Promise<MemoryRoom>
  knowledge(): Promise<Knowledge>
  sessionIndex(): Promise<SessionIndex>
  sources(): Promise<Sources>
  fold(): Promise<Fold>
  gateway(): Promise<Gateway>
  agents(): Promise<Agents>
  pipelines(): Promise<Pipelines>
  /** Attack probes of the running server. */
  attack(): Promise<readonly DoctorCheck[]>
  /** Runs another operation, like a surface does. */
  call: CallOperation
  /** This process as a worker on the store's rows; each call returns another worker. */
  owner(): ProcessOwner
  /** Whether the caller may write files anywhere: true for a user at the terminal. */
  readonly mayWriteFiles: boolean
  /** Whether this process stays and should let the system report changes of the tree. */
  readonly watchesTree: boolean
  readonly tokens: Pick<Tokens, "counter"> & {
    /** For texts and budgets of an agent: scaled by `modelScale()`. */
    modelCounter(): Promise<TokenCounter>
  }
  /** From counts to tokens of a model: the given one, the configured one, or the one used last. */
  modelScale(model?: string): Promise<ModelScale>
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

type ProcessOwner = {
  readonly pid: number
  readonly startedAt: string
  readonly machine: string
  readonly instance: string
}

export type CallOperation = (name: string, input: unknown, context: CallContext) => Promise<unknown>

export type ServiceOptions = {
  /** The repository is searched from here upwards. */
  readonly directory: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /**
   * `key=value`, from `--set`.
   */
  readonly settings: readonly string[]
  readonly writeLog: (line: string) => void
  /** False for a server. */
  readonly mayWriteFiles?: boolean
  /** False for shell completion, which must not create files while the user types. */
  readonly mayCreateStore?: boolean
  /** "copy": in memory, with the content of the file; what a call writes is dropped. */
  readonly storeMode?: "file" | "copy"
  readonly watchesTree?: boolean
  /** Attack probes of the running server, passed in by the surface that serves. */
  readonly attack?: (places: RepositoryPaths) => Promise<readonly DoctorCheck[]>
  readonly clock?: Clock
  readonly random?: Random
}

export async function openServices(options: ServiceOptions, call: CallOperation) {
  const { base, isDefault, closeStore } = await openBase(options)
  const modelScale = modelScales(base)
  const tokens = withModelCounter(base.tokens, modelScale)
  const map = createRepositoryMap({ ...base, tokens })
  const services: Services = {
    ...base,
    call,
    map: () => map,
    modelScale,
    tokens,
    credentials: once(async (): Promise<Credentials> => {
      return (await import("./secrets/credentials.ts")).openCredentials(services)
    }),
    permissions: once(async (): Promise<PermissionRules> => {
      return (await import("./rooms/agents.ts")).openPermissions(services)
    }),
    people: once(async (): Promise<People> => {
      return (await import("./rooms/people.ts")).openPeople(services)
    }),
    board: once(async (): Promise<BoardRoom> => {
      return (await import("./rooms/board.ts")).openBoard(services)
    }),
    swarm: () => swarm.open(),
    autonomy: once(async (): Promise<AutonomyRoom> => {
      return (await import("./rooms/board.ts")).openAutonomy(services)
    }),
    worktrees: once(async (): Promise<Worktrees> => {
      return (await import("./rooms/worktrees.ts")).openWorktrees(services)
    }),
    memory: once(async (): Promise<MemoryRoom> => {
      return (await import("./rooms/memory.ts")).openMemory(services)
    }),
    knowledge: once(async (): Promise<Knowledge> => {
      return (await import("./rooms/knowledge.ts")).openKnowledge(services)
    }),
    sessionIndex: once(async (): Promise<SessionIndex> => {
      return (await import("./rooms/sessions.ts")).openSessionIndex(services)
    }),
    sources: () => sources.open(),
    fold: () => fold.open(),
    gateway: () => gateway.open(),
    agents: () => agents.open(),
    pipelines: () => pipelines.open(),
  }
  const sources = openOnce(async (): Promise<Sources> => {
    return (await import("./rooms/sources.ts")).openSources(services)
  })
  const fold = openOnce(async (): Promise<Fold> => {
    return (await import("./rooms/fold.ts")).openFold(services)
  })
  const gateway = openOnce(async (): Promise<Gateway> => {
    return (await import("./rooms/gateway.ts")).openGateway(services)
  })
  const agents = openOnce(async (): Promise<Agents> => {
    return (await import("./rooms/agents.ts")).openAgents(services)
  })
  const pipelines = openOnce(async (): Promise<Pipelines> => {
    return (await import("./rooms/pipeline.ts")).openPipelines(services)
  })
  const swarm = openOnce(async (): Promise<SwarmRoom> => {
    return (await import("./rooms/swarm.ts")).openSwarm(services)
  })
  return {
    services,
    isDefault,
    async close(): Promise<void> {
      // Working rooms first: their last writes need the others.
      for (const room of [swarm, pipelines, sources, agents, gateway, fold, map]) await room.close()
      await closeStore()
    },
  }
}

async function openBase(options: ServiceOptions) {
  const { clock = systemClock, random = systemRandom } = options
  const repositoryPlaces = await findPlaces(options.directory, options.environment)
  const places = () => repositoryPlaces
  const environment = () => options.environment
  const { isDefault, ...settings } = await createSettings({
    userFile: repositoryPlaces.userConfig,
    projectFile: repositoryPlaces.projectConfig,
    environment: options.environment,
    flags: options.settings,
  })
  const { config } = settings
  // A command that needs no secrets does not load their room for its log.
  let redactLog: Secrets["redact"] | undefined
  const log = createLog({
    clock,
    write: options.writeLog,
    scrub: (text) => redactLog?.(text).text ?? text,
    ...settings.loaded().config.log,
  })
  const location = (): StoreLocation => locateStore(config(), repositoryPlaces)
  const store = openOnce(async () => {
    const where = location()
    if (where.kind === "sqlite" && options.storeMode === "copy") {
      await refuseForeignState({ places, random, log }, { maySeal: false })
      const inMemory = { location: { kind: "memory" }, copyOf: where.file } as const
      return openStore({ ...inMemory, clock, random, log, ...config().store })
    }
    if (where.kind === "sqlite") {
      if (options.mayCreateStore === false) await requireStore(where.file)
      await refuseForeignState({ places, random, log })
    }
    return openStore({ location: where, clock, random, log, ...config().store })
  })
  const base = {
    ...settings,
    places,
    environment,
    resolve: (userPath: string) => path.resolve(options.directory, userPath),
    location,
    store: store.open,
    async secrets(directory: string = repositoryPlaces.repository.root): Promise<LoadedSecrets> {
      const { loaded } = settings
      const deps = { places, environment, loaded, clock, random, log }
      const secrets = await loadSecrets(directory, deps)
      redactLog = secrets.redact
      return secrets
    },
    attack: async () => options.attack?.(repositoryPlaces) ?? [],
    owner: () => processOwner(random),
    mayWriteFiles: options.mayWriteFiles === true,
    watchesTree: options.watchesTree === true,
    tokens: lazyTokens({ config }),
    clock,
    random,
    log,
  }
  return { base, isDefault, closeStore: store.close }
}

async function requireStore(file: string): Promise<void> {
  const { kind } = await statFile(file)
  if (kind === "missing") throw StoreMissing({ file })
}

function locateStore(config: Config, places: RepositoryPaths): StoreLocation {
  const { databaseUrl } = config.store
  return databaseUrl === ""
    ? { kind: "sqlite", file: places.database }
    : parseDatabaseUrl(databaseUrl)
}

function processOwner(random: Random): ProcessOwner {
  const { pid, startedAt = "" } = processIdentity()
  const instance = Buffer.from(random.bytes(12)).toString("hex")
  return { pid, startedAt, machine: hostname(), instance }
}
