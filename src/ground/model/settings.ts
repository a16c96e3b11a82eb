import type { Config, ModelProvider } from "#ground/contract"
import { AddressInvalid, KeyInvalid, NoKey, SettingMissing } from "./errors.ts"

export type ModelConfig = Config["model"]
export type WireProvider = keyof typeof MODEL_KEYS

export type Destination = {
  readonly provider: WireProvider
  readonly model: string
  readonly baseUrl: string
  readonly key: string | undefined
  readonly apiVersion: string
}

/** Current models that are neither the most expensive nor the smallest of their provider. */
const USUAL_MODEL: Readonly<Partial<Record<WireProvider, string>>> = {
  anthropic: "claude-sonnet-5-5",
  openai: "gpt-5.4",
}

const OWN_ADDRESS: Readonly<Partial<Record<WireProvider, string>>> = {
  anthropic: "https://api.anthropic.com/v1",
  openai: "https://api.openai.com/v1",
}

export function usualModel(settings: Pick<ModelConfig, "provider" | "name">): string {
  if (settings.name !== "") return settings.name
  if (settings.provider === "scripted") return "scripted"
  return USUAL_MODEL[settings.provider] ?? ""
}

export function destinationOf(options: {
  readonly settings: ModelConfig
  readonly provider: WireProvider
  readonly model: string
  readonly key: string | undefined
}): Destination {
  const { settings, provider, model, key } = options
  if (model === "") throw missing("model.name", "QM_MODEL_NAME", provider)
  const baseUrl = baseUrlOf(settings, provider, model)
  return { provider, model, baseUrl, key: checkKey(provider, key), apiVersion: settings.apiVersion }
}

function baseUrlOf(settings: ModelConfig, provider: WireProvider, model: string): string {
  const ownUrl = ownAddress({ provider, baseUrl: settings.baseUrl })
  if (ownUrl === undefined) throw missing("model.baseUrl", "QM_MODEL_BASE_URL", provider)
  return wireAddress(checkAddress(ownUrl, "model.baseUrl"), provider, model)
}

export function ownAddress(of: Pick<ModelConfig, "provider" | "baseUrl">): string | undefined {
  const defaultAddress = of.provider === "scripted" ? undefined : OWN_ADDRESS[of.provider]
  return of.baseUrl.trim() || defaultAddress
}

/** Users enter the address as in the provider's documentation, with or without its last parts. */
function wireAddress(url: URL, provider: WireProvider, model: string): string {
  const path = url.pathname
  if (provider === "azure") {
    const root = path.endsWith("/openai") ? "" : "/openai"
    return under(url, `${root}/deployments/${encodeURIComponent(model)}`)
  }
  const needsVersion = provider === "anthropic" ? !path.endsWith("/v1") : path === "/"
  return under(url, needsVersion && provider !== "custom" ? "/v1" : "")
}

export function checkKey(provider: WireProvider, key: string | undefined): string | undefined {
  const trimmedKey = key?.trim() ?? ""
  if (trimmedKey === "" && provider === "custom") return undefined
  if (trimmedKey === "") throw NoKey({ provider, ...MODEL_KEYS[provider] })
  // Node's error for an invalid header value would repeat the key.
  if (!/^[\x21-\x7e]+$/.test(trimmedKey)) throw KeyInvalid({ provider, ...MODEL_KEYS[provider] })
  return trimmedKey
}

export function missing(setting: string, variable: string, needs: string) {
  return SettingMissing({ setting, variable, needs })
}

/** The variable is read first, then the credential store. */
export type KeyName = { readonly variable: string; readonly credential: string }

export const MODEL_KEYS: Readonly<Record<Exclude<ModelProvider, "scripted">, KeyName>> = {
  anthropic: { variable: "ANTHROPIC_API_KEY", credential: "anthropic" },
  openai: { variable: "OPENAI_API_KEY", credential: "openai" },
  azure: { variable: "AZURE_OPENAI_API_KEY", credential: "azure" },
  custom: { variable: "QM_MODEL_API_KEY", credential: "custom" },
}

/**
 * The key may be sent to https addresses and to this machine only. Returned without a trailing
 * slash.
 */
export function checkAddress(address: string, setting: string): URL {
  const url = URL.parse(address)
  if (url === null) throw AddressInvalid({ setting, reason: "it is not a URL" })
  const reason = problemOf(url)
  if (reason !== undefined) throw AddressInvalid({ setting, reason })
  url.pathname = url.pathname.replace(/(?<!\/)\/+$/, "")
  return url
}

export function under(url: URL, path: string): string {
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, "")}${path}`
}

function problemOf(url: URL): string | undefined {
  const isPlain = url.protocol === "http:"
  if (!isPlain && url.protocol !== "https:") return `${url.protocol} is not supported`
  if (isPlain && !isLoopback(url.hostname)) return "http would send the key unencrypted"
  if (url.username !== "" || url.password !== "") return "it contains a user name or a password"
  if (url.search !== "" || url.hash !== "") return "it contains a query or a fragment"
  return undefined
}

/** The URL parser has already normalized 127.1 and 0x7f.1. */
function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(hostname)
}

export function isOnThisMachine(address: string): boolean {
  const url = URL.parse(address)
  return url !== null && isLoopback(url.hostname)
}
