import { KINDS } from "../base/kinds.ts"
import type {
  Depth,
  HookName,
  HostName,
  KbTier,
  MemoryKind,
  MemoryState,
  TranscriptHost,
  VerdictKind,
} from "../contract.ts"
import { BASE_PATH, withoutBase } from "./base-path.ts"
import {
  choice,
  defineParams,
  flag,
  list,
  optional,
  type ParamsCodec,
  type ParamsOf,
  set,
  text,
  whole,
} from "./params.ts"

/**
 * Every URL of the console: the parameters of each page, and its path. On most pages `text` is the
 * filter, `at` the selected row and `show` the row whose detail is open.
 */

// The contract's own lists would bring zod along; a test compares these with them.
export const HOSTS = [
  "claude-code",
  "codex",
  "copilot",
  "gemini",
  "opencode",
  "antigravity",
] as const satisfies readonly HostName[]
export const MEMORY_KINDS = [
  "strategy",
  "pitfall",
  "decision",
  "rule",
  "term",
  "fix",
] as const satisfies readonly MemoryKind[]
export const MEMORY_STATES = [
  "proposed",
  "confirmed",
  "superseded",
  "stale",
] as const satisfies readonly MemoryState[]
export const GUARD_RULES = [
  "boot",
  "track",
  "drift",
  "concurrency",
  "guideline",
  "risk",
  "pitfall",
  "package",
  "prompt",
  "loaded",
  "window",
  "budget",
  "secrets",
  "results",
  "compaction",
] as const satisfies readonly HookName[]
export const GUARD_VERDICTS = [
  "silent",
  "context",
  "warn",
  "ask",
  "deny",
  "block",
  "override",
] as const satisfies readonly VerdictKind[]
export const KNOWLEDGE_TIERS = ["primary", "guide", "web"] as const satisfies readonly KbTier[]
export const PIPELINE_DEPTHS = ["quick", "standard", "deep"] as const satisfies readonly Depth[]

export const captureParams = defineParams({
  host: choice(HOSTS, "claude-code"),
  /** The directory in which the agent would start; empty for the repository. */
  dir: text,
  /** The capture that is shown; empty for the newest. */
  id: text,
  tab: choice(["loads", "cuts", "found", "settings", "biggest", "diff"], "loads"),
  at: text,
  view: choice(["text", "diff", "raw"], "text"),
  open: flag(),
  kind: optional(KINDS),
  /** Whose total the page shows, where the host or the gateway reported one. */
  figure: choice(["reported", "estimate"], "reported"),
  /** Groups and folders that are not in their default state. */
  turned: list,
  /** The two captures to compare; empty for the previous one and the shown one. */
  from: text,
  to: text,
})
export type CaptureParams = ParamsOf<typeof captureParams>
export type CaptureTab = CaptureParams["tab"]
export type CaptureView = CaptureParams["view"]

/** In the order of the keys 1 to 5. */
export const MAP_COLORS = ["size", "changes", "rank", "reads", "age"] as const
export const mapParams = defineParams({
  text,
  by: choice(["words", "path"], "words"),
  /** Null for the treemap, or the list where the page is narrow. */
  view: optional(["treemap", "list"]),
  color: choice(MAP_COLORS, "changes"),
  folder: text,
  open: list,
  /** A path; in the treemap a folder ends with a slash. */
  at: text,
  /** A file, path#symbol, or a folder with a slash at its end. */
  show: text,
  tab: choice(["symbols", "imports", "importers", "users", "changed"], "symbols"),
  hops: choice([1, 2], 1),
})
export type MapColor = (typeof MAP_COLORS)[number]
export type MapParams = ParamsOf<typeof mapParams>
export type MapTab = MapParams["tab"]

export const knowledgeParams = defineParams({
  text,
  tier: optional(KNOWLEDGE_TIERS),
  /** Whether cross-references are followed from each hit. */
  hops: flag(),
  at: text,
  show: text,
  /** Id of a document, shown while no paragraph is. */
  document: text,
  add: flag(),
})
export type KnowledgeParams = ParamsOf<typeof knowledgeParams>

export const memoryParams = defineParams({
  text,
  kind: optional(MEMORY_KINDS),
  state: optional(MEMORY_STATES),
  at: text,
  show: text,
  add: flag(),
})
export type MemoryParams = ParamsOf<typeof memoryParams>

export const boardParams = defineParams({
  text,
  at: text,
  show: text,
  add: flag(),
  log: flag(),
})
export type BoardParams = ParamsOf<typeof boardParams>

export const swarmParams = defineParams({
  /** Name of the selected workstream. */
  at: text,
  show: optional(["plan", "diff"]),
})
export type SwarmParams = ParamsOf<typeof swarmParams>

export const ticketParams = defineParams({})
export type TicketParams = ParamsOf<typeof ticketParams>

export const TRANSCRIPT_HOSTS = [
  "claude-code",
  "codex",
  "copilot",
  "gemini",
  "opencode",
] as const satisfies readonly TranscriptHost[]

