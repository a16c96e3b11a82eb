import path from "node:path"
import { isInside, type JsonRecord } from "#ground/base"
import {
  belongsIfThere,
  type TrustFolders,
  withRealFolders,
  withRealPlaces,
} from "../files/file-trust.ts"
import { findUp } from "../files/folder-walk.ts"
import {
  fieldsOf,
  type JsonFile,
  jsonMcpServers,
  readJsonFile,
  textsOf,
} from "../files/json-settings.ts"
import type { HostItem, HostPlace, McpServer, Scope, SettingsLayer } from "../host.ts"
import { configItem, type Source } from "../source.ts"
import type { SurveyReader } from "../survey-reader.ts"
import { checkForMarker } from "./imports.ts"

type Layer = JsonFile & {
  readonly layer: "system" | "project" | "user" | "defaults"
  readonly source: Source
}

type OwnedLayer = Layer & { readonly trust: HostItem["trust"] }

export type GeminiSettings = {
  readonly cwd: string
  readonly home: string
  readonly isTrusted: boolean
  readonly layers: readonly OwnedLayer[]
  readonly all: readonly OwnedLayer[]
  readonly grounds: TrustFolders
}

export async function readSettings(
  place: HostPlace,
  reader: SurveyReader,
): Promise<GeminiSettings> {
  const startDirectory = path.resolve(place.workingDirectory)
  const cwd = (await reader.realPath(startDirectory)) ?? startDirectory
  const home = filled(place.environment["GEMINI_CLI_HOME"]) ?? place.home
  const at = async (file: string, layer: Layer["layer"], source: Source): Promise<Layer> => ({
    ...(await readJsonFile(reader, file, source.source)),
    layer,
    source,
  })
  const machine = systemSettings(place)
  const defaults =
    filled(place.environment["GEMINI_CLI_SYSTEM_DEFAULTS_PATH"]) ??
    path.join(path.dirname(machine), "system-defaults.json")
  const system = await at(machine, "system", SOURCES.systemSettings)
  const user = await at(path.join(home, ".gemini", "settings.json"), "user", SOURCES.userSettings)
  const base = await at(defaults, "defaults", SOURCES.systemSettings)
  const isTrusted = await isFolderTrusted({
    reader,
    place,
    cwd,
    home,
    layers: [system, user, base],
  })
  const isHome = (await reader.realPath(home)) === cwd
  const inProject = path.join(cwd, ".gemini", "settings.json")
  const project = isHome ? [] : [await at(inProject, "project", SOURCES.projectSettings)]
  if (!isTrusted) noteNotTrusted(reader, cwd)
  const own = {
    folders: [path.join(home, ".gemini"), path.join(home, ".agents")],
    files: [machine, defaults],
  }
  const markers = textsOf(firstOf([system, user, base], ...MARKERS)) ?? [".git"]
  const grounds = await groundsOf(reader, { own, cwd, markers })
  const all = [system, user, base, ...project].map((it) => ({
    ...it,
    trust: belongsIfThere(it.file, { path: it.path, scope: scopeOf(it) }, grounds),
  }))
  const strength = ["system", ...(isTrusted ? ["project"] : []), "user", "defaults"]
  const layers = strength.flatMap((name) => all.filter((it) => it.layer === name))
  return { cwd, home, isTrusted, layers, all, grounds }
}

export const MARKERS = ["context", "memoryBoundaryMarkers"] as const

/** Not the project's own markers, which would let it choose its extent. */
async function groundsOf(
  reader: SurveyReader,
  it: {
    readonly own: { readonly folders: readonly string[]; readonly files: readonly string[] }
    readonly cwd: string
    readonly markers: readonly string[]
  },
): Promise<TrustFolders> {
  const root = await findUp(it.cwd, (folder) => checkForMarker(reader, folder, it.markers))
  const folders = await withRealFolders(reader, it.own.folders)
  const files = await withRealPlaces(reader, it.own.files)
  return { own: [...folders, ...files], project: [root ?? it.cwd] }
}

function scopeOf({ layer }: Layer): Scope {
  return layer === "project" || layer === "user" ? layer : "managed"
}

export function settingOf(settings: GeminiSettings, group: string, name: string): unknown {
  return firstOf(settings.layers, group, name)
}

export function settingsItems({ all }: GeminiSettings): readonly HostItem[] {
  return all.flatMap((layer) => {
    const { path: at, file, source, trust } = layer
    return file === undefined ? [] : [configItem({ path: at, file, trust }, source, scopeOf(layer))]
  })
}

