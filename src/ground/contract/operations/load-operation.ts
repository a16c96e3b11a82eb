import type { Operation } from "../operation.ts"
import type { OPERATIONS, OperationGroup, OperationName } from "./operations.ts"

type LoaderOf<Group extends OperationGroup> = () => Promise<
  Pick<typeof OPERATIONS, Extract<OperationName, `${Group}.${string}`>>
>

/** One module per group, so that a command builds the schemas of its own group only. */
const LOADERS = {
  agents: async () => (await import("./agents.ts")).agentsOperations,
  audit: async () => (await import("./report.ts")).auditOperations,
  autonomy: async () => (await import("./autonomy.ts")).autonomyOperations,
  bench: async () => (await import("./bench.ts")).benchOperations,
  board: async () => (await import("./board.ts")).boardOperations,
  capture: async () => (await import("./capture.ts")).captureOperations,
  claim: async () => (await import("./ledger.ts")).claimOperations,
  config: async () => (await import("./app.ts")).configOperations,
  connection: async () => (await import("./connection.ts")).connectionOperations,
  credential: async () => (await import("./sources.ts")).credentialOperations,
  dashboard: async () => (await import("./app.ts")).dashboardOperations,
  decision: async () => (await import("./memory.ts")).decisionOperations,
  demo: async () => (await import("./app.ts")).demoOperations,
  doctor: async () => (await import("./app.ts")).doctorOperations,
  events: async () => (await import("./store.ts")).eventsOperations,
  fleet: async () => (await import("./app.ts")).fleetOperations,
  fold: async () => (await import("./fold.ts")).foldOperations,
  forge: async () => (await import("./kit.ts")).forgeOperations,
  gateway: async () => (await import("./gateway.ts")).gatewayOperations,
  guard: async () => (await import("./guard.ts")).guardOperations,
  guidelines: async () => (await import("./pack.ts")).guidelinesOperations,
  hosts: async () => (await import("./app.ts")).hostsOperations,
  kb: async () => (await import("./knowledge.ts")).kbOperations,
  kit: async () => (await import("./kit.ts")).kitOperations,
  map: async () => (await import("./map.ts")).mapOperations,
  media: async () => (await import("./media.ts")).mediaOperations,
  memory: async () => (await import("./memory.ts")).memoryOperations,
  now: async () => (await import("./app.ts")).nowOperations,
  organise: async () => (await import("./organise.ts")).organiseOperations,
  pack: async () => (await import("./pack.ts")).packOperations,
  packs: async () => (await import("./kit.ts")).packsOperations,
  people: async () => (await import("./people.ts")).peopleOperations,
  permissions: async () => (await import("./permissions.ts")).permissionsOperations,
  pipeline: async () => (await import("./pipeline.ts")).pipelineOperations,
  plan: async () => (await import("./plan.ts")).planOperations,
  recipe: async () => (await import("./pipeline.ts")).recipeOperations,
  remote: async () => (await import("./remote.ts")).remoteOperations,
  report: async () => (await import("./report.ts")).reportOperations,
  review: async () => (await import("./review.ts")).reviewOperations,
  scaffold: async () => (await import("./scaffold.ts")).scaffoldOperations,
  search: async () => (await import("./map.ts")).searchOperations,
  session: async () => (await import("./ledger.ts")).sessionOperations,
  sessions: async () => (await import("./sessions.ts")).sessionsOperations,
  source: async () => (await import("./sources.ts")).sourceOperations,
  store: async () => (await import("./store.ts")).storeOperations,
  swarm: async () => (await import("./swarm.ts")).swarmOperations,
  sync: async () => (await import("./review.ts")).syncOperations,
  ticket: async () => (await import("./board.ts")).ticketOperations,
  tokens: async () => (await import("./tokens.ts")).tokensOperations,
  upgrade: async () => (await import("./app.ts")).upgradeOperations,
  worktree: async () => (await import("./worktrees.ts")).worktreeOperations,
} as const satisfies { readonly [Group in OperationGroup]: LoaderOf<Group> }

export async function loadOperation(name: string): Promise<Operation | undefined> {
  const loaders = new Map<string, () => Promise<Readonly<Record<string, Operation>>>>(
    Object.entries(LOADERS),
  )
  return (await loaders.get(name.slice(0, name.indexOf(".")))?.())?.[name]
}

/** All of them. */
export async function loadOperations(): Promise<readonly Operation[]> {
  const loaders: readonly (() => Promise<Readonly<Record<string, Operation>>>)[] =
    Object.values(LOADERS)
  const groups = await Promise.all(loaders.map((load) => load()))
  return groups.flatMap((it) => Object.values(it))
}
