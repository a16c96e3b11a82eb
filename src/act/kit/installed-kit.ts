import { isDeepStrictEqual } from "node:util"
import { readBounded, readTextBounded, statFile } from "#ground/base"
import { HOOK_NAMES, type HookName, type HookState, type KitHost } from "#ground/contract"
import { bundleFile, type HostLevel, hookFileOf, wiringOf } from "./desired-files.ts"
import { markAt } from "./enrolment.ts"
import { digest } from "./files/inspect.ts"
import { HOST_FORMS } from "./hosts/hosts.ts"
import { HOOK_LEVELS } from "./levels.ts"
import { LARGEST_BUNDLE_BYTES, LARGEST_SETTINGS_BYTES } from "./limits.ts"
import { type Manifest, readManifest } from "./manifest.ts"
import type { KitDeps } from "./plan.ts"
import { findActivePlugins } from "./plugin/active-plugin.ts"
import { type HookEntry, ownEntries } from "./texts/hook-entries.ts"

export type InstalledKit = {
  readonly level: number | null
  readonly hosts: readonly KitHost[]
  /** `fired` comes from the verdict log, not from here. */
  readonly hooks: readonly HookState[]
  readonly tampered: readonly string[]
  readonly sources: readonly HookSource[]
}

/** The origin of a host's hooks. With both, those of `qm init` run and the plugin's are silent. */
export type HookSource = {
  readonly host: KitHost
  readonly title: string
  readonly from: "init" | "plugin" | "both" | "none"
}

export async function lookAtInstalled(deps: KitDeps): Promise<InstalledKit> {
  const manifest = await readManifest(deps.home)
  const { stateDirectory } = deps.repository
  const mark = await statFile(markAt(stateDirectory))
  const isMarked = mark.kind === "found" && mark.what === "regular file"
  const own = manifest.repositories.find((it) => it.stateDirectory === stateDirectory)
  const plugins = await findActivePlugins(deps)
  if (own === undefined || !isMarked) {
    const sources = [...plugins].map((host) => sourceOf(host, { hasEntries: false, plugins }))
    return { level: null, hosts: [], hooks: [], tampered: [], sources }
  }

  const hooks: HookState[] = []
  const sources: HookSource[] = []
  const tampered = [...(await tamperedFiles(manifest, deps))]
  const wired = wiringOf(manifest.repositories).filter((it) => own.hosts.includes(it.host))
  for (const wiring of wired) {
    const ownEntries = await entriesOf(wiring, manifest, deps)
    if (ownEntries.isTampered)
      tampered.push(`${ownEntries.path} has qm hooks that qm did not write`)
    const hasEntries = ownEntries.present.length > 0 || ownEntries.hasPlugin === true
    const source = sourceOf(wiring.host, { hasEntries, plugins })
    // The plugin's hooks are those of the highest level, and run the same bundle.
    const present = source.from === "plugin" ? ownEntries.expected : ownEntries.present
    sources.push(source)
    hooks.push(
      ...HOOK_NAMES.map((hook) => stateOf(wiring.host, hook, { ...ownEntries, present, own })),
    )
  }
  return { level: own.level, hosts: own.hosts, hooks, tampered, sources }
}

function sourceOf(
  host: KitHost,
  it: { readonly hasEntries: boolean; readonly plugins: ReadonlySet<KitHost> },
): HookSource {
  const isPlugin = it.plugins.has(host)
  const { title } = HOST_FORMS[host]
  if (it.hasEntries) return { host, title, from: isPlugin ? "both" : "init" }
  return { host, title, from: isPlugin ? "plugin" : "none" }
}

type FoundEntries = {
  readonly path: string
  readonly expected: readonly HookEntry[]
  readonly present: readonly HookEntry[]
  readonly isTampered: boolean
  /** Undefined for a host whose hooks are entries of its settings. */
  readonly hasPlugin: boolean | undefined
}

async function entriesOf(
  { host, level }: HostLevel,
  manifest: Manifest,
  deps: KitDeps,
): Promise<FoundEntries> {
  const form = HOST_FORMS[host]
  const file = hookFileOf(form, level, {
    home: deps.home,
    machine: deps,
    node: manifest.node,
  })
  if (form.plugin !== undefined) {
    const plugin = await readBounded(file.path, { maxBytes: LARGEST_BUNDLE_BYTES })
    const isSame =
      plugin.kind === "read" && digest(plugin.bytes) === manifest.files[file.path]?.after
    const isTampered = plugin.kind === "read" && !isSame
    return { path: file.path, expected: [], present: [], isTampered, hasPlugin: isSame }
  }
  const read = await readTextBounded(file.path, { maxBytes: LARGEST_SETTINGS_BYTES })
  const present = read.kind === "read" ? readEntries(file, read.text) : []
  const isTampered = present.some((it) => !isAmong(it, file.entries))
  return { path: file.path, expected: file.entries, present, isTampered, hasPlugin: undefined }
}

function readEntries(file: Parameters<typeof ownEntries>[0], text: string): readonly HookEntry[] {
  try {
    return ownEntries(file, text)
  } catch {
    return []
  }
}

function isAmong(entry: HookEntry, entries: readonly HookEntry[]): boolean {
  return entries.some((it) => isDeepStrictEqual(it, entry))
}

type OwnEntries = FoundEntries & { readonly own: { readonly level: number } }

function stateOf(host: KitHost, hook: HookName, entries: OwnEntries): HookState {
  const form = HOST_FORMS[host]
  const event = form.events[hook]
  const base = { host, hook, event, at: null }
  if (event === null) return { ...base, state: "not offered", why: form.without[hook] ?? null }
  if (entries.own.level < HOOK_LEVELS[hook])
    return { ...base, state: "not installed", why: `needs level ${HOOK_LEVELS[hook]}` }
  const expected = entries.expected.filter((it) => it.event === event)
  const hasEntries = expected.length > 0 && expected.every((it) => isAmong(it, entries.present))
  const isThere = entries.hasPlugin ?? hasEntries
  if (isThere) return { ...base, state: "installed", why: null }
  return {
    ...base,
    state: "not installed",
    why: `${entries.path} does not contain the hook as qm wrote it`,
  }
}

/**
 * The bundle runs at every tool call, so another file in its place would be
 * a foreign program.
 */
async function tamperedFiles(manifest: Manifest, deps: KitDeps): Promise<readonly string[]> {
  if (manifest.bundle === "") return []
  const file = bundleFile(deps.home)
  const read = await readBounded(file, { maxBytes: LARGEST_BUNDLE_BYTES })
  if (read.kind !== "read") return [`${file}, the hook bundle, is ${read.kind}`]
  return digest(read.bytes) === manifest.bundle
    ? []
    : [`${file} is not the hook bundle that qm wrote`]
}
