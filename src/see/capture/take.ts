import path from "node:path"
import { type Clock, formatExact, type Ids, isAppError, type Log } from "#ground/base"
import type {
  Capture,
  CaptureDiff,
  CaptureSummary,
  HostName,
  Manifest,
  ManifestNote,
  Observation,
  SearchedPath,
  TokenScale,
} from "#ground/contract"
import { scaleCount } from "#ground/tokens"
import {
  type Disk,
  globMatcher,
  type Host,
  type HostItem,
  type HostPlace,
  type HostReport,
} from "#see/hosts"
import { adviseOn } from "./advice/advice.ts"
import { findIdleRules } from "./advice/idle-rules.ts"
import { findNested } from "./advice/nested-files.ts"
import { diffCaptures } from "./compare/diff.ts"
import { observeHost } from "./compare/observe-host.ts"
import { type Counter, countItems, createPace, type EarlierCounts } from "./count.ts"
import { CaptureUnknown } from "./errors.ts"
import type { History } from "./history.ts"
import {
  fingerprintOf,
  type HostSurvey,
  type ShownItem,
  showItems,
  toManifest,
} from "./manifest.ts"
import type { Redact } from "./redact.ts"
import { analyseBudget, headlineOf } from "./start/budget.ts"
import { knowServers } from "./start/know-servers.ts"
import { buildStart } from "./start/start.ts"

const EXTRA_FILE_LIMIT_BYTES = 1024 * 1024

const MOST_EXTRA_FILES = 100

export type CaptureDeps = {
  /** Loaded on demand, because each host has its own parsers. */
  host(name: HostName): Promise<Host>
  readonly disk: Disk
  place(path: string): HostPlace
  projectFolders(directory: string): Promise<readonly string[]>
  directoryProblem(directory: string): Promise<string | undefined>
  encoding(): string
  counter(): Promise<Counter>
  /** From counts to tokens of a model; null if its tokens are those of the counter. */
  scale(model: string | undefined): Promise<TokenScale | null>
  /** Includes the values in `.env` files of the directory and its parents. */
  redact(directory: string): Promise<Redact>
  history(): Promise<History>
  /** Whether other users read the same store: then personal texts are not stored. */
  isShared(): boolean
  listFiles(folder: string, signal: AbortSignal): Promise<readonly string[] | undefined>
  sizes(): { readonly window: number; readonly startBudget: number; readonly extra: string }
  /**
   * The last request of the newest session of a host here, as the gateway recorded it. Undefined if no
   * session was proxied, or if the request does not separate files.
   */
  wireReport?(place: HostPlace, host: HostName): Promise<HostReport | undefined>
  readonly ids: Ids
  readonly clock: Clock
  readonly log: Log
}

export type TakeOptions = {
  readonly path: string
  readonly host: HostName
  readonly content: boolean
  readonly diff?: string | undefined
  readonly observe: boolean
  readonly trust: boolean
  /** Whether the user allows to start the configured MCP servers and list their tools. */
  readonly askServers: boolean
  readonly save: boolean
  readonly signal: AbortSignal
}

type TakeRequest = Omit<TakeOptions, "path" | "host"> & {
  readonly place: HostPlace
  readonly host: Host
}

export async function takeCapture(taking: TakeRequest, deps: CaptureDeps): Promise<Capture> {
  const surveyed = await surveyPlace(taking, deps)
  const encoding = deps.encoding()
  const scale = await deps.scale(surveyed.survey.start?.model)
  const counter = async () => {
    const own = await deps.counter()
    return scale === null ? own : { ...own, count: scaleCount(own.count, scale) }
  }
  const earlier = await earlierCounts(taking, deps)
  const pace = createPace({ signal: taking.signal, rest: () => deps.clock.sleep(0) })
  const counted = await countItems(surveyed.survey.items, earlier, {
    counter,
    encoding,
    scale,
    pace,
  })
  const redact = await deps.redact(taking.place.workingDirectory)
  const shown = await showItems(surveyed, { counted, redact, pace })
  const observed = await observeHost(taking, surveyed, { ...deps, line: redact.line })
  const { servers, sessions } = await knowServers(
    taking,
    { surveyed, earlier, scale, wire: observed.wire },
    { ...deps, counter },
  )
  const start = buildStart({ ...surveyed, servers, sessions, encoding, scale })
  const made = { id: deps.ids.next("cap"), at: deps.clock.now(), encoding, scale, redact, start }
  const manifest = toManifest(surveyed, shown, made)
  const stored = await keep({ taking, manifest, shown, observation: observed.observation }, deps)
  const budget = analyseBudget(manifest, shown.map(weighed), deps.sizes())
  return {
    manifest: { ...manifest, id: stored.id },
    headline: headlineOf(manifest, budget, observed.observation),
    advice: adviseOn({ manifest, duplicates: budget.duplicates }),
    budget,
    observation: observed.observation,
    observationProblem: observed.problem,
    historyProblem: stored.problem,
    isNew: stored.isNew,
    previous: stored.previous,
    texts: taking.content ? shown.map((it) => it.text) : [],
    diff: stored.diff,
  }
}

