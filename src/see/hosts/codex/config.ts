import path from "node:path"
import { parse, TomlError } from "smol-toml"
import { type JsonRecord } from "#ground/base"
import { belongsIfThere, type TrustFolders, withRealFolders } from "../files/file-trust.ts"
import { fieldsOf, textsOf } from "../files/json-settings.ts"
import type { HostPlace, Scope, SettingsLayer } from "../host.ts"
import { SETTINGS_LIMIT_BYTES } from "../limits.ts"
import type { Source } from "../source.ts"
import type { ReadFile, SurveyReader } from "../survey-reader.ts"
import {
  codexHome,
  configFolders,
  mainRepository,
  projectFolders,
  systemFolder,
} from "./folders.ts"

/** For all project files together, unless the config overrides it; Codex 0.166.0. */
const DEFAULT_PROJECT_DOC_BYTES = 32 * 1024

export type ConfigFile = {
  readonly path: string
  readonly layer: "managed" | "project" | "user" | "system"
  readonly source: Source
  readonly file: ReadFile | undefined
  readonly values: JsonRecord
  readonly outcome: SettingsLayer["outcome"]
  readonly trust: SettingsLayer["trust"]
  readonly counts: boolean
}

type ConfigCandidate = Omit<ConfigFile, "trust">

export type CodexConfig = {
  readonly home: string
  readonly cwd: string
  readonly files: readonly ConfigFile[]
  readonly markers: readonly string[]
  readonly isUntrusted: boolean
  readonly dotFolders: readonly string[]
  readonly grounds: TrustFolders
}

export async function readConfig(place: HostPlace, reader: SurveyReader): Promise<CodexConfig> {
  const home = await codexHome(place, reader)
  const cwd =
    (await reader.realPath(place.workingDirectory)) ?? path.resolve(place.workingDirectory)
  const read = configReader(reader)
  const machine = systemFolder(place)
  const managed = await read(path.join(machine, "managed_config.toml"), "managed")
  const user = await read(path.join(home, "config.toml"), "user")
  const system = await read(path.join(machine, "config.toml"), "system")

  const outside = [managed, user, system]
  const markers = textsOf(firstOf(outside, "project_root_markers")) ?? [".git"]
  const folders = await configFolders(reader, cwd, markers)
  const trust = await trustOf({ reader, cwd, root: folders[0] ?? cwd, files: outside })
  const dotFolders: string[] = []
  const project: ConfigCandidate[] = []
  for (const folder of folders.toReversed()) {
    const dotCodex = path.join(folder, ".codex")
    if ((await reader.realPath(dotCodex)) === home) continue
    dotFolders.push(dotCodex)
    const configFile = await read(path.join(dotCodex, "config.toml"), "project")
    project.push({ ...configFile, counts: trust(folder) === "trusted" })
  }
  for (const file of project) noteNotTrusted(reader, file)
  const roots = [folders, await projectFolders(reader, cwd, markers)].flatMap((it) =>
    it.slice(0, 1),
  )
  const own = [home, path.join(place.home, ".agents"), machine]
  const grounds = { own: await withRealFolders(reader, own), project: roots }
  return {
    home,
    cwd,
    files: [managed, ...project, user, system].map((it) => ({
      ...it,
      trust: belongsIfThere(it.file, { path: it.path, scope: scopeOf(it) }, grounds),
    })),
    markers,
    isUntrusted: trust(cwd, "without root") === "untrusted",
    dotFolders,
    grounds,
  }
}

export function scopeOf({ layer }: Pick<ConfigFile, "layer">): Scope {
  return layer === "project" || layer === "user" ? layer : "managed"
}

export function settingOf(config: CodexConfig, key: string): unknown {
  return firstOf(
    config.files.filter((it) => it.counts),
    key,
  )
}

export function fileWithText(
  config: CodexConfig,
  key: string,
): { readonly file: ConfigFile; readonly text: string } | undefined {
  for (const file of config.files) {
    const text = file.values[key]
    if (file.counts && typeof text === "string") return { file, text }
  }
  return undefined
}

/** Names tried after AGENTS.md; a path is not a name. */
export function fallbackNames(config: CodexConfig): readonly string[] {
  const names = textsOf(settingOf(config, "project_doc_fallback_filenames")) ?? []
  return names.map((it) => it.trim()).filter((it) => it !== "" && !/[/\\]/.test(it))
}

export function projectDocBytes(config: CodexConfig): number {
  const maxBytes = settingOf(config, "project_doc_max_bytes")
  const isCount = typeof maxBytes === "number" && Number.isSafeInteger(maxBytes) && maxBytes >= 0
  return isCount ? maxBytes : DEFAULT_PROJECT_DOC_BYTES
}

