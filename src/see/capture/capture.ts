import { createPause, type JsonRecord } from "#ground/base"
import {
  type Capture,
  type CaptureDiff,
  type CaptureHosts,
  type CaptureLint,
  type CaptureSettings,
  type CaptureText,
  HOST_NAMES,
  type HostName,
  type ManifestItem,
} from "#ground/contract"
import { type Host, type HostPlace, keepContextKeys, type SettingsLayer } from "#see/hosts"
import { adviseOn } from "./advice/advice.ts"
import { DirectoryUnusable, ItemUnknown } from "./errors.ts"
import { REACHED_BY_LINK } from "./manifest.ts"
import { effectiveSettings } from "./settings.ts"
import { analyseBudget, headlineOf } from "./start/budget.ts"
import { START_SOURCE } from "./start/start.ts"
import { type CaptureDeps, type TakeOptions, takeCapture } from "./take.ts"

type ListOptions = {
  readonly path?: string | undefined
  readonly host?: HostName | undefined
  readonly limit: number
}

export function createCapture(deps: CaptureDeps) {
  return {
    take: async (options: TakeOptions): Promise<Capture> => {
      const place = await usablePlace(options.path, deps)
      return takeCapture({ ...options, place, host: await deps.host(options.host) }, deps)
    },
    list: async ({ path, host, limit }: ListOptions) => {
      const workingDirectory = path === undefined ? path : deps.place(path).workingDirectory
      const history = await deps.history()
      return { captures: await history.list({ workingDirectory, host }, limit) }
    },
    show: (input: { id: string; content: boolean }) => showCapture(input, deps),
    text: (input: { id: string; path: string }) => showText(input, deps),
    diff: (input: { from: string; to: string }) => compareKept(input, deps),
    settings: (input: SettingsRequest) => showSettings(input, deps),
    hosts: (): Promise<CaptureHosts> => describeHosts(deps),
    lint: (input: LintRequest): Promise<CaptureLint> => lintPlace(input, deps),
  }
}

type LintRequest = {
  readonly path: string
  readonly host: HostName
  readonly signal: AbortSignal
}

/** A capture that is not stored; the start budget of the settings counts as a limit. */
async function lintPlace(input: LintRequest, deps: CaptureDeps): Promise<CaptureLint> {
  const place = await usablePlace(input.path, deps)
  const host = await deps.host(input.host)
  const options = { content: false, observe: false, trust: false, askServers: false, save: false }
  const capture = await takeCapture({ ...input, ...options, place, host }, deps)
  const { headline, budget, advice, manifest } = capture
  return {
    host: host.name,
    workingDirectory: manifest.workingDirectory,
    tokens: headline.tokens,
    startBudget: budget.startBudget,
    problems: advice,
  }
}

/**
 * `last` beside an id means the newest capture of the same directory and host: others are not
 * comparable.
 */
async function compareKept(
  input: { readonly from: string; readonly to: string },
  deps: CaptureDeps,
): Promise<CaptureDiff> {
  const history = await deps.history()
  const [fixed, other] = input.from === "last" ? [input.to, input.from] : [input.from, input.to]
  const first = await history.find(fixed, here(deps))
  const { workingDirectory, host } = first
  const second = await history.find(other, { workingDirectory, host })
  const [from, to] = input.from === "last" ? [second, first] : [first, second]
  return history.compare(from, to)
}

function here(deps: CaptureDeps) {
  return { workingDirectory: deps.place(".").workingDirectory }
}

async function showCapture(
  { id, content }: { readonly id: string; readonly content: boolean },
  deps: CaptureDeps,
): Promise<Capture> {
  const history = await deps.history()
  const summary = await history.find(id, here(deps))
  const manifest = await history.manifest(summary.id)
  const storedTexts = new Map((await history.texts(summary.id)).map((it) => [it.path, it]))
  const texts = manifest.items.flatMap((it) => storedTexts.get(it.path) ?? [])
  const weighed = manifest.items.map(({ path, label, tokens }) => ({
    label,
    tokens,
    text: storedTexts.get(path)?.text ?? "",
  }))
  const budget = analyseBudget(manifest, weighed, deps.sizes())
  const observation = (await history.observation(summary.id)) ?? null
  return {
    manifest,
    headline: headlineOf(manifest, budget, observation),
    advice: adviseOn({ manifest, duplicates: budget.duplicates }),
    budget,
    observation,
    observationProblem: null,
    historyProblem: null,
    isNew: false,
    previous: (await history.before(summary)) ?? null,
    texts: content ? texts : [],
    diff: null,
  }
}

