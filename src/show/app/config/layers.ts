import { isRecord, once, parseJson, readBuilt, readTextBounded } from "#ground/base"
import { Config, type ConfigField, type ConfigOutline, configFields } from "#ground/contract"
import { ConfigInvalid, describeUnreadable } from "../errors.ts"
import {
  asListText,
  type ConfigProblem,
  complainAbout,
  readConfigText,
  sayUnknownKey,
} from "./file.ts"

export const CONFIG_FILE_LIMIT_BYTES = 1_000_000

/** In order of precedence, lowest first. */
export type Origin =
  | { readonly kind: "default" }
  | { readonly kind: "user" | "project"; readonly file: string; readonly line: number }
  | { readonly kind: "environment"; readonly variable: string }
  | { readonly kind: "flag"; readonly flag: string }

export type EffectiveSetting = {
  readonly field: ConfigField
  readonly value: unknown
  readonly origin: Origin
  /** Lower layers that also set it. */
  readonly hides: readonly Origin[]
}

export type LoadedConfig = {
  readonly config: Config
  /** All fields; computed at the first access. */
  readonly settings: readonly EffectiveSetting[]
  readonly changedCount: number
  readonly problems: readonly ConfigProblem[]
  readonly files: readonly { readonly file: string; readonly found: boolean }[]
}

export type ConfigLayers = {
  readonly userFile: string
  readonly projectFile: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly flags: readonly string[]
}

type LayerSetting = { readonly key: string; readonly value: unknown; readonly origin: Origin }
type Layer = {
  readonly settings: readonly LayerSetting[]
  readonly problems: readonly ConfigProblem[]
}

/**
 * Merges defaults, user file, project file, environment and flags. An invalid value is a problem
 * and is ignored; the config is usable only without problems.
 */
export async function loadConfig(
  layers: ConfigLayers,
  outline: ConfigOutline | undefined = readOutline(),
): Promise<LoadedConfig> {
  const user = await readFileLayer("user", layers.userFile)
  const project = await readFileLayer("project", layers.projectFile)
  const files = [
    { file: layers.userFile, found: user.found },
    { file: layers.projectFile, found: project.found },
  ]
  if (outline !== undefined && !files.some((it) => it.found) && !isAnySet(layers, outline)) {
    const settings = once(() => configFields().map((field) => settle(field, [])))
    return defaultConfig(outline, { files, settings })
  }
  const rising = [
    user,
    project,
    readEnvironmentLayer(layers.environment),
    readFlagLayer(layers.flags),
  ]
  const settings = configFields().map((field) => settle(field, rising))
  return {
    config: Object.freeze(assemble(settings)),
    settings,
    changedCount: settings.filter((it) => it.origin.kind !== "default").length,
    problems: rising.flatMap((it) => it.problems),
    files,
  }
}

type DefaultParts = Pick<LoadedConfig, "files"> & {
  readonly settings: () => readonly EffectiveSetting[]
}

/** Builds no schema: most commands read only values, and without a setting all are defaults. */
function defaultConfig({ defaults }: ConfigOutline, { files, settings }: DefaultParts) {
  return {
    config: Object.freeze(defaults),
    get settings() {
      return settings()
    },
    changedCount: 0,
    problems: [],
    files,
  }
}

function isAnySet({ environment, flags }: ConfigLayers, { variables }: ConfigOutline): boolean {
  return flags.length > 0 || variables.some((it) => (environment[it] ?? "") !== "")
}

function readOutline(): ConfigOutline | undefined {
  const built = readBuilt("config.json")
  return isOutline(built) ? built : undefined
}

/** The build of the same version wrote it, so a full check, which would build the schema, is not needed. */
function isOutline(value: unknown): value is ConfigOutline {
  return isRecord(value) && isRecord(value["defaults"]) && Array.isArray(value["variables"])
}

function settle(field: ConfigField, rising: readonly Layer[]): EffectiveSetting {
  const values = rising.flatMap((layer) => layer.settings.filter((it) => it.key === field.key))
  const winner = values.at(-1)
  if (winner === undefined) {
    return { field, value: field.defaultValue, origin: { kind: "default" }, hides: [] }
  }
  const hides = values.slice(0, -1).map((it) => it.origin)
  return { field, value: winner.value, origin: winner.origin, hides }
}

