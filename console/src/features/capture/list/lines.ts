import { KINDS } from "../../../base/kinds.ts"
import {
  type Agreement,
  type Capture,
  type CaptureDiff,
  type ContextKind,
  formatExact,
  type Manifest,
  type ManifestItem,
  plural,
  type SearchedPath,
} from "../../../contract.ts"

export type ObservationMatch = "both" | "text-differs" | "estimated-only" | null
export type Delta = { readonly description: string; readonly tone?: "ok" }

export type LoadLine = {
  readonly kind: "load"
  readonly key: string
  readonly item: ManifestItem
  readonly label: string
  /** Position among the loads, from 1; null for others. */
  readonly number: number | null
  /** Start of its bar in tokens; null if it is not in the window. */
  readonly start: number | null
  readonly tokens: number
  readonly observed: ObservationMatch
  readonly delta: Delta | null
}
export type FolderLine = {
  readonly kind: "folder"
  readonly key: string
  readonly folder: Folder
  readonly items: readonly ManifestItem[]
  readonly number: number
  readonly start: number
  readonly tokens: number
  readonly observed: ObservationMatch
  readonly delta: Delta | null
  readonly isOpen: boolean
}
export type GroupLine = {
  readonly kind: "group"
  readonly key: string
  readonly name: string
  readonly count: number
  readonly sum: string
  readonly isOpen: boolean
  readonly description: string
}
export type SearchedLine = {
  readonly kind: "searched"
  readonly key: string
  readonly searched: SearchedPath
  readonly label: string
}
export type ObservedLine = {
  readonly kind: "observed"
  readonly key: string
  readonly agreement: Agreement
}
/** A part of the window whose size is unknown. */
export type UnknownLine = {
  readonly kind: "unknown"
  readonly key: string
  readonly name: string
  readonly reason: string
}
export type Line = LoadLine | FolderLine | GroupLine | SearchedLine | ObservedLine | UnknownLine

export type LoadsView = {
  readonly diff: CaptureDiff | undefined
  /**
   * Groups and folders that are not in their default state: groups open, folders and missing paths
   * closed.
   */
  readonly turned: readonly string[]
  readonly kind: ContextKind | null
}

export function loadLines(capture: Capture, view: LoadsView): readonly Line[] {
  const { items, searched } = capture.manifest
  const isShown = (it: ManifestItem) => view.kind === null || it.kind === view.kind
  const window = windowLines(capture, view).filter((it) =>
    it.kind === "folder" ? it.items.some(isShown) : isShown(it.item),
  )
  const unknown = (capture.manifest.start?.notCounted ?? []).filter(
    (it) => view.kind === null || it.kind === view.kind,
  )
  const demand = items.filter((it) => it.tokensOnDemand > 0 && isShown(it))
  const config = items.filter((it) => it.load === "config-only" && isShown(it))
  const absent = view.kind === null ? searched.filter((it) => it.outcome !== "found") : []
  const only = view.kind === null ? observedOnly(capture) : []
  return [
    ...(capture.manifest.start === undefined ? window : byKind(window, capture, view)),
    ...group(
      { ...UNKNOWN, count: unknown.length, sum: "size unknown, not in the total" },
      view,
      () =>
        unknown.map(({ name, reason }) => ({
          kind: "unknown",
          key: `unknown:${name}`,
          name,
          reason,
        })),
    ),
    ...group({ ...OBSERVED, count: only.length, sum: "not in the estimate" }, view, () =>
      only.map((agreement) => ({
        kind: "observed",
        key: `observed:${agreement.path}`,
        agreement,
      })),
    ),
    ...group({ ...DEMAND, count: demand.length, sum: describeOnDemand(demand) }, view, () =>
      demand.map((item) => aside("demand", item, item.tokensOnDemand)),
    ),
    ...group({ ...CONFIG, count: config.length, sum: "0 tokens" }, view, () =>
      config.map((item) => aside("config", item, 0)),
    ),
    ...group({ ...ABSENT, count: absent.length, sum: describeOutcomes(absent) }, view, () => {
      const shorten = shortener(capture.manifest)
      return absent.map((it) => searchedLine(it, shorten))
    }),
  ]
}

