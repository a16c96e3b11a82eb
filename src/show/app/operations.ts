import { invariant } from "#ground/base"
import {
  type CallContext,
  type HandlersOf,
  loadOperation,
  loadOperations,
  type Operation,
  type OperationGroup,
} from "#ground/contract"
import { eventsHandlers, storeHandlers } from "#ground/store"
import { configHandlers } from "./config/handlers.ts"
import { doctorHandlers, examine } from "./doctor/doctor.ts"
import { nowHandlers } from "./now.ts"
import { openTokensHandlers } from "./rooms/tokens.ts"
import type { Services } from "./services.ts"

/** Its input is already parsed. */
type Handler = { run(input: unknown, context: CallContext): Promise<unknown> }["run"]
type RoomHandlers = Readonly<Record<string, Readonly<Record<string, Handler>>>>
export type RoomLoader = (services: Services) => Promise<RoomHandlers>

const openAgentsRoom = async (services: Services) =>
  (await import("./rooms/agents.ts")).openAgentHandlers(services)
const openBoardRoom = async (services: Services) =>
  (await import("./rooms/board.ts")).openBoardHandlers(services)
const openKitRoom = async (services: Services) =>
  (await import("./rooms/kit.ts")).openKitHandlers(services)
const openLedgerRoom = async (services: Services) =>
  (await import("./rooms/ledger.ts")).openLedgerHandlers(services)
const openMapAndPackRooms = async (services: Services) =>
  (await import("./rooms/pack.ts")).openMapAndPackHandlers(services)
const openMemoryRoom = async (services: Services) =>
  (await import("./rooms/memory.ts")).openMemoryHandlers(services)
const openPipelineRoom = async (services: Services) => {
  const { recipeHandlers, pipelineHandlers } = await import("#act/pipeline")
  return { recipe: recipeHandlers(services), pipeline: pipelineHandlers(services) }
}
const openReportRoom = async (services: Services) =>
  (await import("./rooms/report.ts")).openReportHandlers(services)
const openReviewRoom = async (services: Services) =>
  (await import("./rooms/review.ts")).openReviewHandlers(services)
const openStoreRoom = async (services: Services) => ({
  store: storeHandlers(services),
  events: eventsHandlers(services),
})

type LoaderOf<Group extends OperationGroup> = (
  services: Services,
) => Promise<{ readonly [Name in Group]: HandlersOf<Name> }>

/**
 * The handlers of each group of operations. The first call of an operation loads its room, so a
 * command pays only for what it uses.
 */
