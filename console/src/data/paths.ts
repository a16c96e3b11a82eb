import type { ContextKind, HostName } from "../contract.ts"
import { KINDS } from "../ui/budget-bar/layout.ts"
import { type AgentsAddress, formatAgents } from "./agents-search.ts"
import { type DecisionsAddress, formatDecisions } from "./decisions-search.ts"
import { type FoldAddress, formatFold } from "./fold-search.ts"
import { formatGateway, type GatewayAddress } from "./gateway-search.ts"
import { formatGuard, type GuardAddress } from "./guard-search.ts"
import { formatKnowledge, type KnowledgeAddress } from "./knowledge-search.ts"
import { formatMap, type MapSearch } from "./map-search.ts"
import { formatMemory, type MemoryAddress } from "./memory-search.ts"
import { formatPack, type PackSearch } from "./pack-search.ts"
import { formatPipeline, type PipelineAddress } from "./pipeline-search.ts"
import { formatPipelines, type PipelinesAddress } from "./pipelines-search.ts"
import { formatSearch, oneOf, wholeOrNull } from "./search.ts"
import { formatSessions, type SessionsAddress } from "./sessions-search.ts"

/**
 * Every address of the console and what its search says: selection, filters, layer. A value that
 * means nothing here is read as its default, and defaults are not written, so that an address is as
 * short as what it says.
 */

export type EventsSearch = {
  /** Only names that begin so. */
  readonly name: string
  readonly text: string
  /** Sequence number of the selected event. */
  readonly at: number | null
  /** Paused: nothing behind this sequence number is shown. */
  readonly until: number | null
  readonly view: "fields" | "raw"
}

export type SettingsSearch = {
  readonly text: string
  readonly layer: "user" | "project"
  /** Key of the selected setting. */
  readonly at: string
}

/** The hosts of the contract, in its order; a test holds the two together. */
export const HOSTS = [
  "claude-code",
  "codex",
  "copilot",
  "gemini",
  "antigravity",
] as const satisfies readonly HostName[]

const CAPTURE_TABS = ["loads", "found", "settings", "biggest", "diff"] as const
export type CaptureTab = (typeof CAPTURE_TABS)[number]
const CAPTURE_VIEWS = ["text", "diff", "raw"] as const
export type CaptureView = (typeof CAPTURE_VIEWS)[number]

export type CaptureSearch = {
  readonly host: HostName
  /** The directory in which the agent would start; empty for the repository. */
  readonly dir: string
  /** The capture that is shown; empty for the newest. */
  readonly id: string
  readonly tab: CaptureTab
  /** Key of the selected line. */
  readonly at: string
  /** What the pane beside the list shows of it. */
  readonly view: CaptureView
  /** Whether its text is open; it stays so while one moves on. */
  readonly open: boolean
  /** Only loads of this kind. */
  readonly kind: ContextKind | null
  /** Groups and folders that are not as they are by default. */
  readonly turned: readonly string[]
  /** The two captures that are compared; empty for the one before, and the one shown. */
  readonly from: string
  readonly to: string
}

const RUNS_VIEWS = ["list", "approvals", "permissions"] as const
export type RunsView = (typeof RUNS_VIEWS)[number]
/** Statuses of runs as people ask for them: `live` is everything that has not ended. */
const RUNS_FACETS = ["all", "waiting", "live", "completed", "failed", "stopped"] as const
export type RunsFacet = (typeof RUNS_FACETS)[number]

const BESIDE = ["peek", "new"] as const

export type RunsSearch = {
  readonly view: RunsView
  readonly text: string
  readonly status: RunsFacet
  readonly label: string
  readonly workflow: string
  /** Those put away, instead of the others. */
  readonly archived: boolean
  /** Id of the selected run or approval. */
  readonly at: string
  /** What stands beside the list: a look at the selected one, or the form that starts a run. */
  readonly beside: (typeof BESIDE)[number] | null
  /** What the form begins with: words, and the kept package that goes with them. */
  readonly prompt: string
  readonly pack: string
}

export type RunSearch = {
  /** Sequence number of the selected message. */
  readonly at: number | null
  /** Its JSON instead of what it says. */
  readonly raw: boolean
  /** What is looked for in the transcript. */
  readonly find: string
}

