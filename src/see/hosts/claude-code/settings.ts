import path from "node:path"
import { belongsIfThere } from "../belongs.ts"
import { configItem } from "../config-item.ts"
import type { Found, Place, Scope, SettingsLayer } from "../host.ts"
import { SETTINGS_LIMIT_BYTES } from "../limits.ts"
import type { Look, ReadFile } from "../look.ts"
import type { Source } from "../source.ts"
import type { Folders } from "./folders.ts"
import { SOURCES } from "./sources.ts"

export type JsonRecord = Readonly<Record<string, unknown>>

export type Settings = {
  /** Strongest first. */
  readonly layers: readonly SettingsLayer[]
  readonly items: readonly Found[]
  /** The value that wins; undefined when no layer has one. */
  value(key: string): unknown
  /** All texts of a list that layers add to, strongest first. */
  texts(key: string): readonly string[]
  /** The value of managed files alone. */
  managed(key: string): unknown
}

/** Only the working directory has project settings; what lies above is not looked at. */
export async function readSettings(folders: Folders, look: Look): Promise<Settings> {
  const drafts = [
    ...(await managedFiles(folders, look)),
    project("local", path.join(folders.cwd, ".claude", "settings.local.json")),
    project("project", path.join(folders.cwd, ".claude", "settings.json")),
    user(path.join(folders.config, "settings.json")),
  ]
  const read: { readonly layer: SettingsLayer; readonly item?: Found }[] = []
  const seen = new Set<string>()
  for (const draft of drafts) {
    const file = await look.read(draft.path, {
      source: draft.row.source,
      maxBytes: SETTINGS_LIMIT_BYTES,
    })
    const isNew = file !== undefined && !seen.has(file.realPath)
    if (file !== undefined) seen.add(file.realPath)
    const { path: at, layer: scope, row } = draft
    const trust = belongsIfThere(file, { path: at, scope }, folders.grounds)
    const layer = await layerOf({ ...draft, trust }, file, look)
    const item = isNew ? { item: configItem({ path: at, file, trust }, row, scope) } : {}
    read.push({ layer, ...item })
  }
  const layers = read.map((it) => it.layer)
  return {
    layers,
    items: read.flatMap((it) => it.item ?? []).toSorted((a, b) => a.priority - b.priority),
    ...views(layers),
  }
}

function views(layers: readonly SettingsLayer[]) {
  const values = layers.flatMap(({ layer, outcome }) =>
    outcome.kind === "found" ? [{ layer, values: outcome.values }] : [],
  )
  const firstOf = (chosen: typeof values, key: string) =>
    chosen.map((it) => it.values[key]).find((it) => it !== undefined)
  return {
    value: (key: string) => firstOf(values, key),
    managed: (key: string) =>
      firstOf(
        values.filter((it) => it.layer === "managed"),
        key,
      ),
    texts: (key: string) => values.flatMap((it) => textsIn(it.values[key])),
  }
}

export function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((it) => typeof it === "string") : []
}

/** Each layer is named for its scope. */
type Draft = { readonly layer: Scope; readonly path: string; readonly row: Source }

function user(file: string): Draft {
  return { layer: "user", path: file, row: SOURCES.userSettings }
}

function project(layer: "local" | "project", file: string): Draft {
  const row = layer === "local" ? SOURCES.projectLocal : SOURCES.projectSettings
  return { layer, path: file, row }
}

/** Files of the folder come in order of their names and each beats the one before. */
async function managedFiles(folders: Folders, look: Look): Promise<readonly Draft[]> {
  const folder = path.join(folders.managed, "managed-settings.d")
  const names = (await look.list(folder, SOURCES.managedSettings.source))
    .map((it) => it.name)
    .filter((it) => it.endsWith(".json") && !it.startsWith("."))
    .toSorted()
  const files = [
    path.join(folders.managed, "managed-settings.json"),
    ...names.map((name) => path.join(folder, name)),
  ]
  const drafts = files.map(
    (file): Draft => ({ layer: "managed", path: file, row: SOURCES.managedSettings }),
  )
  return drafts.toReversed()
}

async function layerOf(
  draft: Draft & Pick<SettingsLayer, "trust">,
  file: ReadFile | undefined,
  look: Look,
): Promise<SettingsLayer> {
  const base = { layer: draft.layer, path: draft.path, trust: draft.trust }
  if (file === undefined) {
    const found = await look.peek(draft.path, SETTINGS_LIMIT_BYTES)
    return found.kind === "missing"
      ? { ...base, outcome: { kind: "missing" } }
      : { ...base, outcome: { kind: "unreadable", reason: found.kind } }
  }
  const parsed = parseJson(file.bytes.toString())
  if (parsed.kind === "record") {
    return { ...base, outcome: { kind: "found", values: parsed.record } }
  }
  const text = `These settings are not read by the host: ${parsed.problem}.`
  look.note({ code: "settings-broken", text, path: draft.path })
  return { ...base, outcome: { kind: "broken", problem: parsed.problem } }
}

type Parsed =
  | { readonly kind: "record"; readonly record: JsonRecord }
  | { readonly kind: "broken"; readonly problem: string }

/** An empty file counts as an empty object, as it does for the host. */
export function parseJson(text: string): Parsed {
  const plain = text.startsWith("\uFEFF") ? text.slice(1) : text
  if (plain.trim() === "") return { kind: "record", record: {} }
  try {
    const value: unknown = JSON.parse(plain)
    return isRecord(value)
      ? { kind: "record", record: value }
      : { kind: "broken", problem: "it is no JSON object" }
  } catch {
    return { kind: "broken", problem: "it is no valid JSON" }
  }
}

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** A value deeper down: `within(state, "projects", cwd)`. */
export function within(value: unknown, ...keys: readonly string[]): unknown {
  let at = value
  for (const key of keys) at = isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined
  return at
}

/** The environment with what the settings add to it, the strongest last. */
export function withSettingsEnv(place: Place, settings: Settings): Place {
  const added = settings.layers.toReversed().flatMap(({ outcome }) => {
    const env = outcome.kind === "found" ? outcome.values["env"] : undefined
    return isRecord(env) ? Object.entries(env) : []
  })
  const texts = added.flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as const] : [],
  )
  return { ...place, environment: { ...place.environment, ...Object.fromEntries(texts) } }
}

/** How the host reads a switch in the environment. */
export function isOn(value: string | undefined): boolean {
  return value !== undefined && ["1", "true", "yes", "on"].includes(value.trim().toLowerCase())
}

export function isOff(value: string | undefined): boolean {
  return value !== undefined && ["0", "false", "no", "off"].includes(value.trim().toLowerCase())
}
