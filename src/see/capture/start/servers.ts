import { createHash } from "node:crypto"
import type { StartServer, TokenScale } from "#ground/contract"
import { scaleTokens } from "#ground/tokens"
import type { HostReport, HostStart, McpServer, ToolCalls } from "#see/hosts"
import type { ServerTools } from "#see/sources"

/** A server that takes longer to start is named as not counted. */
export const ASK_SERVER_TIMEOUT_MS = 5_000

type Counting = { count(text: string): number }

export type ServerContext = {
  readonly mode: HostStart["mcpTools"]
  readonly calls: ToolCalls | undefined
  readonly scale: TokenScale | null
  /** Switches a server off, for the host at hand. */
  off(server: McpServer): string
}

/** Evidence about a server's tools, before it is counted. */
export type KnownTools =
  | { readonly source: "asked"; readonly at: number; readonly answer: ServerTools }
  | {
      readonly source: "wire"
      readonly at: number
      readonly tools: NonNullable<HostReport["tools"]>
    }
  | { readonly source: "earlier"; readonly server: StartServer }
  | { readonly source: "unknown"; readonly reason: string }

/** Servers that the host would connect to. */
export function isUsed({ state }: Pick<McpServer, "state">): boolean {
  return state === "connects" || state === "asks first"
}

/** Changes with the declaration, so that an answer of another program is not reused. */
export function digestOf({ name, launch }: McpServer): string {
  return createHash("sha256")
    .update(JSON.stringify([name, launch]))
    .digest("hex")
}

export function describeServer(
  server: McpServer,
  knownTools: KnownTools,
  context: ServerContext & Counting,
): StartServer {
  const base = {
    name: server.name,
    scope: server.scope,
    path: server.path,
    state: server.state,
    digest: digestOf(server),
    off: context.off(server),
  }
  const unknown = {
    ...base,
    ...NOTHING,
    source: "unknown" as const,
    at: null,
    ...noUse(context, server.name),
  }
  switch (knownTools.source) {
    case "unknown":
      return { ...unknown, problem: knownTools.reason }
    case "earlier":
      return {
        ...knownTools.server,
        ...base,
        ...useOf(knownTools.server.tools, server.name, context),
      }
    case "wire":
      return { ...base, ...fromWire(knownTools, server.name, context) }
    case "asked":
      return knownTools.answer.kind === "failed"
        ? { ...unknown, at: knownTools.at, problem: knownTools.answer.reason }
        : {
            ...base,
            ...fromAnswer(knownTools.answer, { at: knownTools.at, name: server.name }, context),
          }
    default:
      return knownTools satisfies never
  }
}

const NOTHING = { tokens: null, tokensDeferred: 0, tools: [] }

type Definition = { readonly name: string; readonly tokens: number; readonly isLoaded: boolean }

function fromAnswer(
  answer: Extract<ServerTools, { kind: "listed" }>,
  query: { readonly at: number; readonly name: string },
  context: ServerContext & Counting,
) {
  const { count, mode } = context
  const tools = answer.tools.map((tool): Definition => {
    const name = `mcp__${query.name}__${tool.name}`
    const text = JSON.stringify({
      name,
      description: tool.description,
      input_schema: tool.inputSchema,
    })
    const isLoaded = mode === "loaded" || (mode === "named" && tool.isAlwaysLoaded)
    return { name: tool.name, tokens: count(text), isLoaded }
  })
  const named =
    mode === "named"
      ? tools.filter((it) => !it.isLoaded).map((it) => `mcp__${query.name}__${it.name}`)
      : []
  const heading = mode === "server-named" ? `- ${query.name}: ` : `## ${query.name}\n`
  const instructions =
    mode === "hidden" || (answer.instructions === "" && mode !== "server-named")
      ? ""
      : `${heading}${answer.instructions}\n\n`
  const listed =
    (named.length === 0 ? 0 : count(named.join("\n"))) +
    (instructions === "" ? 0 : count(instructions))
  return {
    source: "asked" as const,
    at: query.at,
    problem: null,
    tokens: listed + sum(tools.filter((it) => it.isLoaded)),
    tokensDeferred: sum(tools.filter((it) => !it.isLoaded)),
    ...useOf(tools, query.name, context),
  }
}

function fromWire(
  knownTools: Extract<KnownTools, { source: "wire" }>,
  name: string,
  context: ServerContext,
) {
  const prefix = `mcp__${name}__`
  const own = knownTools.tools.filter((it) => it.name.startsWith(prefix))
  const tools = own.map((it) => ({
    ...it,
    name: it.name.slice(prefix.length),
    tokens: scaleTokens(it.tokens, context.scale),
  }))
  return {
    source: "wire" as const,
    at: knownTools.at,
    problem: null,
    tokens: sum(tools),
    tokensDeferred: 0,
    ...useOf(tools, name, context),
  }
}

function useOf(tools: readonly Definition[], server: string, { calls }: ServerContext) {
  const used = tools.map(({ name, tokens, isLoaded }) => ({
    name,
    tokens,
    isLoaded,
    calls: calls?.byTool.get(`mcp__${server}__${name}`)?.calls ?? 0,
  }))
  return { tools: used, ...totalUse(server, calls) }
}

function noUse({ calls }: ServerContext, server: string) {
  return totalUse(server, calls)
}

function totalUse(server: string, calls: ToolCalls | undefined) {
  const own = [...(calls?.byTool ?? [])].filter(([name]) => name.startsWith(`mcp__${server}__`))
  return {
    calls: own.reduce((all, [, it]) => all + it.calls, 0),
    usedTools: own.length,
    lastCallAt: own.length === 0 ? null : Math.max(...own.map(([, it]) => it.lastAt)),
  }
}

function sum(items: readonly { readonly tokens: number }[]): number {
  return items.reduce((total, it) => total + it.tokens, 0)
}
