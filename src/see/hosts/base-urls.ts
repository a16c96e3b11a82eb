import path from "node:path"
import { type JsonRecord, parseJsonRecord } from "#ground/base"
import type { HostName, WireName } from "#ground/contract"
import { realDisk } from "./files/disk.ts"
import { foldersUp } from "./files/folder-walk.ts"
import { fieldsOf } from "./files/json-settings.ts"
import type { HostPlace, SettingsLayer } from "./host.ts"
import { loadHost } from "./hosts.ts"

/** An `.env` file is hand-written, one line per name. */
const ENVIRONMENT_FILE_LIMIT_BYTES = 1_000_000

export type BaseUrl = {
  readonly agent: BaseUrlHost
  readonly file: string
  readonly key: string
  /**
   * Whether the file belongs to the user or the machine; otherwise someone else may have written
   * it.
   */
  readonly isOwn: boolean
  /** Name and port only: the rest of the address may contain a password. */
  readonly host: string
  readonly isLoopback: boolean
}

type BaseUrlHost = "claude-code" | "codex" | "gemini"
const HOSTS: readonly BaseUrlHost[] = ["claude-code", "codex", "gemini"]

/**
 * Base URLs set by files of a repository, in a folder and at its root, without those of the user's
 * own files. A host is loaded only if a file mentions an address.
 */
export async function findRepositoryBaseUrls(
  folder: string,
  root: string,
  placeAt: (folder: string) => HostPlace,
): Promise<readonly BaseUrl[]> {
  const hosts = await findHosts(foldersBetween(folder, root))
  if (hosts.length === 0) return []
  const urls: BaseUrl[] = []
  for (const at of new Set([folder, root])) {
    for (const host of hosts) urls.push(...(await FINDERS[host](placeAt(at))))
  }
  const foreign = urls.filter((it) => !it.isOwn)
  return [...new Map(foreign.map((it) => [`${it.file}\0${it.key}`, it])).values()]
}

function foldersBetween(folder: string, root: string): readonly string[] {
  const up = foldersUp(folder)
  const top = up.indexOf(root)
  return top === -1 ? up : up.slice(0, top + 1)
}

type AddressSource = {
  readonly files: readonly string[]
  /** Whether a file may set an address; in doubt true, then the host is loaded to check. */
  mayTell(text: string): boolean
}

/** A host is loaded only for a file that may redirect its requests. */
const TELLTALES: Readonly<Record<BaseUrlHost, AddressSource>> = {
  "claude-code": {
    files: [".claude/settings.json", ".claude/settings.local.json"],
    mayTell: (text) => Object.keys(envIn(text)).some((name) => CLAUDE_VARIABLE.test(name)),
  },
  codex: {
    files: [".codex/config.toml"],
    // A name may contain escapes.
    mayTell: (text) => /base_url|\\/.test(text),
  },
  gemini: {
    files: [".gemini/.env", ".env"],
    mayTell: (text) => readAssignments(text, GEMINI_VARIABLES).length > 0,
  },
}

async function findHosts(folders: readonly string[]): Promise<readonly BaseUrlHost[]> {
  const disk = realDisk()
  const mayBeSet = async (host: BaseUrlHost): Promise<boolean> => {
    const { files, mayTell } = TELLTALES[host]
    for (const file of folders.flatMap((it) => files.map((name) => path.join(it, name)))) {
      const read = await disk.read(file, { maxBytes: ENVIRONMENT_FILE_LIMIT_BYTES })
      if (read.kind === "file" && mayTell(read.bytes.toString())) return true
      if (read.kind === "too-large") return true
    }
    return false
  }
  const answers = await Promise.all(HOSTS.map(mayBeSet))
  return HOSTS.filter((_, at) => answers[at])
}

/** A first check only: the host's own survey decides what counts. */
function envIn(text: string): JsonRecord {
  return fieldsOf(parseJsonRecord(text.replace(/^\uFEFF/, ""))?.["env"])
}

