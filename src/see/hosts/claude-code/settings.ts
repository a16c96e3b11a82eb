import path from "node:path"
import { isInside, isRecord, type JsonRecord, parseJson } from "#ground/base"
import { belongsIfThere } from "../files/file-trust.ts"
import { globMatcher } from "../files/glob.ts"
import type { HostItem, HostPlace, Scope, SettingsLayer } from "../host.ts"
import { SETTINGS_LIMIT_BYTES } from "../limits.ts"
import { configItem, type Source } from "../source.ts"
import type { ReadFile, SurveyReader } from "../survey-reader.ts"
import type { Folders } from "./folders.ts"
import { SOURCES } from "./sources.ts"

export type Settings = {
  readonly layers: readonly SettingsLayer[]
  readonly items: readonly HostItem[]
  value(key: string): unknown
  texts(key: string): readonly string[]
  managed(key: string): unknown
}

export async function readSettings(folders: Folders, reader: SurveyReader): Promise<Settings> {
  const drafts = [
    ...(await managedFiles(folders, reader)),
    project("local", path.join(folders.cwd, ".claude", "settings.local.json")),
    project("project", path.join(folders.cwd, ".claude", "settings.json")),
    user(path.join(folders.config, "settings.json")),
  ]
  const read: { readonly layer: SettingsLayer; readonly item?: HostItem }[] = []
  const seenPaths = new Set<string>()
  for (const draft of drafts) {
    const file = await reader.read(draft.path, {
      source: draft.row.source,
      maxBytes: SETTINGS_LIMIT_BYTES,
    })
    const isNew = file !== undefined && !seenPaths.has(file.realPath)
    if (file !== undefined) seenPaths.add(file.realPath)
    const { path: at, layer: scope, row } = draft
    const trust = belongsIfThere(file, { path: at, scope }, folders.grounds)
    const layer = await layerOf({ ...draft, trust }, file, reader)
    const item = isNew ? { item: configItem({ path: at, file, trust }, row, scope) } : {}
    read.push({ layer, ...item })
  }
  const fromFiles = read.map((it) => it.layer)
  const isManaged = (it: SettingsLayer) => it.layer === "managed"
  const layers = [
    ...fromFiles.filter(isManaged),
    await commandLineLayer(folders, reader),
    ...fromFiles.filter((it) => !isManaged(it)),
  ]
  return {
    layers,
    items: read.flatMap((it) => it.item ?? []).toSorted((a, b) => a.priority - b.priority),
    ...views(layers),
  }
}