export const SESSIONS_TABS = ["all", "logged", "claims"] as const
export const sessionsParams = defineParams({
  tab: choice(SESSIONS_TABS, "all"),
  /** Searches the text of all sessions; on the other tabs a filter. */
  text,
  host: optional(TRANSCRIPT_HOSTS),
  /** Only sessions of this repository. */
  here: flag(),
  /** A session's id, the file of a written log, or a claimed path. */
  at: text,
  show: text,
})
export type SessionsParams = ParamsOf<typeof sessionsParams>

export const SESSION_TABS = ["context", "transcript", "files", "ledger"] as const
export const sessionParams = defineParams({
  tab: choice(SESSION_TABS, "context"),
  /** `main` or a sub-agent. */
  agent: text,
  /** Number of the selected model call, from 1. */
  call: whole,
  /** Id of the line whose text is shown. */
  line: whole,
  /** Words that a shown line contains. */
  find: text,
})
export type SessionParams = ParamsOf<typeof sessionParams>

export const COST_PERIODS = ["7d", "30d", "90d"] as const
export const COST_TABS = ["model", "repository", "agent", "session", "tool"] as const
export const costParams = defineParams({
  since: choice(COST_PERIODS, "30d"),
  /** Only this repository. */
  here: flag(),
  by: choice(COST_TABS, "model"),
  /** The selected day, such as 2026-11-12; empty for the newest. */
  day: text,
  at: text,
})
export type CostParams = ParamsOf<typeof costParams>

export const packParams = defineParams({
  task: text,
  /** Tokens; null for the configured budget. */
  budget: whole,
  role: text,
  pins: set("pin"),
  drops: set("drop"),
  full: set(),
  symbols: set(),
  signatures: set(),
  mention: set(),
  /** Paths in the order that the user chose; the others follow. */
  order: set(),
  at: text,
  /** The column in which keys move; on a narrow page the only one shown. */
  pane: choice(["candidates", "chosen", "preview"], "candidates"),
  tab: choice(["summary", "markdown", "xml", "json"], "summary"),
  kind: optional(["files", "symbols", "memory", "knowledge"]),
  /** Groups of candidates that are not in their default state. */
  turned: set(),
  /** The stored package that is shown; empty for the one being built. */
  id: text,
  /** Whether two stored packages are compared, and which; empty for the newest two. */
  compare: flag(),
  from: text,
  to: text,
})
export type PackParams = ParamsOf<typeof packParams>
export type PackTab = PackParams["tab"]

export const foldParams = defineParams({
  text,
  /** Also branches that ended more than an hour ago. */
  all: flag(),
  closed: list,
  at: text,
  show: text,
  tab: choice(["result", "trail", "prompt", "restored"], "result"),
  step: whole,
})
export type FoldParams = ParamsOf<typeof foldParams>
export type FoldTab = FoldParams["tab"]

export const GUARD_HOURS = [1, 24, 168, 720] as const
export const guardParams = defineParams({
  text,
  verdict: optional(GUARD_VERDICTS),
  rule: optional(GUARD_RULES),
  /** Session id as the host names it; empty for all. */
  session: text,
  hours: choice(GUARD_HOURS, 24),
  at: text,
  show: text,
  trying: flag("try"),
  /** Patterns to try; empty for the configured ones. */
  patterns: text,
})
export type GuardParams = ParamsOf<typeof guardParams>

export const runsParams = defineParams({
  view: choice(["list", "approvals", "permissions"], "list"),
  text,
  /** `live` is every run that has not ended. */
  status: choice(["all", "waiting", "live", "completed", "failed", "stopped"], "all"),
  label: text,
  workflow: text,
  archived: flag(),
  at: text,
  /** Content of the detail pane: the selected run, or the launch form. */
  beside: optional(["peek", "new"]),
  /** Values of the launch form. */
  prompt: text,
  pack: text,
  agent: text,
  dir: text,
  /** The host's session that the run continues. */
  resume: text,
})
export type RunsParams = ParamsOf<typeof runsParams>
export type RunsView = RunsParams["view"]
export type RunsFacet = RunsParams["status"]

export const runParams = defineParams({
  at: whole,
  /** Shows the context over time above the transcript. */
  chart: flag(),
  raw: flag(),
  find: text,
  /** Whether the page opens with the cursor in the field for the next turn. */
  compose: flag(),
})
export type RunParams = ParamsOf<typeof runParams>

export const gatewayParams = defineParams({
  who: choice(["all", "main", "agents"], "all"),
  /** Also requests before the newest few hundred. */
  all: flag(),
  /** Key of the selected request: the id of its proxied session, a dot, its number. */
  at: text,
  tab: choice(["held", "exact", "headers"], "held"),
  find: text,
  /** Position of the first item of the page that is shown. */
  from: whole,
  piece: whole,
})
export type GatewayParams = ParamsOf<typeof gatewayParams>
export type GatewayWho = GatewayParams["who"]
export type GatewayTab = GatewayParams["tab"]

