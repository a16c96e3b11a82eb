import { createHash } from "node:crypto"
import path from "node:path"
import { plural } from "#ground/base"
import type {
  CaptureStart,
  ContextKind,
  ManifestItem,
  StartServer,
  TokenScale,
} from "#ground/contract"
import { scaleTokens } from "#ground/tokens"
import type { Host, HostStart, MeasuredTokens, Survey } from "#see/hosts"
import { isUsed } from "./servers.ts"

/** Rough: paths in the host's own texts are a few dozen characters of thousands. */
const TOKENS_PER_PATH_CHARACTER = 0.3

/** Source of items that are not files: the host's own texts and tools. */
export const START_SOURCE = "host-start"

export type StartRequest = {
  readonly host: Host
  readonly survey: Survey
  readonly servers: readonly StartServer[]
  readonly sessions: number
  readonly encoding: string
  readonly scale: TokenScale | null
}

export type BuiltStart = { readonly items: readonly ManifestItem[]; readonly start: CaptureStart }

/** Items for the texts and tools of the host itself, and the parts of unknown size. */
export function buildStart(request: StartRequest): BuiltStart {
  const { host, survey, servers, sessions } = request
  const measured = survey.start
  const parts = measured === undefined ? [] : partsOf(request, measured)
  const serverParts = servers.flatMap((it) => (it.tokens === null ? [] : [serverPart(it)]))
  if (measured !== undefined && serverParts.length > 0)
    serverParts.push(...mcpHeading(request, measured))
  return {
    items: [...parts, ...serverParts].map((it) => itemOf(it, measured)),
    start: {
      baseline:
        measured === undefined
          ? null
          : {
              version: measured.version,
              model: measured.baseline.model,
              measuredAt: measured.measuredAt,
            },
      window: measured?.window ?? null,
      servers: [...servers],
      listing: listingOf(measured),
      sessions,
      notCounted: [
        ...unmeasured(host, measured),
        ...unknownServers(servers),
        ...linkedServers(survey),
      ],
    },
  }
}

function listingOf(measured: HostStart | undefined): CaptureStart["listing"] {
  if (measured?.listing === undefined) return null
  const { listing, skillUses } = measured
  const names = listing.shortened.map((it) => it.name)
  return {
    ...listing,
    shortened: [...listing.shortened],
    unused: skillUses.size === 0 ? [] : names.filter((it) => !skillUses.has(it)),
  }
}

type Part = {
  readonly name: string
  readonly kind: ContextKind
  readonly tokens: number
  readonly tokensOnDemand?: number
  readonly reason: string
}

function partsOf(request: StartRequest, start: HostStart): Part[] {
  const { host, survey, scale } = request
  const { baseline } = start
  const own = (it: MeasuredTokens) => measuredTokens(it, request)
  const sum = (items: readonly { readonly tokens: MeasuredTokens }[]) =>
    items.reduce((all, it) => all + own(it.tokens), 0)
  const pathTokens = (text: string, times: number) =>
    scaleTokens(Math.round(text.length * TOKENS_PER_PATH_CHARACTER), scale) * times
  const hasInstructions = survey.items.some(
    (it) => it.sent !== "" && (it.kind === "instructions" || it.kind === "memory"),
  )
  const isDeferring = start.mcpTools !== "loaded"
  const loaded = isDeferring ? baseline.tools : [...baseline.tools, ...baseline.deferredTools]
  const environment = [
    own(baseline.environment),
    pathTokens(start.paths.directory, baseline.directoryMentions),
    start.isGit ? own(baseline.git) : 0,
    hasInstructions ? own(baseline.instructionsFrame) : 0,
  ].reduce((all, it) => all + it, 0)
  const hasSystemSkills = survey.items.some((it) =>
    it.path.includes(`${path.sep}.system${path.sep}`),
  )
  const skills = hasSystemSkills ? [] : baseline.skills
  return [
    {
      name: "system prompt",
      kind: "system",
      tokens: own(baseline.system) + pathTokens(start.paths.memory, baseline.memoryPathMentions),
      reason: `Set by ${host.title} ${start.version}`,
    },
    {
      name: "environment",
      kind: "system",
      tokens: environment,
      reason: "Directory, date and reminders",
    },
    {
      name: "built-in tools",
      kind: "tools",
      tokens: sum(loaded) + (isDeferring ? own(baseline.deferredList) : 0),
      tokensOnDemand: isDeferring ? sum(baseline.deferredTools) : 0,
      reason: toolWords(loaded.length, isDeferring ? baseline.deferredTools.length : 0),
    },
    {
      name: "built-in skills",
      kind: "skills",
      tokens: own(baseline.skillsFrame) + sum(skills),
      reason: `Descriptions of ${plural(skills.length, "skill")} of the host`,
    },
    {
      name: "built-in agents",
      kind: "agents",
      tokens: own(baseline.agents),
      reason: "Names and descriptions",
    },
  ].filter((it): it is Part & typeof it => it.tokens > 0)
}

