import { isRecord, type JsonRecord, visibleLine } from "#ground/base"
import { realDisk } from "../files/disk.ts"
import { fieldsOf } from "../files/json-settings.ts"
import type { HostPlace, SettingsLayer } from "../host.ts"
import { loadHost } from "../hosts.ts"

export type CodexProvider =
  /** Codex's own provider at another address; the key is in the environment. */
  | { readonly kind: "openai"; readonly baseUrl: string }
  | { readonly kind: "named"; readonly baseUrl: string; readonly fields: CodexFields }
  /** A provider that our proxy could not replace without changing the recipient or the identity. */
  | { readonly kind: "refused"; readonly reason: string }

/** Fields as in the config. They go on a command line, so none may be a secret. */
type CodexFields = Readonly<Record<string, CodexField>>
type CodexField = string | number | Readonly<Record<string, string>>

/** A version or a deployment name is shorter; a longer value may be a key. */
const LONGEST_QUERY_VALUE = 32

/**
 * The provider in the user's own config; a repository does not decide where requests go. A field
 * that we cannot preserve refuses the proxied session: otherwise a prompt or a key would reach
 * someone else.
 */
export async function readCodexProvider(place: HostPlace): Promise<CodexProvider | undefined> {
  const codex = await loadHost("codex")
  const { layers } = await codex.survey(place, realDisk())
  const own = layers.filter((it) => it.trust === "own")
  const unread = own.find(({ outcome }) => ["broken", "unreadable"].includes(outcome.kind))
  if (unread !== undefined) return refused(`${unread.path} cannot be read`)
  // The strongest layer comes first and has only differences.
  return providerIn(own.map(valuesOf).toReversed().reduce(overlaid, {}))
}

function providerIn(values: JsonRecord): CodexProvider | undefined {
  const { profile, model_provider: name = "openai", openai_base_url: address = "" } = values
  const providers = fieldsOf(values["model_providers"])
  if (profile !== undefined)
    return refused("its config uses a profile; copy the profile's settings to the top level")
  if (providers["qm"] !== undefined) {
    return refused("its config defines model_providers.qm, which Quartermaster uses; rename it")
  }
  if (typeof name !== "string") return refused("model_provider in its config is not a string")
  if (name !== "openai") return namedProvider(name, fieldsOf(providers[name]))
  if (typeof address !== "string") return refused("openai_base_url in its config is not a string")
  return address.trim() === "" ? undefined : { kind: "openai", baseUrl: address }
}

function namedProvider(name: string, provider: JsonRecord): CodexProvider {
  const { base_url: baseUrl } = provider
  const at = (field: string) => `model_providers.${name}.${field} in its config`
  if (typeof baseUrl !== "string" || baseUrl.trim() === "") {
    return refused(`${at("base_url")} is not set, so the address of its requests is unknown`)
  }
  const fields: Record<string, CodexField> = {}
  for (const [field, value] of Object.entries(provider)) {
    const read = Object.hasOwn(FIELDS, field) ? FIELDS[field]?.(value) : undefined
    if (read === undefined) return refused(`${at(field)} is an unknown field`)
    if (read.kind === "refused") return refused(`${at(field)} ${read.reason}`)
    if (read.kind === "kept") fields[field] = read.value
  }
  return { kind: "named", baseUrl, fields }
}

type FieldOutcome =
  | { readonly kind: "kept"; readonly value: CodexField }
  | { readonly kind: "left" }
  | { readonly kind: "refused"; readonly reason: string }

const LEFT: FieldOutcome = { kind: "left" }
const ON_COMMAND_LINE = "would be visible to other users on a command line; use"

/** Every field of Codex 0.166; an unknown one may change recipient or identity. */
const FIELDS: Readonly<Record<string, (value: unknown) => FieldOutcome>> = {
  name: (value) => (typeof value === "string" ? accepted(value) : no("is not a string")),
  base_url: () => LEFT,
  wire_api: (value) => (value === "responses" ? LEFT : no("must be responses")),
  env_key: (value) => (isVariable(value) ? accepted(value) : no("is not a variable name")),
  env_key_instructions: () => LEFT,
  env_http_headers: (value) =>
    keptTable(value, ([, it]) => isVariable(it)) ?? no("must name variables"),
  http_headers: (value) =>
    Object.keys(fieldsOf(value)).length === 0 ? LEFT : no(`${ON_COMMAND_LINE} env_http_headers`),
  experimental_bearer_token: () => no(`${ON_COMMAND_LINE} env_key`),
  query_params: (value) =>
    keptTable(value, isPlain) ??
    no("may contain a secret, which would be visible on a command line"),
  request_max_retries: keptCount,
  stream_max_retries: keptCount,
  stream_idle_timeout_ms: keptCount,
  // Our proxy refuses web sockets, and Codex falls back to requests.
  websocket_connect_timeout_ms: () => LEFT,
  supports_websockets: () => LEFT,
  requires_openai_auth: (value) =>
    value === false ? LEFT : no("is set; an OpenAI login cannot be proxied"),
}

function keptCount(value: unknown): FieldOutcome {
  return typeof value === "number" && Number.isSafeInteger(value)
    ? accepted(value)
    : no("is not a number")
}

function keptTable(
  value: unknown,
  isFit: (field: readonly [string, string]) => boolean,
): FieldOutcome | undefined {
  if (!isRecord(value)) return undefined
  const texts = Object.entries(value).flatMap(([name, it]) =>
    typeof it === "string" && isFit([name, it]) ? [[name, it] as const] : [],
  )
  const isWhole = texts.length === Object.keys(value).length
  return isWhole ? accepted(Object.fromEntries(texts)) : undefined
}

function accepted(value: CodexField): FieldOutcome {
  return { kind: "kept", value }
}

function no(reason: string): FieldOutcome {
  return { kind: "refused", reason }
}

/** A key pasted in place of a variable name rarely looks like a name. */
function isVariable(value: unknown): value is string {
  return typeof value === "string" && /^[A-Za-z_]\w*$/.test(value)
}

/** Like a version: nothing that could be a key may go on a command line. */
function isPlain([name, value]: readonly [string, string]): boolean {
  const isSecret = /key|token|secret|sig|auth|pass|code|cred/i.test(name)
  return !isSecret && value.length <= LONGEST_QUERY_VALUE
}

function refused(reason: string): CodexProvider {
  return { kind: "refused", reason: visibleLine(reason) }
}

function valuesOf({ outcome }: SettingsLayer): JsonRecord {
  return outcome.kind === "found" ? outcome.values : {}
}

/** Tables are merged field by field, as in Codex. */
function overlaid(below: JsonRecord, above: JsonRecord): JsonRecord {
  const names = [...new Set([...Object.keys(below), ...Object.keys(above)])]
  return Object.fromEntries(
    names.map((name) => {
      const [under, over] = [below[name], above[name]]
      if (isRecord(under) && isRecord(over)) return [name, overlaid(under, over)]
      return [name, over ?? under]
    }),
  )
}