/**
 * `settings` shows settings, redacted again; their text is not stored.
 */
async function showText(
  input: { readonly id: string; readonly path: string },
  deps: CaptureDeps,
): Promise<CaptureText> {
  const history = await deps.history()
  const { id } = await history.find(input.id, here(deps))
  const { items } = await history.manifest(id)
  const item = items.find((it) => it.path === input.path || it.label === input.path)
  if (item === undefined) throw ItemUnknown({ id, path: input.path })
  const storedText = await history.text(id, item.path)
  if (storedText !== undefined) return storedText
  const withheld = reasonForNoText(item)
  return { path: item.path, text: "", later: "", isCut: false, withheld }
}

function reasonForNoText({ source, load }: ManifestItem): string {
  if (source === START_SOURCE) return "This text belongs to the host; only its size was measured."
  return load === "config-only"
    ? "Settings are not stored as text. Run qm capture settings to see the effective values."
    : "This store is shared, so your personal texts are not stored."
}

type SettingsRequest = {
  readonly path: string
  readonly host: HostName
  readonly commandLine?: string | undefined
}

async function showSettings(input: SettingsRequest, deps: CaptureDeps): Promise<CaptureSettings> {
  const usable = await usablePlace(input.path, deps)
  const { commandLine } = input
  const place = commandLine === undefined ? usable : { ...usable, commandLineSettings: commandLine }
  const host = await deps.host(input.host)
  const redact = await deps.redact(place.workingDirectory)
  const { layers, mcpServers } = await host.survey(place, deps.disk)
  // A file that a link reaches outside may belong to anyone: show its name only.
  const ours = layers.filter((it) => it.trust !== "external")
  const pause = createPause()
  const shown: SettingsLayer[] = []
  for (const layer of ours) {
    const { outcome } = layer
    const values = outcome.kind === "found" && shownValues(layer, outcome.values, { host, place })
    shown.push(
      values === false
        ? layer
        : { ...layer, outcome: { kind: "found", values: redact.values(values) } },
    )
    await pause()
  }
  const servers: CaptureSettings["mcpServers"] = []
  for (const it of mcpServers) {
    if (it.trust === "external") continue
    servers.push({
      name: redact.line(it.name),
      scope: it.scope,
      path: redact.line(it.path),
      transport: redact.line(it.transport),
      target: redact.command(it.target),
      state: redact.line(it.state),
    })
    await pause()
  }
  return {
    host: host.name,
    workingDirectory: place.workingDirectory,
    layers: layers.map(({ layer, path, outcome, trust }) => ({
      layer,
      path: redact.line(path),
      outcome: outcome.kind,
      ...(trust === "external" ? { problem: REACHED_BY_LINK } : {}),
      ...(outcome.kind === "broken" ? { problem: redact.line(outcome.problem) } : {}),
      ...(outcome.kind === "unreadable" ? { problem: outcome.reason } : {}),
    })),
    settings: effectiveSettings(shown, { joinsLists: host.joinsLists === true }),
    mcpServers: servers,
  }
}

/** As in a capture: whole for the project and the command line, the context's keys otherwise. */
function shownValues(
  { layer }: SettingsLayer,
  values: JsonRecord,
  { host, place }: { readonly host: Host; readonly place: HostPlace },
): JsonRecord {
  if (["project", "local", "command line"].includes(layer)) return values
  return keepContextKeys(values, host.contextKeys, place.workingDirectory).values
}

async function describeHosts(deps: CaptureDeps): Promise<CaptureHosts> {
  const place = deps.place(".")
  const described = HOST_NAMES.map(async (name) => {
    const host = await deps.host(name)
    const installed = await host.findInstalled(place, deps.disk)
    return {
      name: host.name,
      title: host.title,
      factsVersion: host.factsVersions.at(-1) ?? "none",
      isVerified: host.isVerified,
      installed: installed?.version ?? null,
      program: installed?.program ?? null,
      canObserve: host.ask !== undefined,
    }
  })
  return { hosts: await Promise.all(described) }
}

async function usablePlace(directory: string, deps: CaptureDeps): Promise<HostPlace> {
  const place = deps.place(directory)
  const problem = await deps.directoryProblem(place.workingDirectory)
  if (problem !== undefined) throw DirectoryUnusable({ path: directory, reason: problem })
  return place
}