/** `live` is active, `paused` waits for the user, `ended` is over but not completed. */
export const PIPELINES_FACETS = ["all", "paused", "live", "completed", "ended"] as const
export const pipelinesParams = defineParams({
  text,
  agent: text,
  status: choice(PIPELINES_FACETS, "all"),
  at: text,
  add: flag(),
  start: text,
})
export type PipelinesParams = ParamsOf<typeof pipelinesParams>
export type PipelinesFacet = PipelinesParams["status"]

export const pipelineParams = defineParams({
  at: text,
  /** Sections that are not in their default state. */
  turned: list,
  /** Id of the run to compare with; empty while nothing is compared. */
  other: text,
  compare: flag(),
  /** Stages of the comparison that are not in their default state. */
  open: list,
})
export type PipelineParams = ParamsOf<typeof pipelineParams>

export const RECIPES_TABS = ["stages", "prompts", "runs"] as const
export const recipesParams = defineParams({
  text,
  at: text,
  show: text,
  tab: choice(RECIPES_TABS, "stages"),
})
export type RecipesParams = ParamsOf<typeof recipesParams>
export type RecipesTab = RecipesParams["tab"]

export const skillsParams = defineParams({ text, at: text, show: text })
export type SkillsParams = ParamsOf<typeof skillsParams>
export const sourcesParams = defineParams({ text, at: text, show: text })
export type SourcesParams = ParamsOf<typeof sourcesParams>

export const eventsParams = defineParams({
  /** Prefix of event names. */
  name: text,
  text,
  at: whole,
  /** Paused at this sequence number; later events are not shown. */
  until: whole,
  view: choice(["fields", "raw"], "fields"),
})
export type EventsParams = ParamsOf<typeof eventsParams>

export const settingsParams = defineParams({
  text,
  layer: choice(["user", "project"], "user"),
  /** The only group that is shown; empty for all. */
  group: text,
  at: text,
})
export type SettingsParams = ParamsOf<typeof settingsParams>

const pageAt =
  <Params>(path: string, codec: ParamsCodec<Params>) =>
  (params: Partial<Params> = {}): string =>
    `${BASE_PATH}${path}${codec.format(params)}`

export const paths = {
  now: () => `${BASE_PATH}/`,
  /** The first page of another repository; "" is the server's own one. */
  repository: (id: string) => (id === "" ? "/" : `/r/${encodeURIComponent(id)}/`),
  capture: pageAt("/capture", captureParams),
  map: pageAt("/map", mapParams),
  knowledge: pageAt("/knowledge", knowledgeParams),
  /** The file of a document, which the browser opens at the page. */
  original: (document: string, page: number | null) =>
    `${BASE_PATH}/api/kb/original/${encodeURIComponent(document)}${page === null ? "" : `#page=${page}`}`,
  memory: pageAt("/memory", memoryParams),
  sessions: pageAt("/sessions", sessionsParams),
  session: (id: string, params: Partial<SessionParams> = {}) =>
    `${BASE_PATH}/sessions/${encodeURIComponent(id)}${sessionParams.format(params)}`,
  cost: pageAt("/cost", costParams),
  pack: pageAt("/pack", packParams),
  folds: pageAt("/folds", foldParams),
  guard: pageAt("/guard", guardParams),
  runs: pageAt("/runs", runsParams),
  run: (id: string, params: Partial<RunParams> = {}) =>
    `${BASE_PATH}/runs/${encodeURIComponent(id)}${runParams.format(params)}`,
  gateway: (id: string, params: Partial<GatewayParams> = {}) =>
    `${BASE_PATH}/runs/${encodeURIComponent(id)}/gateway${gatewayParams.format(params)}`,
  board: pageAt("/board", boardParams),
  swarm: pageAt("/swarm", swarmParams),
  ticket: (id: string) => `${BASE_PATH}/board/${encodeURIComponent(id)}`,
  pipelines: pageAt("/pipelines", pipelinesParams),
  pipeline: (id: string, params: Partial<PipelineParams> = {}) =>
    `${BASE_PATH}/pipelines/${encodeURIComponent(id)}${pipelineParams.format(params)}`,
  recipes: pageAt("/recipes", recipesParams),
  skills: pageAt("/skills", skillsParams),
  sources: pageAt("/sources", sourcesParams),
  events: pageAt("/events", eventsParams),
  settings: pageAt("/settings", settingsParams),
}

/** The id in a path such as /runs/rn_1; undefined for other pages. */
const idIn =
  (pattern: RegExp) =>
  (path: string): string | undefined => {
    const id = pattern.exec(withoutBase(path))?.[1]
    if (id === undefined) return undefined
    try {
      return decodeURIComponent(id)
    } catch {
      // A stray % is no escape sequence; use the id literally.
      return id
    }
  }

export const sessionIdAt = idIn(/^\/sessions\/([^/]+)$/)
export const runIdAt = idIn(/^\/runs\/([^/]+)$/)
export const ticketIdAt = idIn(/^\/board\/([^/]+)$/)
export const gatewayIdAt = idIn(/^\/runs\/([^/]+)\/gateway$/)
export const pipelineIdAt = idIn(/^\/pipelines\/([^/]+)$/)