export function layersOf(config: CodexConfig): readonly SettingsLayer[] {
  return config.files
    .filter((it) => it.counts || it.outcome.kind === "missing")
    .map(({ layer, path: at, outcome, trust }) => ({ layer, path: at, outcome, trust }))
}

function configReader(reader: SurveyReader) {
  return async (at: string, layer: ConfigFile["layer"]): Promise<ConfigCandidate> => {
    const source = sourceOf(layer)
    const limits = { source: source.source, maxBytes: SETTINGS_LIMIT_BYTES }
    const file = await reader.read(at, limits)
    const outcome = await outcomeOf(reader, at, file)
    if (outcome.kind === "broken") {
      const text = `This config is invalid (${outcome.problem}); Codex does not start with it.`
      reader.note({ code: "settings-broken", text, path: at })
    }
    const values = outcome.kind === "found" ? outcome.values : {}
    return { path: at, layer, source, file, values, outcome, counts: true }
  }
}

function sourceOf(layer: ConfigFile["layer"]): Source {
  if (layer === "project") return SOURCES.projectSettings
  return layer === "user" ? SOURCES.userSettings : SOURCES.systemSettings
}

async function outcomeOf(
  reader: SurveyReader,
  at: string,
  file: ReadFile | undefined,
): Promise<SettingsLayer["outcome"]> {
  if (file !== undefined) return parseToml(file.bytes.toString())
  const read = await reader.peek(at, SETTINGS_LIMIT_BYTES)
  if (read.kind === "missing") return { kind: "missing" }
  return { kind: "unreadable", reason: read.kind === "unreadable" ? read.reason : read.kind }
}

function parseToml(text: string): SettingsLayer["outcome"] {
  try {
    return { kind: "found", values: parse(text) }
  } catch (error) {
    const where = error instanceof TomlError ? `line ${error.line}, column ${error.column}` : ""
    return { kind: "broken", problem: where === "" ? "it is not valid TOML" : where }
  }
}

type TrustLevel = "trusted" | "untrusted" | undefined

/**
 * The user's trust in a folder: for itself, then for the project root, then for the repository. For
 * project files Codex leaves out the second.
 */
async function trustOf(it: {
  readonly reader: SurveyReader
  readonly cwd: string
  readonly root: string
  readonly files: readonly ConfigCandidate[]
}): Promise<(folder: string, top?: "without root") => TrustLevel> {
  const projects = it.files.map(({ values }) => fieldsOf(values["projects"]))
  const repository = await mainRepository(it.reader, it.cwd)
  const trustLevelOf = (folder: string): TrustLevel => {
    const levels = projects.map((table) => fieldsOf(table[folder])["trust_level"])
    return levels.find((level) => level === "trusted" || level === "untrusted")
  }
  return (folder, top) => {
    const ofRoot = top === undefined ? trustLevelOf(it.root) : undefined
    return (
      trustLevelOf(folder) ??
      ofRoot ??
      (repository === undefined ? undefined : trustLevelOf(repository))
    )
  }
}

function noteNotTrusted(reader: SurveyReader, file: ConfigCandidate): void {
  if (file.counts || file.file === undefined) return
  const text = "Codex ignores this config because the project is not trusted."
  reader.mark({
    path: file.path,
    source: file.source.source,
    outcome: "excluded",
    detail: "the project is not trusted",
  })
  reader.note({ code: "switched-off", text, path: file.path })
}

function firstOf(files: readonly ConfigCandidate[], key: string): unknown {
  return files.find((it) => it.values[key] !== undefined)?.values[key]
}

export const SOURCES = {
  userSettings: { source: "user-settings", priority: 0, reason: "User settings" },
  systemSettings: { source: "system-settings", priority: 0, reason: "Machine settings" },
  modelInstructions: { source: "model-instructions", priority: 0.2, reason: "Base prompt in use" },
  developerInstructions: {
    source: "developer-instructions",
    priority: 0.4,
    reason: "Developer instructions from config",
  },
  skills: { source: "skills", priority: 0.6, reason: "Skill" },
  userMemory: { source: "user-memory", priority: 1, reason: "User instructions" },
  projectSettings: { source: "project-settings", priority: 101, reason: "Project settings" },
  hooks: { source: "hooks", priority: 102, reason: "Hooks" },
} as const satisfies Readonly<Record<string, Source>>

export const USER_PROJECT_SEPARATOR = "\n\n--- project-doc ---\n\n"

export const PROJECT_SEPARATOR = "\n\n"