async function earlierCounts(
  { save, place, host }: TakeRequest,
  deps: CaptureDeps,
): Promise<EarlierCounts | undefined> {
  if (!save) return undefined
  try {
    const history = await deps.history()
    return await history.counts({ workingDirectory: place.workingDirectory, host: host.name })
  } catch (error) {
    if (!isAppError(error)) throw error
    return undefined
  }
}

function weighed({ item, text }: ShownItem) {
  return { label: item.label, tokens: item.tokens, text: text.text }
}

/** Of one capture; each takes a line and is compared with recorded requests. */
const MOST_SERVERS = 500

function tooManyServers(declared: number): readonly ManifestNote[] {
  if (declared <= MOST_SERVERS) return []
  const text = `${formatExact(declared)} MCP servers are declared; the first ${MOST_SERVERS} are listed and counted.`
  return [{ code: "too-many", text }]
}

async function surveyPlace(taking: TakeRequest, deps: CaptureDeps): Promise<HostSurvey> {
  const { host, place, signal } = taking
  const { disk } = deps
  const [survey, installed] = await Promise.all([
    host.survey(place, disk),
    host.findInstalled(place, disk),
  ])
  const { workingDirectory } = place
  const listFiles = remembered((folder) => deps.listFiles(folder, signal))
  const from = { workingDirectory, disk }
  const extra = await findExtra(deps.sizes().extra, from, listFiles)
  const nested = await findNested(host, survey, { ...from, listFiles })
  const notes = await findIdleRules(survey.items, listFiles)
  const mcpServers = survey.mcpServers.slice(0, MOST_SERVERS)
  return {
    host,
    place,
    installed,
    notes: [...notes, ...tooManyServers(survey.mcpServers.length)],
    survey: {
      ...survey,
      mcpServers,
      items: [...survey.items, ...nested, ...extra.items],
      searched: [
        ...survey.searched,
        ...nested.map(({ path: at, source }) => ({ path: at, source, outcome: "found" as const })),
        ...extra.searched,
      ],
    },
  }
}

function remembered<Value>(ask: (folder: string) => Promise<Value>) {
  const cache = new Map<string, Promise<Value>>()
  return (folder: string): Promise<Value> => {
    const pending = cache.get(folder) ?? ask(folder)
    cache.set(folder, pending)
    return pending
  }
}

type KeepOutcome = {
  readonly id: string
  readonly isNew: boolean
  readonly problem: string | null
  readonly previous: CaptureSummary | null
  readonly diff: CaptureDiff | null
}

type TakeResult = {
  readonly taking: TakeRequest
  readonly manifest: Manifest
  readonly shown: readonly ShownItem[]
  readonly observation: Observation | null
}

/** If the history cannot be written, the capture is still returned. */
async function keep(result: TakeResult, deps: CaptureDeps): Promise<KeepOutcome> {
  const { taking, manifest } = result
  const notKept = { id: manifest.id, isNew: true, problem: null, previous: null, diff: null }
  if (!taking.save && taking.diff === undefined) return notKept
  try {
    return await keepOrFail(result, await deps.history(), deps)
  } catch (error) {
    const isAnswer = CaptureUnknown.is(error) || !isAppError(error)
    if (isAnswer) throw error
    deps.log.warn("capture not stored", { code: error.code })
    return { ...notKept, problem: `${error.message} ${error.hint} [${error.code}]` }
  }
}