/** `--settings`: below managed settings, above all files of the user and the project. */
async function commandLineLayer(folders: Folders, reader: SurveyReader): Promise<SettingsLayer> {
  const settingsText = folders.commandLineSettings?.trim() ?? ""
  const base = { layer: "command line", path: "--settings", trust: "own" } as const
  if (settingsText === "") return { ...base, outcome: { kind: "missing" } }
  const isInline = settingsText.startsWith("{")
  const at = isInline ? base.path : path.resolve(folders.cwd, settingsText)
  const file = isInline ? undefined : await reader.peek(at, SETTINGS_LIMIT_BYTES)
  if (file !== undefined && file.kind !== "file") {
    return { ...base, path: at, outcome: { kind: "unreadable", reason: file.kind } }
  }
  const parsed = parseSettingsJson(file === undefined ? settingsText : file.bytes.toString())
  return parsed.kind === "record"
    ? { ...base, path: at, outcome: { kind: "found", values: parsed.record } }
    : { ...base, path: at, outcome: { kind: "broken", problem: parsed.problem } }
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

type SettingsCandidate = { readonly layer: Scope; readonly path: string; readonly row: Source }

function user(file: string): SettingsCandidate {
  return { layer: "user", path: file, row: SOURCES.userSettings }
}

function project(layer: "local" | "project", file: string): SettingsCandidate {
  const row = layer === "local" ? SOURCES.projectLocal : SOURCES.projectSettings
  return { layer, path: file, row }
}

/** Files of the folder are read in name order, each overriding the previous. */
async function managedFiles(
  folders: Folders,
  reader: SurveyReader,
): Promise<readonly SettingsCandidate[]> {
  const folder = path.join(folders.managed, "managed-settings.d")
  const names = (await reader.list(folder, SOURCES.managedSettings.source))
    .map((it) => it.name)
    .filter((it) => it.endsWith(".json") && !it.startsWith("."))
    .toSorted()
  const files = [
    path.join(folders.managed, "managed-settings.json"),
    ...names.map((name) => path.join(folder, name)),
  ]
  const drafts = files.map(
    (file): SettingsCandidate => ({ layer: "managed", path: file, row: SOURCES.managedSettings }),
  )
  return drafts.toReversed()
}

async function layerOf(
  draft: SettingsCandidate & Pick<SettingsLayer, "trust">,
  file: ReadFile | undefined,
  reader: SurveyReader,
): Promise<SettingsLayer> {
  const base = { layer: draft.layer, path: draft.path, trust: draft.trust }
  if (file === undefined) {
    const file = await reader.peek(draft.path, SETTINGS_LIMIT_BYTES)
    return file.kind === "missing"
      ? { ...base, outcome: { kind: "missing" } }
      : { ...base, outcome: { kind: "unreadable", reason: file.kind } }
  }
  const parsed = parseSettingsJson(file.bytes.toString())
  if (parsed.kind === "record") {
    return { ...base, outcome: { kind: "found", values: parsed.record } }
  }
  const text = `The host ignores these settings: ${parsed.problem}.`
  reader.note({ code: "settings-broken", text, path: draft.path })
  return { ...base, outcome: { kind: "broken", problem: parsed.problem } }
}

type ParsedSettings =
  | { readonly kind: "record"; readonly record: JsonRecord }
  | { readonly kind: "broken"; readonly problem: string }

/** An empty file counts as an empty object, as in the host. */
export function parseSettingsJson(text: string): ParsedSettings {
  const plain = text.startsWith("\uFEFF") ? text.slice(1) : text
  if (plain.trim() === "") return { kind: "record", record: {} }
  const value = parseJson(plain)
  if (value === undefined) return { kind: "broken", problem: "it is not valid JSON" }
  return isRecord(value)
    ? { kind: "record", record: value }
    : { kind: "broken", problem: "it is not a JSON object" }
}

export function within(value: unknown, ...keys: readonly string[]): unknown {
  let at = value
  for (const key of keys) at = isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined
  return at
}

export function withSettingsEnv(place: HostPlace, settings: Settings): HostPlace {
  const added = settings.layers.toReversed().flatMap(({ outcome }) => {
    const env = outcome.kind === "found" ? outcome.values["env"] : undefined
    return isRecord(env) ? Object.entries(env) : []
  })
  const texts = added.flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as const] : [],
  )
  return { ...place, environment: { ...place.environment, ...Object.fromEntries(texts) } }
}

export function isOn(value: string | undefined): boolean {
  return value !== undefined && ["1", "true", "yes", "on"].includes(value.trim().toLowerCase())
}

export function isOff(value: string | undefined): boolean {
  return value !== undefined && ["0", "false", "no", "off"].includes(value.trim().toLowerCase())
}

/**
 * Read deny rules apply to a project's instruction files, not to those of the user and the
 * organization.
 */
export function readDenials(settings: Settings, folders: Folders): (file: string) => boolean {
  const rules = settings.layers.flatMap(({ layer, outcome }) => {
    if (outcome.kind !== "found") return []
    const written = textsIn(within(outcome.values, "permissions", "deny"))
    return written.flatMap((it) => ruleOf(it, layer, folders) ?? [])
  })
  return (file) => rules.some((isDenied) => isDenied(file))
}

type Rule = (file: string) => boolean

function ruleOf(written: string, layer: string, folders: Folders): Rule | undefined {
  if (written.trim() === "Read") return () => true
  const pattern = /^Read\((.+)\)$/.exec(written.trim())?.[1]
  if (pattern === undefined) return undefined
  const { base, rest } = anchor(pattern, layer, folders)
  const isAnywhere = !rest.replace(/\/$/, "").includes("/")
  const plain = isAnywhere ? `**/${rest}` : rest
  const globs = [plain, `${plain.replace(/\/$/, "")}/**`]
  const matchers = globs.map((it) => globMatcher(it, { dot: true }))
  return (file) =>
    isInside(base, file) && matchers.some((isMatch) => isMatch(path.relative(base, file)))
}

/**
 * `//` is the root of the disk, `~/` home, `/` the folder of the settings; all else is relative to
 * the working directory.
 */
function anchor(pattern: string, layer: string, folders: Folders) {
  if (pattern.startsWith("//")) return { base: "/", rest: pattern.replace(/^\/+/, "") }
  if (pattern.startsWith("~/")) return { base: folders.home, rest: pattern.slice("~/".length) }
  if (pattern.startsWith("/")) {
    const base = layer === "user" ? folders.config : folders.cwd
    return { base, rest: pattern.slice("/".length) }
  }
  return { base: folders.cwd, rest: pattern.replace(/^\.\//, "") }
}
