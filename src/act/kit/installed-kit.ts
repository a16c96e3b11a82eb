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
import { type HookEntry, ownEntries } from "./texts/hook-entries.ts"

export type InstalledKit = {
  readonly level: number | null
  readonly hosts: readonly KitHost[]
  /** `fired` comes from the verdict log, not from here. */
  readonly hooks: readonly HookState[]
  readonly tampered: readonly string[]
}

export async function lookAtInstalled(deps: KitDeps): Promise<InstalledKit> {
  const manifest = await readManifest(deps.home)
  const { stateDirectory } = deps.repository
  const mark = await statFile(markAt(stateDirectory))
  const isMarked = mark.kind === "found" && mark.what === "regular file"
  const own = manifest.repositories.find((it) => it.stateDirectory === stateDirectory)
  if (own === undefined || !isMarked) return { level: null, hosts: [], hooks: [], tampered: [] }

  const hooks: HookState[] = []
  const tampered = [...(await tamperedFiles(manifest, deps))]
  const wired = wiringOf(manifest.repositories).filter((it) => own.hosts.includes(it.host))
  for (const wiring of wired) {
    const ownEntries = await entriesOf(wiring, manifest, deps)
    if (ownEntries.isTampered)
      tampered.push(`${ownEntries.path} has qm hooks that qm did not write`)
    hooks.push(...HOOK_NAMES.map((hook) => stateOf(wiring.host, hook, { ...ownEntries, own })))
  }
  return { level: own.level, hosts: own.hosts, hooks, tampered }
}

type FoundEntries = {
  readonly path: string
  readonly expected: readonly HookEntry[]
  readonly present: readonly HookEntry[]
  readonly isTampered: boolean
}

async function entriesOf(
  { host, level }: HostLevel,
  manifest: Manifest,
  deps: KitDeps,
): Promise<FoundEntries> {
  const file = hookFileOf(HOST_FORMS[host], level, {
    home: deps.home,
    machine: deps,
    node: manifest.node,
  })
  const read = await readTextBounded(file.path, { maxBytes: LARGEST_SETTINGS_BYTES })
  const present = read.kind === "read" ? readEntries(file, read.text) : []
  const isTampered = present.some((it) => !isAmong(it, file.entries))
  return { path: file.path, expected: file.entries, present, isTampered }
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
  const isThere = expected.length > 0 && expected.every((it) => isAmong(it, entries.present))
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