export const paths = {
  now: () => "/",
  runs: (search: Partial<RunsSearch> = {}) => `/runs${formatRuns(search)}`,
  run: (id: string, search: Partial<RunSearch> = {}) =>
    `/runs/${encodeURIComponent(id)}${formatRun(search)}`,
  gateway: (id: string, search: Partial<GatewayAddress> = {}) =>
    `/runs/${encodeURIComponent(id)}/gateway${formatGateway(search)}`,
  capture: (search: Partial<CaptureSearch> = {}) => `/capture${formatCapture(search)}`,
  map: (search: Partial<MapSearch> = {}) => `/map${formatMap(search)}`,
  memory: (search: Partial<MemoryAddress> = {}) => `/memory${formatMemory(search)}`,
  decisions: (search: Partial<DecisionsAddress> = {}) => `/decisions${formatDecisions(search)}`,
  sessions: (search: Partial<SessionsAddress> = {}) => `/sessions${formatSessions(search)}`,
  guard: (search: Partial<GuardAddress> = {}) => `/guard${formatGuard(search)}`,
  pack: (search: Partial<PackSearch> = {}) => `/pack${formatPack(search)}`,
  folds: (search: Partial<FoldAddress> = {}) => `/folds${formatFold(search)}`,
  pipelines: (search: Partial<PipelinesAddress> = {}) => `/pipelines${formatPipelines(search)}`,
  pipeline: (id: string, search: Partial<PipelineAddress> = {}) =>
    `/pipelines/${encodeURIComponent(id)}${formatPipeline(search)}`,
  agents: (search: Partial<AgentsAddress> = {}) => `/agents${formatAgents(search)}`,
  knowledge: (search: Partial<KnowledgeAddress> = {}) => `/knowledge${formatKnowledge(search)}`,
  events: (search: Partial<EventsSearch> = {}) => `/events${formatEvents(search)}`,
  settings: (search: Partial<SettingsSearch> = {}) => `/settings${formatSettings(search)}`,
}

export function parseCapture(search: string): CaptureSearch {
  const query = new URLSearchParams(search)
  return {
    host: oneOf(HOSTS, query.get("host")) ?? HOSTS[0],
    dir: query.get("dir") ?? "",
    id: query.get("id") ?? "",
    tab: oneOf(CAPTURE_TABS, query.get("tab")) ?? "loads",
    at: query.get("at") ?? "",
    view: oneOf(CAPTURE_VIEWS, query.get("view")) ?? "text",
    open: query.get("open") === "yes",
    kind: oneOf(KINDS, query.get("kind")) ?? null,
    turned: query.getAll("turned").filter((it) => it !== ""),
    from: query.get("from") ?? "",
    to: query.get("to") ?? "",
  }
}

function formatCapture({ host, tab, view, open, ...rest }: Partial<CaptureSearch>): string {
  const { dir, id, at, kind, turned, from, to } = rest
  return formatSearch({
    host: host === HOSTS[0] ? "" : host,
    dir,
    id,
    tab: tab === "loads" ? "" : tab,
    at,
    view: view === "text" ? "" : view,
    open: open === true ? "yes" : "",
    kind,
    turned,
    from,
    to,
  })
}

export function parseRuns(search: string): RunsSearch {
  const query = new URLSearchParams(search)
  return {
    view: oneOf(RUNS_VIEWS, query.get("view")) ?? "list",
    text: query.get("text") ?? "",
    status: oneOf(RUNS_FACETS, query.get("status")) ?? "all",
    label: query.get("label") ?? "",
    workflow: query.get("workflow") ?? "",
    archived: query.get("archived") === "yes",
    at: query.get("at") ?? "",
    beside: oneOf(BESIDE, query.get("beside")) ?? null,
    prompt: query.get("prompt") ?? "",
    pack: query.get("pack") ?? "",
  }
}

function formatRuns({ view, status, archived, ...rest }: Partial<RunsSearch>): string {
  const { text, label, workflow, at, beside, prompt, pack } = rest
  return formatSearch({
    view: view === "list" ? "" : view,
    text,
    status: status === "all" ? "" : status,
    label,
    workflow,
    archived: archived === true ? "yes" : "",
    at,
    beside,
    prompt,
    pack,
  })
}

/** The run of an address like /runs/rn_1; undefined for every other one. */
export function runIdAt(path: string): string | undefined {
  const id = /^\/runs\/([^/]+)$/.exec(path)?.[1]
  if (id === undefined) return undefined
  try {
    return decodeURIComponent(id)
  } catch {
    // A stray % is no code for a character: then the id is what stands there.
    return id
  }
}

export function parseRun(search: string): RunSearch {
  const query = new URLSearchParams(search)
  return {
    at: wholeOrNull(query.get("at")),
    raw: query.get("raw") === "yes",
    find: query.get("find") ?? "",
  }
}

function formatRun({ at, raw, find }: Partial<RunSearch>): string {
  return formatSearch({ at, raw: raw === true ? "yes" : "", find })
}

export function parseEvents(search: string): EventsSearch {
  const query = new URLSearchParams(search)
  return {
    name: query.get("name") ?? "",
    text: query.get("text") ?? "",
    at: wholeOrNull(query.get("at")),
    until: wholeOrNull(query.get("until")),
    view: query.get("view") === "raw" ? "raw" : "fields",
  }
}

function formatEvents({ name, text, at, until, view }: Partial<EventsSearch>): string {
  return formatSearch({ name, text, at, until, view: view === "raw" ? view : "" })
}

export function parseSettings(search: string): SettingsSearch {
  const query = new URLSearchParams(search)
  return {
    text: query.get("text") ?? "",
    layer: query.get("layer") === "project" ? "project" : "user",
    at: query.get("at") ?? "",
  }
}

function formatSettings({ text, layer, at }: Partial<SettingsSearch>): string {
  return formatSearch({ text, layer: layer === "project" ? layer : "", at })
}