export function countLoads(capture: Capture): number {
  return windowLines(capture, { diff: undefined, turned: [] }).length
}

/** A heading for each kind in the window, with its sum and its most important finding. */
function byKind(
  lines: readonly (LoadLine | FolderLine)[],
  capture: Capture,
  { turned }: Pick<LoadsView, "turned">,
): readonly Line[] {
  const kindOf = (it: LoadLine | FolderLine) =>
    it.kind === "folder" ? it.items[0]?.kind : it.item.kind
  return KINDS.flatMap((kind): readonly Line[] => {
    const own = lines.filter((it) => kindOf(it) === kind)
    if (own.length === 0) return []
    const steps = own.filter((it) => it.number !== null)
    const tokens = steps.reduce((sum, it) => sum + it.tokens, 0)
    const key = `group:kind:${kind}`
    const isOpen = !turned.includes(key)
    const count = steps.reduce((sum, it) => sum + (it.kind === "folder" ? it.items.length : 1), 0)
    const finding = findingOf(kind, capture)
    const sum = `${plural(tokens, "token")}${finding === "" ? "" : `, ${finding}`}`
    const { name, description } = KIND_GROUPS[kind]
    const head = { kind: "group", key, name, count, sum, isOpen, description } as const
    return [head, ...(isOpen ? own : [])]
  })
}

function findingOf(kind: ContextKind, { manifest, advice }: Capture): string {
  const lost = manifest.start?.listing?.shortened.length ?? 0
  if (kind === "skills" && lost > 0) return `${formatExact(lost)} shortened`
  const paths = new Set(manifest.items.filter((it) => it.kind === kind).map((it) => it.path))
  const cuts = advice.filter((it) => it.path !== undefined && paths.has(it.path)).length
  return cuts === 0 ? "" : plural(cuts, "suggested cut")
}

const KIND_GROUPS: Readonly<Record<ContextKind, { name: string; description: string }>> = {
  system: {
    name: "System prompt",
    description: "The host's own texts. Their size was measured in recorded requests.",
  },
  tools: { name: "Built-in tools", description: "Definitions of the host's own tools." },
  mcp: {
    name: "MCP servers",
    description: "Tools and instructions of MCP servers: definitions, or only names if deferred.",
  },
  instructions: { name: "Instructions", description: "Instruction files, rules and imports." },
  skills: {
    name: "Skills",
    description: "Names of skills and commands, and descriptions within the host's budget.",
  },
  agents: { name: "Agents", description: "Names and descriptions of agents." },
  memory: { name: "Memory", description: "Memory that the host writes itself." },
  files: { name: "Files", description: "Files in the window." },
  symbols: { name: "Symbols", description: "Symbols in the window." },
  knowledge: { name: "Knowledge", description: "Paragraphs of documents in the window." },
  history: { name: "History", description: "Earlier turns in the window." },
}

const UNKNOWN = {
  key: "group:unknown",
  name: "Not counted",
  description: "These parts are in the window too, but their size is unknown.",
} as const
const OBSERVED = {
  key: "group:observed",
  name: "Observed only",
  description: "The host reported these, the estimate did not. They are not part of the total.",
} as const
const DEMAND = {
  key: "group:demand",
  name: "Reachable on demand",
  description:
    "A later turn may load these: bodies of skills, agents and commands, and rules for specific paths.",
} as const
const CONFIG = {
  key: "group:config",
  name: "Read for settings, never sent",
  description:
    "The host reads these files for its settings. They are never sent to the model and cost no tokens.",
} as const
const ABSENT = {
  key: "group:searched",
  name: "Searched, not found",
  description: "The host also searches these paths. A file there is read at the next start.",
} as const

type GroupHead = Pick<GroupLine, "key" | "name" | "description" | "count" | "sum">

