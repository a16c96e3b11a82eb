import path from "node:path"
import type { HostName, WireName } from "#ground/contract"
import type { CodexProvider } from "#see/hosts"
import { HostNotProxied, HostUnknown, UpstreamUnusable } from "./errors.ts"

type Environment = Readonly<Record<string, string | undefined>>

type HostTarget = {
  readonly host: HostName | undefined
  readonly wire: WireName
  readonly environment: Environment
  readonly codexProvider?: CodexProvider | undefined
}

export type HostOverrides = {
  readonly environment: Readonly<Record<string, string>>
  readonly args: readonly string[]
}

const PROGRAMS: Readonly<Record<string, HostName>> = {
  claude: "claude-code",
  codex: "codex",
  copilot: "copilot",
  gemini: "gemini",
}

export function hostOfProgram(program: string): HostName | undefined {
  const name = path.basename(program).replace(/\.(?:exe|cmd)$/i, "")
  return Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined
}

/** Codex uses the last setting it is given, so these would bypass the proxy. */
export function bypassingArgument(
  host: HostName | undefined,
  args: readonly string[],
): string | undefined {
  if (host !== "codex") return undefined
  const isProvider = (it: string) =>
    /^(?:--config=|-c)?\s*(?:model_provider|profile)s?[.=\s]/.test(it)
  return args.find(
    (it) => /^(?:--oss|--profile(?:=|$)|--local-provider)/.test(it) || isProvider(it),
  )
}

/** For an unknown program the user must state the wire. */
export function wireOf(
  host: HostName | undefined,
  requested: WireName | undefined,
  program: string,
): WireName {
  if (requested !== undefined) return requested
  switch (host) {
    case "claude-code":
      return "anthropic"
    case "codex":
    case "copilot":
      return "openai"
    case "gemini":
      return "gemini"
    case "opencode":
      throw HostNotProxied({ title: "opencode", reason: "its providers have their own addresses" })
    case "antigravity":
      throw HostNotProxied({ title: "Antigravity", reason: "its address cannot be changed" })
    case undefined:
      throw HostUnknown({ program })
    default:
      return host satisfies never
  }
}

/** Only wires whose rules were measured. */
export function isFoldable(host: HostName | undefined): boolean {
  return host === undefined || host === "claude-code" || host === "codex"
}

/** Fixed when the session is opened, never taken from a request. */
export function upstreamOf({ host, wire, environment, codexProvider }: HostTarget): URL {
  if (host === "codex") return parseUpstream(codexUpstream(environment, codexProvider))
  if (host === "copilot") return parseUpstream(copilotUpstream(environment))
  switch (wire) {
    case "anthropic":
      return parseUpstream(environment["ANTHROPIC_BASE_URL"] || "https://api.anthropic.com")
    case "openai":
      return parseUpstream(environment["OPENAI_BASE_URL"] || "https://api.openai.com/v1")
    case "gemini":
      return parseUpstream(
        environment["GOOGLE_GEMINI_BASE_URL"] || "https://generativelanguage.googleapis.com",
      )
    default:
      return wire satisfies never
  }
}

/** A login has another address, which is not supported. */
function codexUpstream(environment: Environment, provider: CodexProvider | undefined): string {
  if (provider?.kind === "refused") {
    throw HostNotProxied({ title: "Codex", reason: provider.reason })
  }
  if (provider?.kind === "named") return provider.baseUrl
  const own = provider?.baseUrl || environment["OPENAI_BASE_URL"] || "https://api.openai.com/v1"
  if ((environment["OPENAI_API_KEY"] ?? "") !== "") return own
  throw HostNotProxied({ title: "Codex", reason: "OPENAI_API_KEY is not set" })
}

function copilotUpstream(environment: Environment): string {
  const own = environment["COPILOT_PROVIDER_BASE_URL"]
  if (own) return own
  throw HostNotProxied({ title: "Copilot", reason: "COPILOT_PROVIDER_BASE_URL is not set" })
}

function parseUpstream(address: string): URL {
  const url = URL.parse(address)
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url))
  if (url !== null && isSafe && url.username === "" && url.password === "") return url
  throw UpstreamUnusable({ host: url?.host ?? "this address" })
}

function isLoopback(url: URL): boolean {
  return ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname)
}

/** The user's own proxy settings do not apply to us. */
export function pointHostAt(url: string, target: HostTarget): HostOverrides {
  const { environment, args } = overridesFor(url, target)
  return { environment: { ...environment, ...withoutProxy(target.environment) }, args }
}

/** Claude Code 2.1.325 sends requests to this machine through a proxy too. */
function withoutProxy(environment: Environment): Readonly<Record<string, string>> {
  const names = ["NO_PROXY", "no_proxy"] as const
  const before = names.map((name) => environment[name]).find((it) => it) ?? ""
  const list = [...before.split(",").filter((it) => it.trim() !== ""), "127.0.0.1", "localhost"]
  return Object.fromEntries(names.map((name) => [name, list.join(",")]))
}

function overridesFor(url: string, { host, wire, codexProvider }: HostTarget): HostOverrides {
  if (host === "codex") return { environment: {}, args: codexArguments(url, codexProvider) }
  if (host === "copilot") return { environment: { COPILOT_PROVIDER_BASE_URL: url }, args: [] }
  switch (wire) {
    case "anthropic":
      return { environment: { ANTHROPIC_BASE_URL: url }, args: [] }
    case "openai":
      return { environment: { OPENAI_BASE_URL: url }, args: [] }
    case "gemini":
      return { environment: { GOOGLE_GEMINI_BASE_URL: url }, args: [] }
    default:
      return wire satisfies never
  }
}

/**
 * Codex has no variable for it, so it gets a provider for this process, with the credentials of the
 * one it replaces: a key for OpenAI goes to OpenAI only.
 */
function codexArguments(url: string, provider: CodexProvider | undefined): readonly string[] {
  const fields = provider?.kind === "named" ? provider.fields : { env_key: "OPENAI_API_KEY" }
  const ours = { base_url: url, wire_api: "responses" }
  const table = tomlOf({ name: "Quartermaster gateway", ...fields, ...ours })
  return ["-c", 'model_provider="qm"', "-c", `model_providers.qm=${table}`]
}

type CodexFields = Extract<CodexProvider, { kind: "named" }>["fields"]

function tomlOf(value: CodexFields[string] | CodexFields): string {
  if (typeof value === "number") return String(value)
  if (typeof value === "string") return JSON.stringify(value).replaceAll("\u007F", "\\u007F")
  const fields = Object.entries(value).map(([name, it]) => `${keyOf(name)}=${tomlOf(it)}`)
  return `{${fields.join(",")}}`
}

function keyOf(name: string): string {
  return /^[\w-]+$/.test(name) ? name : tomlOf(name)
}