export function layersOf({ layers }: GeminiSettings): readonly SettingsLayer[] {
  return layers.map(({ layer, path: at, outcome, trust }) => ({ layer, path: at, outcome, trust }))
}

export function mcpServers(settings: GeminiSettings): readonly McpServer[] {
  const excluded = textsOf(settingOf(settings, "mcp", "excluded")) ?? []
  const allowed = textsOf(settingOf(settings, "mcp", "allowed"))
  const stateOf = (layer: OwnedLayer) => (name: string) => {
    if (!settings.layers.includes(layer)) return "waits for trust"
    const isOff = excluded.includes(name) || (allowed !== undefined && !allowed.includes(name))
    return isOff ? "excluded in settings" : "connects"
  }
  return settings.all.flatMap((layer) => jsonMcpServers(layer, layer.layer, stateOf(layer)))
}

function systemSettings({ environment, platform }: HostPlace): string {
  const settingsPath = filled(environment["GEMINI_CLI_SYSTEM_SETTINGS_PATH"])
  if (settingsPath !== undefined) return settingsPath
  if (platform === "darwin") return "/Library/Application Support/GeminiCli/settings.json"
  if (platform === "win32") return "C:\\ProgramData\\gemini-cli\\settings.json"
  return "/etc/gemini-cli/settings.json"
}

type TrustQuestion = {
  readonly reader: SurveyReader
  readonly place: HostPlace
  readonly cwd: string
  readonly home: string
  readonly layers: readonly Layer[]
}

async function isFolderTrusted(question: TrustQuestion): Promise<boolean> {
  const { environment } = question.place
  const trustVariable = environment["GEMINI_CLI_TRUST_WORKSPACE"]
  if (environment["GEMINI_RESTRICTED_MODE"] === "true" || trustVariable === "false") return false
  if (trustVariable === "true") return true
  const folderTrust = fieldsOf(firstOf(question.layers, "security", "folderTrust"))
  if (folderTrust["enabled"] === false) return true
  const file =
    filled(environment["GEMINI_CLI_TRUSTED_FOLDERS_PATH"]) ??
    path.join(question.home, ".gemini", "trustedFolders.json")
  const { values } = await readJsonFile(question.reader, file, SOURCES.userSettings.source)
  return (await longestRule(question, values)) ?? false
}

async function longestRule(
  question: TrustQuestion,
  rules: JsonRecord,
): Promise<boolean | undefined> {
  let best: { readonly length: number; readonly level: unknown } | undefined
  for (const [rule, level] of Object.entries(rules)) {
    const folder = level === "TRUST_PARENT" ? path.dirname(rule) : rule
    const real = (await question.reader.realPath(folder)) ?? folder
    const isNearer = best === undefined || rule.length > best.length
    if (isNearer && isInside(real, question.cwd)) best = { length: rule.length, level }
  }
  if (best?.level === "DO_NOT_TRUST") return false
  return best?.level === "TRUST_FOLDER" || best?.level === "TRUST_PARENT" ? true : undefined
}

function noteNotTrusted(reader: SurveyReader, cwd: string): void {
  const text = "Gemini CLI loads nothing of this project because the folder is not trusted."
  reader.note({ code: "switched-off", text, path: cwd })
}

function firstOf(layers: readonly Layer[], group: string, name: string): unknown {
  const groups = layers.map((it) => fieldsOf(it.values[group]))
  return groups.find((it) => it[name] !== undefined)?.[name]
}

function filled(text: string | undefined): string | undefined {
  return text === "" ? undefined : text
}

export const SOURCES = {
  systemSettings: { source: "system-settings", priority: 0, reason: "Machine settings" },
  userSettings: { source: "user-settings", priority: 0, reason: "User settings" },
  agents: { source: "agents", priority: 0.5, reason: "Subagent definition" },
  skills: { source: "skills", priority: 0.6, reason: "Skill" },
  userMemory: { source: "user-memory", priority: 1, reason: "User instructions" },
  autoMemory: { source: "auto-memory", priority: 1.5, reason: "Private memory of this project" },
  projectSettings: { source: "project-settings", priority: 101, reason: "Project settings" },
} as const satisfies Readonly<Record<string, Source>>

export function frameOf(file: string): { readonly before: string; readonly behind: string } {
  return {
    before: `--- Context from: ${file} ---\n`,
    behind: `\n--- End of Context from: ${file} ---`,
  }
}