function group(
  head: GroupHead,
  { turned }: Pick<LoadsView, "turned">,
  linesOf: () => readonly Line[],
): readonly Line[] {
  if (head.count === 0) return []
  // Dozens of missing paths are normal, so this group is closed until the reader opens it.
  const isOpen = turned.includes(head.key) === (head.key === ABSENT.key)
  return [{ kind: "group", ...head, isOpen }, ...(isOpen ? linesOf() : [])]
}

/** Loads before the first prompt, in load order; files of one folder are one row. */
function windowLines(
  capture: Capture,
  { diff, turned }: Pick<LoadsView, "diff" | "turned">,
): readonly (LoadLine | FolderLine)[] {
  const observationOf = seenBy(capture)
  const deltaOf = deltasBy(diff)
  const lines: (LoadLine | FolderLine)[] = []
  let start = 0
  let number = 0
  for (const step of stepsOf(inKindOrder(capture.manifest))) {
    number++
    const [first] = step.items
    if (step.folder === null && first !== undefined) {
      const delta = deltaOf([first])
      const { tokens, path, label } = first
      const observation = observationOf(first)
      const line = { kind: "load", key: path, item: first, label, number, start } as const
      lines.push({ ...line, tokens, observed: observation, delta })
    }
    if (step.folder !== null) {
      const key = `folder:${step.folder.path}`
      const isOpen = turned.includes(key)
      const delta = deltaOf(step.items)
      const observation = combinedObservation(step.items.map(observationOf))
      const { folder, items, tokens } = step
      lines.push({
        kind: "folder",
        key,
        folder,
        items,
        number,
        start,
        tokens,
        observed: observation,
        delta,
        isOpen,
      })
      if (isOpen) lines.push(...childrenOf({ folder, items }, start, { deltaOf, observationOf }))
    }
    start += step.tokens
  }
  return lines
}

/** A capture with the whole start is grouped by kind, so that its staircase is too. */
function inKindOrder({ items, start }: Manifest): readonly ManifestItem[] {
  const loaded = items.filter(isLoaded)
  if (start === undefined) return loaded
  return loaded.toSorted((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind))
}

type Step = {
  readonly folder: Folder | null
  readonly items: readonly ManifestItem[]
  readonly tokens: number
}

function stepsOf(items: readonly ManifestItem[]): readonly Step[] {
  const named = items.filter((it) => it.load === "name-only")
  const folders = Map.groupBy(named, (it) => folderOf(it).path)
  const done = new Set<string>()
  return items.flatMap((item): readonly Step[] => {
    const folder = folderOf(item)
    const all = item.load === "name-only" ? (folders.get(folder.path) ?? []) : []
    if (all.length < 2) return [{ folder: null, items: [item], tokens: item.tokens }]
    if (done.has(folder.path)) return []
    done.add(folder.path)
    return [{ folder, items: all, tokens: all.reduce((sum, it) => sum + it.tokens, 0) }]
  })
}

function childrenOf(
  { folder, items }: { readonly folder: Folder; readonly items: readonly ManifestItem[] },
  from: number,
  {
    deltaOf,
    observationOf,
  }: { deltaOf: DeltaOf; observationOf(item: ManifestItem): ObservationMatch },
): readonly LoadLine[] {
  let start = from
  return items.map((item): LoadLine => {
    const isBelow = item.label.startsWith(folder.label)
    const label = isBelow ? item.label.slice(folder.label.length) : item.label
    const line = { kind: "load", key: item.path, item, label, number: null, start } as const
    start += item.tokens
    return { ...line, tokens: item.tokens, observed: observationOf(item), delta: deltaOf([item]) }
  })
}

function isLoaded(item: ManifestItem): boolean {
  const waits = item.load === "conditional" || item.load === "on-demand"
  return item.load !== "config-only" && (item.tokens > 0 || !waits)
}

function aside(part: "demand" | "config", item: ManifestItem, tokens: number): LoadLine {
  const line = { kind: "load", key: `${part}:${item.path}`, item, label: item.label } as const
  return { ...line, number: null, start: null, tokens, observed: null, delta: null }
}

