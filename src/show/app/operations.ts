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
import type { Config, DoctorCheck, Operation } from "#ground/contract"
import type { Credentials, Secrets } from "#ground/secrets"
import { type Store, type StoreLocation, storeOperations } from "#ground/store"
import { type Tokens, tokensOperations } from "#ground/tokens"
import type { Knowledge } from "#know/knowledge"
import type { MemoryRoom } from "#know/memory"
import type { Sources } from "#see/sources"
import type { LoadedConfig } from "./config/layers.ts"
import { configOperations } from "./config/operations.ts"
import { type DoctorDeps, doctorOperations, examine } from "./doctor/doctor.ts"
import { FileUnreadable } from "./errors.ts"
import { COUNTED_FILE_LIMIT_BYTES } from "./limits.ts"
import { nowOperations } from "./now.ts"
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

type RoomOperations = (deps: OperationDeps) => Promise<readonly Operation[]>

const agentsRoom: RoomOperations = async (deps) => {
  const { agentsOperations, permissionsOperations } = await import("#act/agents")
  return [
    ...agentsOperations({
      agents: deps.agents,
      providers: async () => (await import("./rooms/providers.ts")).findProviders(deps),
      keepRule: async (approval) => void (await (await deps.permissions()).always(approval)),
    }),
    ...permissionsOperations(deps),
  ]
}
const choosing: RoomOperations = async (deps) =>
  (await import("./rooms/pack.ts")).choosingOperations(deps)
const piping: RoomOperations = async (deps) =>
  (await import("#act/pipeline")).pipelineOperations(deps)
const storing: RoomOperations = async (deps) => storeOperations(deps)

/**
 * Everything the product can do, by the first word of the operation's name. A room's operations
 * join here. Each is loaded by the first call of one of its own: a command pays for what it uses.
 */
const ROOMS = {
  agent: piping,
  agents: agentsRoom,
  permissions: agentsRoom,
  bench: async (deps) => (await import("./rooms/bench.ts")).provingOperations(deps),
  capture: async (deps) =>
    (await import("./rooms/capture.ts")).captureIn(deps, deps.tokens.counter, async (place, host) =>
      (await import("./rooms/gateway.ts")).wireWord(place, host, deps),
    ),
  map: choosing,
  search: choosing,
  pack: choosing,
  guidelines: choosing,
  fold: async (deps) => (await import("#choose/fold")).foldOperations(deps),
  gateway: async (deps) => (await import("#act/gateway")).gatewayOperations(deps),
  claim: async (deps) => (await import("./rooms/claims.ts")).claimOperations(deps),
  decision: async (deps) => (await import("./rooms/decisions.ts")).decisionOperations(deps),
  session: async (deps) => (await import("./rooms/sessions.ts")).sessionOperations(deps),
  guard: async (deps) => (await import("./rooms/guard.ts")).guardOperations(deps),
  kit: async (deps) => (await import("./rooms/kit.ts")).kitOperations(deps),
  memory: async (deps) => (await import("./rooms/memory.ts")).remembering(deps),
  credential: async (deps) => (await import("./secrets/credentials.ts")).credentialOperations(deps),
  kb: async (deps) => (await import("./rooms/knowledge.ts")).knowledgeRoomOperations(deps),
  pipeline: piping,
  source: async (deps) => (await import("./rooms/sources.ts")).sourceOperations(deps),
  config: async (deps) => configOperations(deps),
  doctor: async (deps) => doctorOperations({ ...deps, kit: kitExam(deps) }),
  now: async (deps) =>
    nowOperations({ ...deps, examine: () => examine({ ...deps, kit: kitExam(deps) }) }),
  store: storing,
  events: storing,
  tokens: async (deps) =>
    tokensOperations({
      tokens: deps.tokens,
      window: () => deps.config().tokens.window,
      read: (given) => readForCounting(given, deps),
    }),
} as const satisfies Readonly<Record<string, RoomOperations>>

export type OperationTable = ReturnType<typeof operationTable>

/** The operations of all rooms, each room's made once. */
export function operationTable(deps: OperationDeps) {
  const made = new Map<RoomOperations, Promise<readonly Operation[]>>()
  const of = (room: RoomOperations) => {
    const operations = made.get(room) ?? room(deps)
    made.set(room, operations)
    return operations
  }
  return {
    async find(name: string): Promise<Operation> {
      const [word = ""] = name.split(".")
      const room = Object.entries(ROOMS).find(([first]) => first === word)?.[1]
      const operations = room === undefined ? [] : await of(room)
      const operation = operations.find((it) => it.name === name)
      invariant(operation !== undefined, `the operation ${name} is in the table`)
      return operation
    },
    async all(): Promise<readonly Operation[]> {
      return (await Promise.all([...new Set(Object.values(ROOMS))].map(of))).flat()
    },
  }
}

/** The table as a description: for the reference and the command index, which run nothing. */
export async function describeOperations(): Promise<readonly Operation[]> {
  const never = (): never => {
    invariant(false, "a described operation is never run")
  }
  const clock: Clock = { now: never, monotonicMs: never, sleep: never }
  const log: Log = { debug: never, info: never, warn: never, error: never }
  const table = operationTable({
    places: never,
    environment: never,
    loaded: never,
    reload: never,
    attack: never,
    config: never,
    location: never,
    store: never,
    agents: never,
    permissions: never,
    mapping: never,
    fold: never,
    gateway: never,
    memory: never,
    knowledge: never,
    sources: never,
    credentials: never,
    pipelines: never,
    mayWriteFiles: false,
    resolve: never,
    tokens: { counter: never },
    clock,
    random: { bytes: never },
    log,
  })
  return table.all()
}

async function readForCounting(given: string, deps: OperationDeps) {
  const file = deps.resolve(given)
  const outcome = await readTextBounded(file, { maxBytes: COUNTED_FILE_LIMIT_BYTES })
  if (outcome.kind === "read") return { text: outcome.text, sizeBytes: outcome.bytes.length }
  const reason = sayUnreadable(outcome, COUNTED_FILE_LIMIT_BYTES)
  throw FileUnreadable({ path: given, reason })
}
