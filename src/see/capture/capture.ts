import {
  type Capture,
  type CaptureDiff,
  type CaptureHosts,
  type CaptureSettings,
  type CaptureText,
  HOST_NAMES,
  type HostName,
} from "#ground/contract"
import type { HostPlace } from "#see/hosts"
import { analyseBudget } from "./budget.ts"
import { DirectoryUnusable, ItemUnknown } from "./errors.ts"
import { REACHED_BY_LINK } from "./manifest.ts"
import { effectiveSettings } from "./settings.ts"
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
    settings: (input: { path: string; host: HostName }) => showSettings(input, deps),
    hosts: (): Promise<CaptureHosts> => describeHosts(deps),
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
  const withheld =
    item.load === "config-only"
      ? "Settings are not stored as text. Run qm capture settings to see the effective values."
      : "This store is shared, so your personal texts are not stored."
  return { path: item.path, text: "", later: "", isCut: false, withheld }
}

async function showSettings(
  input: { readonly path: string; readonly host: HostName },
  deps: CaptureDeps,
): Promise<CaptureSettings> {
  const place = await usablePlace(input.path, deps)
  const host = await deps.host(input.host)
  const redact = await deps.redact(place.workingDirectory)
  const { layers, mcpServers } = await host.survey(place, deps.disk)
  // A file that a link reaches outside may belong to anyone: show its name only.
  const ours = layers.filter((it) => it.trust !== "external")
  const shown = ours.map((it) =>
    it.outcome.kind === "found"
      ? { ...it, outcome: { ...it.outcome, values: redact.values(it.outcome.values) } }
      : it,
  )
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
    mcpServers: mcpServers
      .filter((it) => it.trust !== "external")
      .map((it) => ({
        name: redact.line(it.name),
        scope: it.scope,
        path: redact.line(it.path),
        transport: redact.line(it.transport),
        target: redact.command(it.target),
        state: redact.line(it.state),
      })),
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

async function usablePlace(given: string, deps: CaptureDeps): Promise<HostPlace> {
  const place = deps.place(given)
  const problem = await deps.directoryProblem(place.workingDirectory)
  if (problem !== undefined) throw DirectoryUnusable({ path: given, reason: problem })
  return place
}