const ROOMS = {
  recipe: openPipelineRoom,
  agents: openAgentsRoom,
  organise: openAgentsRoom,
  permissions: openAgentsRoom,
  bench: async (services) => ({
    bench: (await import("#choose/proof")).benchHandlers({
      ...services,
      environment: services.environment(),
      counter: services.tokens.counter,
      settings: () => services.config().pack,
    }),
  }),
  audit: openReportRoom,
  report: openReportRoom,
  autonomy: openBoardRoom,
  board: openBoardRoom,
  ticket: openBoardRoom,
  capture: async (services) => ({
    capture: (await import("./rooms/capture.ts")).openCaptureHandlers(services),
  }),
  map: openMapAndPackRooms,
  search: openMapAndPackRooms,
  pack: openMapAndPackRooms,
  guidelines: openMapAndPackRooms,
  fold: async (services) => ({ fold: (await import("#choose/fold")).foldHandlers(services) }),
  gateway: async (services) => ({
    gateway: (await import("#act/gateway")).gatewayHandlers(services),
  }),
  claim: openLedgerRoom,
  decision: openMemoryRoom,
  session: openLedgerRoom,
  sessions: async (services) => ({
    sessions: await (await import("./rooms/sessions.ts")).openSessionsHandlers(services),
  }),
  guard: async (services) => ({
    guard: (await import("./rooms/guard.ts")).openGuardHandlers(services),
  }),
  kit: openKitRoom,
  packs: openKitRoom,
  forge: openKitRoom,
  memory: openMemoryRoom,
  connection: async (services) => ({
    connection: (await import("./rooms/model.ts")).openConnectionHandlers(services),
  }),
  credential: async (services) => ({
    credential: (await import("./secrets/credentials.ts")).openCredentialHandlers(services),
  }),
  kb: async (services) => ({ kb: (await import("./rooms/knowledge.ts")).openKbHandlers(services) }),
  people: async (services) => ({
    people: (await import("./rooms/people.ts")).openPeopleHandlers(services),
  }),
  remote: async (services) => ({
    remote: (await import("#act/remote")).remoteHandlers({
      ...services,
      db: async () => (await services.store()).forRoom("remote"),
      redact: async (text) => (await services.secrets()).redact(text).text,
    }),
  }),
  pipeline: openPipelineRoom,
  plan: async (services) => ({
    plan: (await import("./rooms/plans.ts")).openPlanHandlers(services),
  }),
  source: async (services) => ({
    source: (await import("#see/sources")).sourceHandlers(services),
  }),
  config: async (services) => ({ config: configHandlers(services) }),
  demo: async (services) => ({
    demo: (await import("./demo/create-repository.ts")).demoHandlers(services),
  }),
  doctor: async (services) => ({ doctor: doctorHandlers(services) }),
  hosts: async (services) => ({
    hosts: (await import("./hosts.ts")).hostsHandlers(services),
  }),
  now: async (services) => ({
    now: nowHandlers({ ...services, examine: () => examine(services) }),
  }),
  fleet: async (services) => ({
    fleet: (await import("./fleet.ts")).fleetHandlers(services),
  }),
  dashboard: async (services) => ({
    dashboard: (await import("./dashboard/dashboard.ts")).dashboardHandlers(services),
  }),
  media: async (services) => ({
    media: (await import("./rooms/media.ts")).openMediaHandlers(services),
  }),
  review: openReviewRoom,
  sync: openReviewRoom,
  scaffold: async (services) => ({
    scaffold: (await import("./rooms/scaffold.ts")).openScaffoldHandlers(services),
  }),
  store: openStoreRoom,
  events: openStoreRoom,
  tokens: async (services) => ({ tokens: openTokensHandlers(services) }),
  upgrade: async (services) => ({
    upgrade: (await import("./upgrade.ts")).upgradeHandlers(services),
  }),
  swarm: async (services) => ({
    swarm: (await import("./rooms/swarm.ts")).openSwarmHandlers(services),
  }),
  worktree: async (services) => ({
    worktree: (await import("./rooms/worktrees.ts")).openWorktreeHandlers(services),
  }),
} as const satisfies { readonly [Group in OperationGroup]: LoaderOf<Group> }

/** Operations of tests and extensions. */
export type ExtraOperations = {
  readonly operations: Readonly<Record<string, Operation>>
  readonly load: RoomLoader
}

export type OperationTable = ReturnType<typeof operationTable>

export function operationTable(services: Services, extra?: ExtraOperations) {
  const loaders = new Map<string, RoomLoader>(Object.entries(ROOMS))
  for (const name of Object.keys(extra?.operations ?? {})) {
    if (extra !== undefined) loaders.set(groupOf(name), extra.load)
  }
  const loaded = new Map<RoomLoader, Promise<RoomHandlers>>()
  return {
    all: async () => [...(await loadOperations()), ...Object.values(extra?.operations ?? {})],
    async find(name: string): Promise<{ readonly operation: Operation; readonly run: Handler }> {
      const operation = extra?.operations[name] ?? (await loadOperation(name))
      const group = groupOf(name)
      const load = loaders.get(group)
      invariant(operation !== undefined && load !== undefined, `${name} is an operation`)
      const room = loaded.get(load) ?? load(services)
      loaded.set(load, room)
      const run = (await room)[group]?.[name.slice(group.length + 1)]
      invariant(run !== undefined, `${name} has a handler`)
      return { operation, run }
    },
  }
}

export function groupOf(name: string): string {
  return name.slice(0, name.indexOf("."))
}