function assemble(settings: readonly EffectiveSetting[]): Config {
  const sections: Record<string, Record<string, unknown>> = {}
  for (const { field, value } of settings) {
    sections[field.section] = { ...sections[field.section], [field.name]: value }
  }
  return Config.parse(sections)
}

async function readFileLayer(
  kind: "user" | "project",
  file: string,
): Promise<Layer & { found: boolean }> {
  const outcome = await readTextBounded(file, { maxBytes: CONFIG_FILE_LIMIT_BYTES })
  if (outcome.kind === "missing") return { settings: [], problems: [], found: false }
  if (outcome.kind !== "read") {
    return {
      settings: [],
      problems: [{ place: file, message: describeUnreadable(outcome, CONFIG_FILE_LIMIT_BYTES) }],
      found: true,
    }
  }
  const content = readConfigText(file, outcome.text)
  const personal = kind === "project" ? content.settings.filter(isPersonal) : []
  const settings = content.settings
    .filter((it) => !personal.includes(it))
    .map(({ key, value, line }) => ({ key, value, origin: { kind, file, line } }))
  const refused = personal.map(({ key, line }) => ({
    place: `${file}:${line}`,
    line,
    key,
    message: sayPersonal(key),
  }))
  return { settings, problems: [...content.problems, ...refused], found: true }
}

function isPersonal({ key }: { readonly key: string }): boolean {
  return configFields().some((it) => it.key === key && it.isPersonal)
}

/** A repository's author must not choose where your data and password go. */
export function sayPersonal(key: string): string {
  return `a project cannot set "${key}"; set it in your own config or in the environment`
}

function readEnvironmentLayer(environment: ConfigLayers["environment"]): Layer {
  const settings: LayerSetting[] = []
  const problems: ConfigProblem[] = []
  for (const field of configFields()) {
    const text = environment[field.env]
    if (text === undefined || text === "") continue
    const value = coerce(field, text)
    const message = complainAbout(field, value)
    const origin: Origin = { kind: "environment", variable: field.env }
    if (message === undefined) settings.push({ key: field.key, value, origin })
    else problems.push({ place: `environment ${field.env}`, key: field.key, message })
  }
  return { settings, problems }
}

function readFlagLayer(flags: readonly string[]): Layer {
  const fields = configFields()
  const settings: LayerSetting[] = []
  const problems: ConfigProblem[] = []
  for (const flag of flags) {
    const split = flag.indexOf("=")
    const key = split === -1 ? flag : flag.slice(0, split)
    const place = `flag --set ${key}`
    const field = fields.find((it) => it.key === key)
    if (field === undefined) {
      const names = fields.map((it) => it.key)
      problems.push({ place, key, message: sayUnknownKey(key, key, names) })
      continue
    }
    const value = split === -1 ? undefined : coerce(field, flag.slice(split + 1))
    const message = split === -1 ? "has no value: write key=value" : complainAbout(field, value)
    if (message === undefined)
      settings.push({ key, value, origin: { kind: "flag", flag: "--set" } })
    else problems.push({ place, key, message })
  }
  return { settings, problems }
}

/**
 * Environment variables and flags are text. Where the field takes no text, the value is parsed as
 * JSON.
 */
export function coerce(field: ConfigField, text: string): unknown {
  const parsed = field.list !== undefined && text.trimStart().startsWith("[") ? parseJson(text) : []
  if (Array.isArray(parsed) && parsed.length > 0) return asListText(field, parsed)
  if (field.schema.safeParse(text).success) return text
  const value = parseJson(text)
  return value === undefined ? text : value
}

export async function createSettings(layers: ConfigLayers) {
  let loaded: LoadedConfig = await loadConfig(layers)
  return {
    loaded: () => loaded,
    async reload(): Promise<void> {
      loaded = await loadConfig(layers)
    },
    config(): Config {
      if (loaded.problems.length > 0) throw ConfigInvalid({ problems: loaded.problems })
      return loaded.config
    },
    /** Whether no file, environment variable or flag sets it. */
    isDefault: (key: string): boolean =>
      loaded.settings.some((it) => it.field.key === key && it.origin.kind === "default"),
  }
}
