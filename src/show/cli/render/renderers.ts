import type { OPERATIONS, Operation, OperationGroup, OperationName } from "#ground/contract"
import type { Screen } from "../screen.ts"
import type { Renderers } from "./renderer.ts"

type AnyDraw = { draw(output: unknown, screen: Screen): string }["draw"]
type AnyRenderer =
  | AnyDraw
  | {
      readonly text: AnyDraw
      isGood?(output: unknown): boolean
      readonly isExact?: boolean
    }
type RendererTable = Readonly<Record<string, AnyRenderer>>

type LoaderOf<Group extends OperationGroup> = () => Promise<
  Renderers<Pick<typeof OPERATIONS, Extract<OperationName, `${Group}.${string}`>>>
>

/** The renderers of each group of operations; a command loads those of its own group. */
const LOADERS = {
  agent: async () => (await import("./pipelines.ts")).agentRenderers,
  agents: async () => (await import("./agents.ts")).agentsRenderers,
  bench: async () => (await import("./bench.ts")).benchRenderers,
  capture: async () => (await import("./capture.ts")).captureRenderers,
  claim: async () => (await import("./ledger.ts")).claimRenderers,
  config: async () => (await import("./config.ts")).configRenderers,
  credential: async () => (await import("./sources.ts")).credentialRenderers,
  decision: async () => (await import("./memory.ts")).decisionRenderers,
  demo: async () => (await import("./config.ts")).demoRenderers,
  doctor: async () => (await import("./config.ts")).doctorRenderers,
  events: async () => (await import("./store.ts")).eventsRenderers,
  fold: async () => (await import("./fold.ts")).foldRenderers,
  gateway: async () => (await import("./gateway-request.ts")).gatewayRenderers,
  guard: async () => (await import("./guard.ts")).guardRenderers,
  guidelines: async () => (await import("./pack.ts")).guidelinesRenderers,
  kb: async () => (await import("./knowledge.ts")).kbRenderers,
  kit: async () => (await import("./kit.ts")).kitRenderers,
  map: async () => (await import("./map.ts")).mapRenderers,
  memory: async () => (await import("./memory.ts")).memoryRenderers,
  now: async () => (await import("./config.ts")).nowRenderers,
  pack: async () => (await import("./pack.ts")).packRenderers,
  permissions: async () => (await import("./agents.ts")).permissionsRenderers,
  pipeline: async () => (await import("./pipelines.ts")).pipelineRenderers,
  search: async () => (await import("./map.ts")).searchRenderers,
  session: async () => (await import("./ledger.ts")).sessionRenderers,
  source: async () => (await import("./sources.ts")).sourceRenderers,
  store: async () => (await import("./store.ts")).storeRenderers,
  tokens: async () => (await import("./store.ts")).tokensRenderers,
} as const satisfies { readonly [Group in OperationGroup]: LoaderOf<Group> }

/** How one operation's result is printed. */
export type ResultPrinter = {
  text(output: unknown, screen: Screen): string
  readonly isExact: boolean
  exitCode(output: unknown): number
}

/** Undefined for a result that is printed as JSON. */
export async function findPrinter(
  { name, output: schema }: Operation,
  extra: RendererTable = {},
): Promise<ResultPrinter | undefined> {
  const [group = "", verb = ""] = name.split(".")
  const load = Object.entries(LOADERS).find(([it]) => it === group)?.[1]
  const table: RendererTable = load === undefined ? extra : await load()
  const found = table[verb]
  if (found === undefined) return undefined
  const { text, isGood, isExact = false } = typeof found === "function" ? { text: found } : found
  return {
    text: (output, screen) => text(schema.parse(output), screen),
    isExact,
    exitCode: (output) => (isGood === undefined || isGood(schema.parse(output)) ? 0 : 1),
  }
}
