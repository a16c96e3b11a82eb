import type { OPERATIONS, OperationGroup, OperationName } from "#ground/contract"
import { fitText } from "../terminal/layout.ts"
import type { Screen } from "../terminal/screen.ts"
import type { Renderers } from "./renderer.ts"

type AnyDraw = { draw(output: unknown, screen: Screen): string }["draw"]
type AnyRenderer =
  | AnyDraw
  | {
      readonly text: AnyDraw
      isGood?(output: unknown): boolean
      readonly isExact?: boolean
      isVerbatim?(output: unknown): boolean
    }
type RendererTable = Readonly<Record<string, AnyRenderer>>

type LoaderOf<Group extends OperationGroup> = () => Promise<
  Renderers<Pick<typeof OPERATIONS, Extract<OperationName, `${Group}.${string}`>>>
>

/** Loaded by group, so that a command loads only its own renderers. */
const LOADERS = {
  recipe: async () => (await import("./pipelines.ts")).recipeRenderers,
  agents: async () => (await import("./agents.ts")).agentsRenderers,
  audit: async () => (await import("./report.ts")).auditRenderers,
  autonomy: async () => (await import("./board.ts")).autonomyRenderers,
  bench: async () => (await import("./bench.ts")).benchRenderers,
  board: async () => (await import("./board.ts")).boardRenderers,
  capture: async () => (await import("./capture.ts")).captureRenderers,
  claim: async () => (await import("./ledger.ts")).claimRenderers,
  config: async () => (await import("./config.ts")).configRenderers,
  connection: async () => (await import("./connections.ts")).connectionRenderers,
  credential: async () => (await import("./sources.ts")).credentialRenderers,
  decision: async () => (await import("./memory.ts")).decisionRenderers,
  demo: async () => (await import("./config.ts")).demoRenderers,
  doctor: async () => (await import("./config.ts")).doctorRenderers,
  events: async () => (await import("./store.ts")).eventsRenderers,
  fold: async () => (await import("./fold.ts")).foldRenderers,
  forge: async () => (await import("./kit.ts")).forgeRenderers,
  gateway: async () => (await import("./gateway-request.ts")).gatewayRenderers,
  guard: async () => (await import("./guard.ts")).guardRenderers,
  guidelines: async () => (await import("./pack.ts")).guidelinesRenderers,
  fleet: async () => (await import("./config.ts")).fleetRenderers,
  dashboard: async () => (await import("./config.ts")).dashboardRenderers,
  media: async () => (await import("./review.ts")).mediaRenderers,
  review: async () => (await import("./review.ts")).reviewRenderers,
  scaffold: async () => (await import("./review.ts")).scaffoldRenderers,
  sync: async () => (await import("./review.ts")).syncRenderers,
  remote: async () => (await import("./remote.ts")).remoteRenderers,
  report: async () => (await import("./report.ts")).reportRenderers,
  hosts: async () => (await import("./config.ts")).hostsRenderers,
  kb: async () => (await import("./knowledge.ts")).kbRenderers,
  kit: async () => (await import("./kit.ts")).kitRenderers,
  map: async () => (await import("./map.ts")).mapRenderers,
  memory: async () => (await import("./memory.ts")).memoryRenderers,
  now: async () => (await import("./config.ts")).nowRenderers,
  organise: async () => (await import("./organise.ts")).organiseRenderers,
  pack: async () => (await import("./pack.ts")).packRenderers,
  packs: async () => (await import("./kit.ts")).packsRenderers,
  people: async () => (await import("./people.ts")).peopleRenderers,
  permissions: async () => (await import("./agents.ts")).permissionsRenderers,
  pipeline: async () => (await import("./pipelines.ts")).pipelineRenderers,
  plan: async () => (await import("./plans.ts")).planRenderers,
  search: async () => (await import("./map.ts")).searchRenderers,
  session: async () => (await import("./ledger.ts")).sessionRenderers,
  sessions: async () => (await import("./sessions.ts")).sessionsRenderers,
  source: async () => (await import("./sources.ts")).sourceRenderers,
  store: async () => (await import("./store.ts")).storeRenderers,
  swarm: async () => (await import("./swarm.ts")).swarmRenderers,
  ticket: async () => (await import("./board.ts")).ticketRenderers,
  tokens: async () => (await import("./store.ts")).tokensRenderers,
  upgrade: async () => (await import("./config.ts")).upgradeRenderers,
  worktree: async () => (await import("./worktrees.ts")).worktreeRenderers,
} as const satisfies { readonly [Group in OperationGroup]: LoaderOf<Group> }

export type ResultPrinter = {
  text(output: unknown, screen: Screen): string
  readonly isExact: boolean
  exitCode(output: unknown): number
}

/** For a parsed output. Undefined if results of the operation are printed as JSON. */
export async function findPrinter(
  name: string,
  extra: RendererTable = {},
): Promise<ResultPrinter | undefined> {
  const [group = "", verb = ""] = name.split(".")
  const load = Object.entries(LOADERS).find(([it]) => it === group)?.[1]
  const table: RendererTable = load === undefined ? extra : await load()
  const renderer = table[verb]
  if (renderer === undefined) return undefined
  const options = typeof renderer === "function" ? { text: renderer } : renderer
  const { text, isGood, isExact = false, isVerbatim = () => isExact } = options
  return {
    text: (output, screen) => {
      const drawn = text(output, screen)
      return isVerbatim(output) ? drawn : fitText(drawn, screen)
    },
    isExact,
    exitCode: (output) => (isGood === undefined || isGood(output) ? 0 : 1),
  }
}
