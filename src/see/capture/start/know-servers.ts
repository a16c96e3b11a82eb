import { pickEnvironment } from "#ground/base"
import type { StartServer, TokenScale } from "#ground/contract"
import { scaleTokens } from "#ground/tokens"
import type { HostPlace, HostReport, McpServer, ToolCalls } from "#see/hosts"
import type { ListedServer, ServerTools } from "#see/sources"
import type { EarlierCounts } from "../count.ts"
import type { HostSurvey } from "../manifest.ts"
import type { CaptureDeps } from "../take.ts"
import {
  ASK_SERVER_TIMEOUT_MS,
  describeServer,
  digestOf,
  isUsed,
  type KnownTools,
} from "./servers.ts"

const USE_DAYS = 30
const DAY_MS = 24 * 60 * 60 * 1_000

type ServerRequest = {
  readonly askServers: boolean
  readonly trust: boolean
  readonly signal: AbortSignal
}

type Evidence = {
  readonly surveyed: HostSurvey
  readonly earlier: EarlierCounts | undefined
  readonly scale: TokenScale | null
  readonly wire:
    | { readonly at: number; readonly tools: NonNullable<HostReport["tools"]> }
    | undefined
}

type ServerDeps = Pick<CaptureDeps, "clock" | "counter" | "disk">

/**
 * The best evidence about the tools of each server: its answer now, if the user allows it; else a
 * recorded request; else its last answer, if its declaration is unchanged.
 */
export async function knowServers(
  asking: ServerRequest,
  evidence: Evidence,
  deps: ServerDeps,
): Promise<{ readonly servers: readonly StartServer[]; readonly sessions: number }> {
  const { surveyed } = evidence
  // A file that a link reaches outside may belong to anyone: its servers are neither named nor started.
  const used = surveyed.survey.mcpServers.filter((it) => isUsed(it) && it.trust !== "external")
  if (used.length === 0) return { servers: [], sessions: 0 }
  const calls = await countCalls(surveyed, deps)
  const earlierServers = new Map(evidence.earlier?.start?.servers.map((it) => [it.digest, it]))
  const evidences = await Promise.all(
    used.map((it) => knownTools(it, asking, { ...evidence, earlierServers, deps })),
  )
  const hasAnswer = evidences.some((it) => it.source === "asked" && it.answer.kind === "listed")
  const count = hasAnswer ? (await deps.counter()).count : () => 0
  const context = {
    mode: surveyed.survey.start?.mcpTools ?? "loaded",
    scale: evidence.scale,
    calls,
    count,
    off: (it: McpServer) => switchOff(it, surveyed.host.name),
  } as const
  const servers = used.map((it, index) =>
    describeServer(it, evidences[index] ?? NOT_ASKED, context),
  )
  return { servers, sessions: calls?.sessions ?? 0 }
}

async function countCalls(
  { host, place }: HostSurvey,
  { disk, clock }: ServerDeps,
): Promise<ToolCalls | undefined> {
  return await host.countToolCalls?.(place, disk, clock.now() - USE_DAYS * DAY_MS)
}

const NOT_ASKED = {
  source: "unknown",
  reason: "its tools are unknown; qm capture --ask-servers starts it and lists them",
} as const

type ToolEvidence = Evidence & {
  readonly earlierServers: ReadonlyMap<string, StartServer>
  readonly deps: ServerDeps
}

async function knownTools(
  server: McpServer,
  asking: ServerRequest,
  { earlier, earlierServers, scale, wire, surveyed, deps }: ToolEvidence,
): Promise<KnownTools> {
  if (asking.askServers) {
    // A server that a project brings runs only if the host or the user trusts it.
    if (server.state === "asks first" && !asking.trust) {
      return { source: "unknown", reason: "not approved in the host; add --trust to start it" }
    }
    const answer = await askServer(server, surveyed.place, { asking, deps })
    return { source: "asked", at: deps.clock.now(), answer }
  }
  const isOnWire = wire?.tools.some((it) => it.name.startsWith(`mcp__${server.name}__`)) === true
  if (wire !== undefined && isOnWire) return { source: "wire", ...wire }
  const digest = digestOf(server)
  const before = earlierServers.get(digest)
  if (before?.source !== "asked") return NOT_ASKED
  const factor = (scale?.factor ?? 1) / (earlier?.scale?.factor ?? 1)
  return { source: "earlier", server: rescaled(before, { factor }) }
}

/** Its tokens were counted for the model of the earlier capture. */
function rescaled(server: StartServer, scale: Pick<TokenScale, "factor">): StartServer {
  const { tokens, tokensDeferred, tools } = server
  return {
    ...server,
    tokens: tokens === null ? null : scaleTokens(tokens, scale),
    tokensDeferred: scaleTokens(tokensDeferred, scale),
    tools: tools.map((it) => ({ ...it, tokens: scaleTokens(it.tokens, scale) })),
  }
}

async function askServer(
  { launch }: McpServer,
  place: HostPlace,
  { asking, deps }: { readonly asking: ServerRequest; readonly deps: ServerDeps },
): Promise<ServerTools> {
  const { listServerTools } = await import("#see/sources")
  const fill = (text: string) => expand(text, place.environment)
  const options = { signal: asking.signal, timeoutMs: ASK_SERVER_TIMEOUT_MS, clock: deps.clock }
  if (launch.kind === "unknown") return { kind: "failed", reason: "its declaration is incomplete" }
  if (launch.kind === "http") {
    const header = Object.entries(launch.headers).find(([name]) => /^authorization$/i.test(name))
    const token = header === undefined ? undefined : /^Bearer (.+)$/i.exec(fill(header[1]))?.[1]
    return await listServerTools({ kind: "http", url: fill(launch.url), token }, options)
  }
  const server: ListedServer = {
    kind: "stdio",
    file: fill(launch.command),
    args: launch.args.map(fill),
    cwd: place.workingDirectory,
    env: {
      ...pickEnvironment(place.environment, PASSED_ON),
      HOME: place.home,
      ...Object.fromEntries(Object.entries(launch.env).map(([name, it]) => [name, fill(it)])),
    },
  }
  return await listServerTools(server, options)
}

const PASSED_ON = ["LANG", "LC_ALL", "PATH", "SystemRoot", "TEMP", "TMP", "TMPDIR", "USER"]

/** `${NAME}` and `${NAME:-default}`, as the hosts replace them. */
function expand(text: string, environment: HostPlace["environment"]): string {
  return text.replace(
    /\$\{([A-Za-z_]\w*)(?::-([^}]{0,1000}))?\}/g,
    (whole, name: string, fallback: string | undefined) => environment[name] ?? fallback ?? whole,
  )
}

function switchOff({ name, scope, path }: McpServer, host: string): string {
  if (host === "codex") return `Set enabled = false under [mcp_servers.${name}] in ${path}.`
  if (host === "claude-code" && scope === "project") {
    return `Add "${name}" to disabledMcpjsonServers in .claude/settings.local.json.`
  }
  if (host === "claude-code") return `claude mcp remove ${name} --scope ${scope}`
  return `Remove ${name} from mcpServers in ${path}.`
}
