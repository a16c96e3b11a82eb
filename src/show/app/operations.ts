import path from "node:path"
import type { Agents, PermissionRules } from "#act/agents"
import type { Gateway } from "#act/gateway"
import type { Pipelines } from "#act/pipeline"
import type { Fold } from "#choose/fold"
import {
  type Clock,
  invariant,
  type Log,
  type Random,
  readTextBounded,
  statFile,
} from "#ground/base"
import {
  type CallContext,
  type Config,
  type DoctorCheck,
  type HandlersOf,
  OPERATIONS,
  type Operation,
  type OperationGroup,
} from "#ground/contract"
import type { Credentials, Secrets } from "#ground/secrets"
import { eventsHandlers, type Store, type StoreLocation, storeHandlers } from "#ground/store"
import { type Tokens, tokensHandlers } from "#ground/tokens"
import type { Knowledge } from "#know/knowledge"
import type { MemoryRoom } from "#know/memory"
import type { Sources } from "#see/sources"
import { configHandlers } from "./config/handlers.ts"
import type { LoadedConfig } from "./config/layers.ts"
import { type DoctorDeps, doctorHandlers, examine } from "./doctor/doctor.ts"
import { FileUnreadable } from "./errors.ts"
import { COUNTED_FILE_LIMIT_BYTES } from "./limits.ts"
import { nowHandlers } from "./now.ts"
import type { Places } from "./places.ts"
import type { Mapping } from "./rooms/map.ts"
import { sayUnreadable } from "./unreadable.ts"