function seenBy({ observation }: Capture): (item: ManifestItem) => ObservationMatch {
  const byPath = new Map(observation?.files.map((it) => [it.path, it]))
  return ({ path }) => {
    const agreement = byPath.get(path)
    if (agreement === undefined || agreement.state === "observed-only") return null
    if (agreement.state === "estimated-only") return "estimated-only"
    return agreement.sameText === false ? "text-differs" : "both"
  }
}

function combinedObservation(all: readonly ObservationMatch[]): ObservationMatch {
  const worst = ["estimated-only", "text-differs", "both"] as const
  return worst.find((it) => all.includes(it)) ?? null
}

function observedOnly({ observation }: Capture): readonly Agreement[] {
  return observation?.files.filter((it) => it.state === "observed-only") ?? []
}

type DeltaOf = (items: readonly ManifestItem[]) => Delta | null

function deltasBy(diff: CaptureDiff | undefined): DeltaOf {
  const byPath = new Map(diff?.changes.map((it) => [it.path, it]))
  return (items) => {
    const changes = items.flatMap((it) => byPath.get(it.path) ?? [])
    if (changes.length === 0) return null
    const isNew = changes.length === items.length && changes.every((it) => it.change === "added")
    if (isNew) return { description: "new", tone: "ok" }
    const tokens = changes.reduce((sum, it) => sum + it.tokensAfter - it.tokensBefore, 0)
    if (tokens !== 0) return { description: signed(tokens) }
    return { description: changes.every((it) => it.change === "moved") ? "moved" : "changed" }
  }
}

export function signed(count: number): string {
  if (count === 0) return "0"
  return count < 0 ? `−${formatExact(-count)}` : `+${formatExact(count)}`
}

export function searchedLine(
  searched: SearchedPath,
  shorten: (path: string) => string,
): SearchedLine {
  const { path, source } = searched
  return { kind: "searched", key: `searched:${source} ${path}`, searched, label: shorten(path) }
}

export function shortener({ items, workingDirectory }: Manifest): (path: string) => string {
  const home = items
    .filter((it) => it.label.startsWith("~/") && it.path.endsWith(it.label.slice(1)))
    .map((it) => it.path.slice(0, it.path.length - it.label.length + 1))[0]
  return (path) => {
    if (path.startsWith(`${workingDirectory}/`)) return path.slice(workingDirectory.length + 1)
    const isAtHome = home !== undefined && home !== "" && path.startsWith(`${home}/`)
    return isAtHome ? `~${path.slice(home.length)}` : path
  }
}

function describeOutcomes(searched: readonly SearchedPath[]): string {
  const counts = Map.groupBy(searched, (it) => it.outcome)
  return [...counts].map(([outcome, all]) => `${formatExact(all.length)} ${outcome}`).join(", ")
}

function describeOnDemand(items: readonly ManifestItem[]): string {
  const tokens = items.reduce((sum, it) => sum + it.tokensOnDemand, 0)
  return `${plural(tokens, "token")}, not in the window`
}

type Folder = {
  readonly path: string
  readonly label: string
  readonly noun: string
}

const NOUNS = ["skills", "agents", "commands", "prompts", "rules", "workflows"] as const

/** A skill is a folder inside `skills`, so the nearest folder with a known noun counts. */
function folderOf(item: Pick<ManifestItem, "path" | "label">): Folder {
  const parts = item.path.split("/").slice(0, -1)
  const named = parts.findLastIndex((part) => NOUNS.some((it) => it === part))
  const depth = named < 0 ? parts.length : named + 1
  const cut = parts.length - depth
  const labelParts = item.label.split("/").slice(0, -1)
  const label = labelParts.slice(0, Math.max(0, labelParts.length - cut)).join("/")
  return {
    path: parts.slice(0, depth).join("/"),
    label: label === "" ? "" : `${label}/`,
    noun: (named < 0 ? undefined : parts[named]) ?? "files",
  }
}

export function describeFolder({ noun }: Folder, count: number): string {
  return `Descriptions of ${formatExact(count)} ${noun}`
}