const FINDERS: Readonly<Record<BaseUrlHost, (place: HostPlace) => Promise<readonly BaseUrl[]>>> = {
  "claude-code": findInClaudeCode,
  codex: findInCodex,
  gemini: findInGemini,
}

/** Any name: the host has one per provider, and new versions add more. */
const CLAUDE_VARIABLE = /^(?:ANTHROPIC_(?:[A-Z0-9_]+_)?|CLAUDE_CODE_API_)BASE_URL$/

/**
 * `env` of settings overrides the process environment, without a prompt in print mode.
 */
async function findInClaudeCode(place: HostPlace): Promise<readonly BaseUrl[]> {
  const { layers } = await (await loadHost("claude-code")).survey(place, realDisk())
  return layers.flatMap((layer) =>
    Object.entries(fieldsOf(valuesOf(layer)["env"]))
      .filter(([name]) => CLAUDE_VARIABLE.test(name))
      .flatMap(([name, value]) => {
        const about = { agent: "claude-code", ...fileOf(layer) } as const
        return withAddress({ ...about, key: `env.${name}` }, value)
      }),
  )
}

const CLAUDE_PROVIDER =
  /^CLAUDE_CODE_USE_(?:ANTHROPIC_AWS|ANTHROPIC_GOOGLE_CLOUD|BEDROCK|FOUNDRY|GATEWAY|MANTLE|VERTEX)$/

type Bypass = { readonly file: string; readonly key: string }

/**
 * Only the settings of Claude Code override the process environment: Codex gets an argument, and
 * the others ignore file values for variables that are set. A program of another name that speaks
 * Claude Code's protocol may be Claude Code.
 */
export async function findBypass(
  place: HostPlace,
  host: HostName | undefined,
  wire?: WireName,
): Promise<Bypass | undefined> {
  if (host !== "claude-code" && wire !== "anthropic") return undefined
  const { layers } = await (await loadHost("claude-code")).survey(place, realDisk())
  const processEnvironment = { file: "The environment", values: place.environment, isGiven: true }
  const tables = layers.map((layer) => ({
    file: layer.path,
    values: fieldsOf(valuesOf(layer)["env"]),
    isGiven: false,
  }))
  const hasProxy = [processEnvironment, ...tables].some((it) =>
    PROXIES.some((name) => isSet(it.values[name])),
  )
  for (const { file, values, isGiven } of [...tables, processEnvironment]) {
    const key = Object.keys(values).find((name) => {
      const isOurs = isGiven && !CLAUDE_PROVIDER.test(name)
      return !isOurs && leadsPast(name, values[name], hasProxy)
    })
    if (key !== undefined) return { file, key: isGiven ? key : `env.${key}` }
  }
  return undefined
}

function leadsPast(name: string, value: unknown, hasProxy: boolean): boolean {
  if (name === "ANTHROPIC_BASE_URL") return isSet(value)
  if (CLAUDE_PROVIDER.test(name)) return isSet(value) && !OFF.includes(asText(value).toLowerCase())
  // The host uses a proxy for this machine too, unless NO_PROXY excludes it, as we set it.
  const isException = name.toUpperCase() === "NO_PROXY"
  return hasProxy && isException && !exceptsThisMachine(asText(value))
}

/**
 * Checks each entry: a longer number, or a star followed by a name, does not exclude this machine.
 */
function exceptsThisMachine(list: string): boolean {
  return list.split(/[\s,]+/).some((it) => it === "127.0.0.1" || it === "*")
}

const PROXIES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((it) => [it, it.toLowerCase()])
const OFF = ["0", "false", "no", "off"]

function isSet(value: unknown): boolean {
  return value !== undefined && asText(value) !== ""
}

function asText(value: unknown): string {
  return typeof value === "string" ? value.trim() : JSON.stringify(value)
}

const CODEX_KEYS = ["openai_base_url", "chatgpt_base_url"]