async function keepOrFail(
  result: TakeResult,
  history: History,
  deps: CaptureDeps,
): Promise<KeepOutcome> {
  const { taking, manifest, shown, observation } = result
  const here = { workingDirectory: manifest.workingDirectory, host: taking.host.name }
  const earlier = taking.diff === undefined ? undefined : await history.find(taking.diff, here)
  const texts = shown.filter((it) => isStored(it, deps)).map((it) => it.text)
  const entry = { manifest, fingerprint: fingerprintOf(manifest), texts, observation }
  const stored = taking.save ? await history.keep(entry) : { id: manifest.id, isNew: true }
  const now = { ...result, manifest: { ...manifest, id: stored.id } }
  const diff = earlier === undefined ? null : await compareNow(earlier, now, history)
  const previous = taking.save
    ? await history.before(await history.find(stored.id, here))
    : (await history.list(here, 1))[0]
  return { ...stored, problem: null, previous: previous ?? null, diff }
}

/** Settings texts are never stored; personal texts are not stored where others read them. */
function isStored({ item }: ShownItem, deps: CaptureDeps): boolean {
  const isPrivate = deps.isShared() && item.trust === "own"
  return item.load !== "config-only" && !isPrivate
}

async function compareNow(
  earlier: CaptureSummary,
  { taking, manifest, shown }: TakeResult,
  history: History,
): Promise<CaptureDiff> {
  const texts = new Map(shown.map((it) => [it.item.path, it.text]))
  const now = { items: manifest.items, textOf: (path: string) => texts.get(path) }
  const to = {
    id: manifest.id,
    host: taking.host.name,
    ...(manifest.hostVersion === undefined ? {} : { hostVersion: manifest.hostVersion }),
    workingDirectory: manifest.workingDirectory,
    capturedAt: manifest.capturedAt,
    lastSeenAt: manifest.capturedAt,
    times: 1,
    files: manifest.totals.files,
    tokensInWindow: manifest.totals.tokensInWindow,
    tokensOnDemand: manifest.totals.tokensOnDemand,
  }
  return {
    from: earlier,
    to,
    changes: diffCaptures(await history.side(earlier.id), now),
    tokensBefore: earlier.tokensInWindow,
    tokensAfter: to.tokensInWindow,
  }
}

type ExtraItems = {
  readonly items: readonly HostItem[]
  readonly searched: readonly SearchedPath[]
}

async function findExtra(
  patterns: string,
  from: { readonly workingDirectory: string; readonly disk: Disk },
  listFiles: (folder: string) => Promise<readonly string[] | undefined>,
): Promise<ExtraItems> {
  const globs = patterns.split(",").flatMap((it) => (it.trim() === "" ? [] : [it.trim()]))
  if (globs.length === 0) return { items: [], searched: [] }
  const matchers = globs.map((it) => globMatcher(it))
  const files = (await listFiles(from.workingDirectory)) ?? []
  const isWanted = (file: string) => matchers.some((isMatch) => isMatch(file))
  const items: HostItem[] = []
  for (const file of files.filter(isWanted).slice(0, MOST_EXTRA_FILES)) {
    const extra = await readExtra(path.join(from.workingDirectory, file), from.disk)
    if (extra !== undefined) items.push(extra)
  }
  const missing = globs.filter((_, index) => !files.some((it) => matchers[index]?.(it)))
  return {
    items,
    searched: [
      ...items.map((it) => ({ path: it.path, source: SOURCE, outcome: "found" as const })),
      ...missing.map((it) => ({
        path: path.join(from.workingDirectory, it),
        source: SOURCE,
        outcome: "missing" as const,
      })),
    ],
  }
}

const SOURCE = "extra"

async function readExtra(file: string, disk: Disk): Promise<HostItem | undefined> {
  const read = await disk.read(file, { maxBytes: EXTRA_FILE_LIMIT_BYTES })
  if (read.kind !== "file") return undefined
  return {
    path: file,
    source: SOURCE,
    priority: 200,
    scope: "project",
    load: "on-demand",
    reason: "Listed in capture.extra, not loaded by the host",
    kind: "files",
    trust: read.realPath === file ? "project" : "external",
    file: read,
    sent: "",
    frame: "",
    later: read.bytes.toString("utf8"),
  }
}
