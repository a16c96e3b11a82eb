import {
  type Capture,
  type CaptureDiff,
  type CaptureHosts,
  type CaptureSettings,
  type CaptureText,
  HOST_NAMES,
  type HostName,
} from "#ground/contract"
import type { Place } from "#see/hosts"
import { analyseBudget } from "./budget.ts"
import { DirectoryUnusable, ItemUnknown } from "./errors.ts"
import { effectiveSettings } from "./settings.ts"
import { type CaptureDeps, type TakeOptions, takeCapture } from "./take.ts"

type ListOptions = {
  readonly path?: string | undefined
  readonly host?: HostName | undefined
  readonly limit: number
}

/** What is in the context of a host in a directory: now, earlier, and what changed between. */
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
    diff: async (input: { from: string; to: string }): Promise<CaptureDiff> => {
      const history = await deps.history()
      const from = await history.find(input.from, here(deps))
      return history.compare(from, await history.find(input.to, here(deps)))
    },
    settings: (input: { path: string; host: HostName }) => showSettings(input, deps),
    hosts: (): Promise<CaptureHosts> => describeHosts(deps),
  }
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
  const texts = await history.texts(summary.id)
  const textByPath = new Map(texts.map((it) => [it.path, it.text]))
  const weighed = manifest.items.map(({ path, label, tokens }) => ({
    label,
    tokens,
    text: textByPath.get(path) ?? "",
  }))
  return {
    manifest,
    budget: analyseBudget(manifest, weighed, deps.sizes()),
    observation: (await history.observation(summary.id)) ?? null,
    observationProblem: null,
    historyProblem: null,
    isNew: false,
    previous: (await history.before(summary)) ?? null,
    texts: content ? texts : [],
    diff: null,
  }
}

/** Settings are shown by `settings`, redacted anew; their text is in no store. */
async function showText(
  input: { readonly id: string; readonly path: string },
  deps: CaptureDeps,
): Promise<CaptureText> {
  const history = await deps.history()
  const { id } = await history.find(input.id, here(deps))
  const kept = await history.text(id, input.path)
  if (kept !== undefined) return kept
  const { items } = await history.manifest(id)
  const item = items.find((it) => it.path === input.path)
  if (item === undefined) throw ItemUnknown({ id, path: input.path })
  const withheld =
    item.load === "config-only"
      ? "Settings are not kept as text; see what is in force under settings."
      : "This store is shared, and the text is the person's own."
  return { path: item.path, text: "", later: "", isCut: false, withheld }
}

async function showSettings(
  input: { readonly path: string; readonly host: HostName },
  deps: CaptureDeps,
): Promise<CaptureSettings> {
  const place = await usablePlace(input.path, deps)
  const host = await deps.host(input.host)
  const redact = await deps.redact()
  const { layers, mcpServers } = await host.survey(place, deps.disk)
  const shown = layers.map((it) =>
    it.outcome.kind === "found"
      ? { ...it, outcome: { ...it.outcome, values: redact.values(it.outcome.values) } }
      : it,
  )
  return {
    host: host.name,
    workingDirectory: place.workingDirectory,
    layers: layers.map(({ layer, path, outcome }) => ({
      layer,
      path,
      outcome: outcome.kind,
      ...(outcome.kind === "broken" ? { problem: redact.line(outcome.problem) } : {}),
      ...(outcome.kind === "unreadable" ? { problem: outcome.reason } : {}),
    })),
    settings: effectiveSettings(shown, { joinsLists: host.joinsLists === true }),
    mcpServers: mcpServers.map((it) => ({ ...it, target: redact.command(it.target) })),
  }
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

async function usablePlace(given: string, deps: CaptureDeps): Promise<Place> {
  const place = deps.place(given)
  const problem = await deps.directoryProblem(place.workingDirectory)
  if (problem !== undefined) throw DirectoryUnusable({ path: given, reason: problem })
  return place
}