function measuredTokens(
  measured: MeasuredTokens,
  { encoding, scale }: Pick<StartRequest, "encoding" | "scale">,
): number {
  return scaleTokens(encoding === "o200k" ? measured.o200k : measured.claude, scale)
}

function toolWords(loaded: number, deferred: number): string {
  return deferred === 0 ? `${loaded} loaded` : `${loaded} loaded, ${deferred} deferred`
}

function serverPart(server: StartServer): Part {
  const loaded = server.tools.filter((it) => it.isLoaded).length
  return {
    name: `mcp ${server.name}`,
    kind: "mcp",
    tokens: server.tokens ?? 0,
    tokensOnDemand: server.tokensDeferred,
    reason: `MCP server, ${toolWords(loaded, server.tools.length - loaded)}`,
  }
}

/** The sentence above the instructions of servers, which they share. */
function mcpHeading(request: StartRequest, { baseline, mcpTools }: HostStart): Part[] {
  const tokens = measuredTokens(baseline.mcpFrame, request)
  if (tokens === 0 || mcpTools === "hidden" || mcpTools === "server-named") return []
  return [{ name: "mcp heading", kind: "mcp", tokens, reason: "Above the instructions of servers" }]
}

/** Not a file: its name is in angle brackets, and its hash changes with its size. */
function itemOf(part: Part, measured: HostStart | undefined): ManifestItem {
  const { name, kind, tokens, reason } = part
  const essence = JSON.stringify([name, tokens, measured?.version, measured?.baseline.model])
  return {
    path: `<${name}>`,
    label: name,
    source: START_SOURCE,
    priority: 0,
    order: 0,
    load: "always",
    reason,
    kind,
    tokens,
    tokensOnDemand: part.tokensOnDemand ?? 0,
    bytes: 0,
    sentBytes: 0,
    sha256: createHash("sha256").update(essence).digest("hex"),
    modifiedAt: Date.parse(measured?.measuredAt ?? "") || 0,
    scope: "host",
    trust: "own",
    redactions: 0,
  }
}

type NotCounted = CaptureStart["notCounted"][number]

function unmeasured(host: Host, measured: HostStart | undefined): NotCounted[] {
  if (measured === undefined) {
    const reason = `${host.title} was not measured`
    return [
      { name: "system prompt", kind: "system", reason },
      { name: "built-in tools", kind: "tools", reason },
    ]
  }
  return measured.isGit
    ? [
        {
          name: "git status",
          kind: "system",
          reason: "Changed files and recent commits, at most about 700 tokens",
        },
      ]
    : []
}

function linkedServers({ mcpServers }: Survey): NotCounted[] {
  const isLinked = mcpServers.some((it) => it.trust === "external" && isUsed(it))
  const reason = "Declared in a file outside the project, reached through a link"
  return isLinked ? [{ name: "MCP servers of a linked file", kind: "mcp", reason }] : []
}

function unknownServers(servers: readonly StartServer[]): NotCounted[] {
  return servers
    .filter((it) => it.tokens === null)
    .map((it) => ({
      name: it.name,
      kind: "mcp",
      reason: `MCP server, ${it.problem ?? "tools unknown"}`,
    }))
}