/** What operations stand on. Everything that may fail or cost time is a function. */
export type OperationDeps = {
  places(): Places
  environment(): Readonly<Record<string, string | undefined>>
  loaded(): LoadedConfig
  reload(): Promise<void>
  attack(): Promise<readonly DoctorCheck[]>
  config(): Config
  location(): StoreLocation
  store(): Promise<Store>
  agents(): Promise<Agents>
  permissions(): Promise<PermissionRules>
  mapping(): Mapping
  fold(): Promise<Fold>
  gateway(): Promise<Gateway>
  memory(): Promise<MemoryRoom>
  knowledge(): Promise<Knowledge>
  sources(): Promise<Sources>
  credentials(): Promise<Credentials>
  pipelines(): Promise<Pipelines>
  /** Whether a file may be written wherever the caller says: a person at the terminal, yes. */
  readonly mayWriteFiles: boolean
  /** A path as the person gave it, made absolute. */
  resolve(path: string): string
  /** Told when secrets were loaded, so that what is logged from then on goes through them. */
  readonly onSecrets?: (secrets: Secrets) => void
  readonly tokens: Pick<Tokens, "counter">
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** Loaded where something is installed: most commands know nothing of hosts. */
function kitExam(deps: OperationDeps): DoctorDeps["kit"] {
  return async (options, context) => {
    const enrolment = path.join(deps.places().repository.stateDirectory, "kit.json")
    const isIdle = !options.prove && (await statFile(enrolment)).kind !== "found"
    if (isIdle) return { checks: [], hooks: [] }
    return (await import("./doctor/kit-exam.ts")).examineKit(deps, options, context)
  }
}

/** The function behind an operation; its input is parsed already. */
type Handler = { run(input: unknown, context: CallContext): Promise<unknown> }["run"]
type RoomHandlers = Readonly<Record<string, Readonly<Record<string, Handler>>>>
export type RoomLoader = (deps: OperationDeps) => Promise<RoomHandlers>

const openAgentsRoom = async (deps: OperationDeps) => {
  const { agentsHandlers, permissionsHandlers } = await import("#act/agents")
  return {
    agents: agentsHandlers({
      agents: deps.agents,
      providers: async () => (await import("./rooms/providers.ts")).findProviders(deps),
      keepRule: async (approval) => void (await (await deps.permissions()).always(approval)),
    }),
    permissions: permissionsHandlers(deps),
  }
}
const openChoosingRooms = async (deps: OperationDeps) =>
  (await import("./rooms/pack.ts")).openChoosing(deps)
const openPipelineRoom = async (deps: OperationDeps) => {
  const { agentHandlers, pipelineHandlers } = await import("#act/pipeline")
  return { agent: agentHandlers(deps), pipeline: pipelineHandlers(deps) }
}
const openStoreRoom = async (deps: OperationDeps) => ({
  store: storeHandlers(deps),
  events: eventsHandlers(deps),
})

type LoaderOf<Group extends OperationGroup> = (
  deps: OperationDeps,
) => Promise<{ readonly [Name in Group]: HandlersOf<Name> }>

/**
 * The handlers of each group of operations. A room is loaded by the first call of one of its
 * operations: a command pays for what it uses.
 */
const ROOMS = {
  agent: openPipelineRoom,
  agents: openAgentsRoom,
  permissions: openAgentsRoom,
  bench: async (deps) => ({ bench: (await import("./rooms/bench.ts")).openBenchHandlers(deps) }),
  capture: async (deps) => ({
    capture: (await import("./rooms/capture.ts")).captureIn(
      deps,
      deps.tokens.counter,
      async (place, host) => (await import("./rooms/gateway.ts")).wireWord(place, host, deps),
    ),
  }),
  map: openChoosingRooms,
  search: openChoosingRooms,
  pack: openChoosingRooms,
  guidelines: openChoosingRooms,
  fold: async (deps) => ({ fold: (await import("#choose/fold")).foldHandlers(deps) }),
  gateway: async (deps) => ({ gateway: (await import("#act/gateway")).gatewayHandlers(deps) }),
  claim: async (deps) => ({ claim: (await import("./rooms/claims.ts")).claimHandlers(deps) }),
  decision: async (deps) => ({
    decision: (await import("./rooms/decisions.ts")).decisionHandlers(deps),
  }),
  session: async (deps) => ({
    session: (await import("./rooms/sessions.ts")).sessionHandlers(deps),
  }),
  guard: async (deps) => ({ guard: (await import("./rooms/guard.ts")).guardHandlers(deps) }),
  kit: async (deps) => ({ kit: (await import("./rooms/kit.ts")).kitHandlers(deps) }),
  memory: async (deps) => ({
    memory: (await import("./rooms/memory.ts")).openMemoryHandlers(deps),
  }),
  credential: async (deps) => ({
    credential: (await import("./secrets/credentials.ts")).credentialHandlers(deps),
  }),
  kb: async (deps) => ({ kb: (await import("./rooms/knowledge.ts")).openKbHandlers(deps) }),
  pipeline: openPipelineRoom,
  source: async (deps) => ({ source: (await import("./rooms/sources.ts")).sourceHandlers(deps) }),
  config: async (deps) => ({ config: configHandlers(deps) }),
  doctor: async (deps) => ({ doctor: doctorHandlers({ ...deps, kit: kitExam(deps) }) }),
  now: async (deps) => ({
    now: nowHandlers({ ...deps, examine: () => examine({ ...deps, kit: kitExam(deps) }) }),
  }),
  store: openStoreRoom,
  events: openStoreRoom,
  tokens: async (deps) => ({
    tokens: tokensHandlers({
      tokens: deps.tokens,
      window: () => deps.config().tokens.window,
      read: (given) => readForCounting(given, deps),
    }),
  }),
} as const satisfies { readonly [Group in OperationGroup]: LoaderOf<Group> }

/** Operations beside those of the product, with what loads their handlers. */
export type ExtraOperations = {
  readonly operations: Readonly<Record<string, Operation>>
  readonly load: RoomLoader
}

export type OperationTable = ReturnType<typeof operationTable>

/** Every operation with its handler; each room's are made once. */
export function operationTable(deps: OperationDeps, extra?: ExtraOperations) {
  const declared = new Map<string, Operation>(
    Object.entries({ ...OPERATIONS, ...extra?.operations }),
  )
  const loaders = new Map<string, RoomLoader>(Object.entries(ROOMS))
  for (const name of Object.keys(extra?.operations ?? {})) {
    if (extra !== undefined) loaders.set(groupOf(name), extra.load)
  }
  const loaded = new Map<RoomLoader, Promise<RoomHandlers>>()
  return {
    all: [...declared.values()],
    async find(name: string): Promise<{ readonly operation: Operation; readonly run: Handler }> {
      const operation = declared.get(name)
      const group = groupOf(name)
      const load = loaders.get(group)
      invariant(operation !== undefined && load !== undefined, `${name} is an operation`)
      const room = loaded.get(load) ?? load(deps)
      loaded.set(load, room)
      const run = (await room)[group]?.[name.slice(group.length + 1)]
      invariant(run !== undefined, `${name} has a handler`)
      return { operation, run }
    },
  }
}

function groupOf(name: string): string {
  return name.slice(0, name.indexOf("."))
}

async function readForCounting(given: string, deps: OperationDeps) {
  const file = deps.resolve(given)
  const outcome = await readTextBounded(file, { maxBytes: COUNTED_FILE_LIMIT_BYTES })
  if (outcome.kind === "read") return { text: outcome.text, sizeBytes: outcome.bytes.length }
  const reason = sayUnreadable(outcome, COUNTED_FILE_LIMIT_BYTES)
  throw FileUnreadable({ path: given, reason })
}