/** A project's config counts only if the user trusts the project. */
async function findInCodex(place: HostPlace): Promise<readonly BaseUrl[]> {
  const { layers } = await (await loadHost("codex")).survey(place, realDisk())
  return layers.flatMap((layer) => {
    const about = { agent: "codex", ...fileOf(layer) } as const
    const values = valuesOf(layer)
    const providers = Object.entries(fieldsOf(values["model_providers"]))
    return [
      ...CODEX_KEYS.flatMap((key) => withAddress({ ...about, key }, values[key])),
      ...providers.flatMap(([name, provider]) => {
        const key = `model_providers.${name}.base_url`
        return withAddress({ ...about, key }, fieldsOf(provider)["base_url"])
      }),
    ]
  })
}

const GEMINI_VARIABLES = [
  "GOOGLE_GEMINI_BASE_URL",
  "GOOGLE_VERTEX_BASE_URL",
  "CODE_ASSIST_ENDPOINT",
]

/**
 * Gemini reads one `.env`: the nearest upwards, in each folder that of `.gemini` first. In an
 * untrusted folder it takes provider keys from it, but no address.
 */
async function findInGemini(place: HostPlace): Promise<readonly BaseUrl[]> {
  const nearest = await nearestEnvironment(place)
  const lines = nearest === undefined ? [] : readAssignments(nearest.text, GEMINI_VARIABLES)
  if (nearest === undefined || lines.length === 0) return []
  const { layers } = await (await loadHost("gemini")).survey(place, realDisk())
  const isTrusted = nearest.isOwn || layers.some((it) => it.layer === "project")
  if (!isTrusted) return []
  const { file, isOwn } = nearest
  const about = { agent: "gemini", file, isOwn } as const
  return lines.flatMap(({ name, value }) => withAddress({ ...about, key: name }, value))
}

async function nearestEnvironment(place: HostPlace) {
  const disk = realDisk()
  for (const folder of foldersUp(place.workingDirectory)) {
    for (const file of [path.join(folder, ".gemini", ".env"), path.join(folder, ".env")]) {
      const read = await disk.read(file, { maxBytes: ENVIRONMENT_FILE_LIMIT_BYTES })
      if (read.kind === "missing") continue
      const text = read.kind === "file" ? read.bytes.toString() : ""
      return { file, text, isOwn: folder === place.home }
    }
  }
  return undefined
}

/** The last assignment of a name counts, as in the host. */
function readAssignments(text: string, names: readonly string[]) {
  const byName = new Map<string, string>()
  for (const line of text.split(/\r?\n|\r/)) {
    const [, name = "", value = ""] = /^\s*(?:export\s+)?([\w.-]+)\s*[=:]\s*(.*)/.exec(line) ?? []
    if (names.includes(name)) byName.set(name, plainValue(value))
  }
  return [...byName].map(([name, value]) => ({ name, value }))
}

function plainValue(value: string): string {
  const [, , quoted] = /^(["'`])(.*?)\1/.exec(value) ?? []
  return quoted ?? value.replace(/#[^]*$/, "").trim()
}

function fileOf({ path: file, trust }: SettingsLayer) {
  return { file, isOwn: trust === "own" }
}

function valuesOf({ outcome }: SettingsLayer): JsonRecord {
  return outcome.kind === "found" ? outcome.values : {}
}

function withAddress(
  about: Omit<BaseUrl, "host" | "isLoopback">,
  value: unknown,
): readonly BaseUrl[] {
  if (typeof value !== "string" || value.trim() === "") return []
  const url = URL.parse(value.trim())
  if (url === null || url.host === "") {
    return [{ ...about, host: "an invalid address", isLoopback: false }]
  }
  return [{ ...about, host: url.host, isLoopback: LOOPBACK.test(url.hostname) }]
}

const LOOPBACK = /^(?:localhost|(?:[\w-]+\.)+localhost|127(?:\.\d{1,3}){3}|\[::1\])$/
