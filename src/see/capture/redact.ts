import path from "node:path"
import { type ParseError, parse as parseJson } from "jsonc-parser"
import { parse as parseToml, stringify as writeToml } from "smol-toml"
import { asRecord, isRecord, type JsonRecord, plural } from "#ground/base"
import { type PrepareRedaction, prepareNothing, type Secrets } from "#ground/secrets"

/** Deeper values are replaced by `secrets`. */
const DEEPEST_ARGUMENT_LEVELS = 64

const LONGEST_COMMAND_CHARACTERS = 1_000

/** Values of one settings file that are shown; they take about 50 ms to redact. */
const MOST_SETTINGS = 5_000

type RedactedCount = { readonly text: string; readonly replaced: number }

/** Selects the keys of a settings file that may be shown. */
export type KeepKeys = (values: JsonRecord) => {
  readonly values: JsonRecord
  readonly withheld: number
}

export type Redact = {
  text(text: string): RedactedCount
  line(text: string): string
  /** Undefined if the file cannot be parsed and therefore not be redacted safely. */
  settings(text: string, file: string, keep?: KeepKeys): RedactedCount | undefined
  values(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
  command(text: string): string
  readonly prepare: PrepareRedaction
}

export function createRedact({
  prepare = prepareNothing,
  ...secrets
}: Pick<Secrets, "redact" | "redactJson"> & { readonly prepare?: PrepareRedaction }): Redact {
  const text = (raw: string): RedactedCount => {
    const { text: shown, findings } = secrets.redact(raw)
    return { text: shown, replaced: findings.length }
  }
  const line = (raw: string): string => text(raw).text
  const structured = (value: unknown) => {
    const { value: safe, replaced } = redactArguments(value)
    const { value: shown, findings } = secrets.redactJson(safe, {
      secretMaps: SECRET_MAPS,
      mostValues: MOST_SETTINGS,
    })
    return { value: shown, replaced: replaced + findings.length }
  }
  return {
    prepare,
    text,
    line,
    settings(raw, file, keep) {
      const isToml = path.extname(file) === ".toml"
      const parsed = isToml ? tomlIn(raw) : jsonIn(raw)
      if (parsed === undefined) return undefined
      const contextKeys = keep === undefined ? undefined : keep(recordIn(parsed.value))
      const { value, replaced } = structured(contextKeys?.values ?? parsed.value)
      const shown = isToml ? tomlOf(value) : JSON.stringify(value, undefined, 2)
      return { text: `${shown}${noteWithheld(contextKeys?.withheld ?? 0, isToml)}`, replaced }
    },
    values: (values) => asRecord(structured(values).value),
    // Redact first, then truncate: a truncated secret may not be recognized.
    command: (raw) => line(redactCommand(raw)).slice(0, LONGEST_COMMAND_CHARACTERS),
  }
}

/** A file that is not an object has no key that may be shown. */
function recordIn(value: unknown): JsonRecord {
  return isRecord(value) ? value : {}
}

function noteWithheld(withheld: number, isToml: boolean): string {
  if (withheld === 0) return ""
  const text = `${plural(withheld, "key")} not shown: not about the context of this repository`
  return `\n${isToml ? "#" : "//"} ${text}`
}

/** Any value in these maps may be a secret. */
const SECRET_MAPS = ["env", "headers", "http_headers", "env_http_headers"]

type ParsedValue = { readonly value: unknown }

function jsonIn(text: string): ParsedValue | undefined {
  const errors: ParseError[] = []
  try {
    const value: unknown = parseJson(text.replace(/^\uFEFF/, ""), errors, {
      allowTrailingComma: true,
    })
    return errors.length > 0 || value === undefined ? undefined : { value }
  } catch {
    // The parser calls itself for each level and runs out of stack.
    return undefined
  }
}

function tomlIn(text: string): ParsedValue | undefined {
  try {
    return { value: parseToml(text) }
  } catch {
    return undefined
  }
}

function tomlOf(value: unknown): string {
  return writeToml(asRecord(value))
}

const REPLACEMENT = "[redacted: argument]"

const SECRET_WORDS: ReadonlySet<string> = new Set(
  (
    "key apikey token secret password passwd passphrase pass pwd pat auth authorization bearer " +
    "header cookie credential credentials private signature sig"
  ).split(" "),
)

/** The value of these options is `NAME=value`; everything after the `=` may be a secret. */
const ASSIGNING = /^(?:-e|--env|--environment|-D|--define|-H|--header)$/

export function redactArguments(value: unknown): { value: unknown; replaced: number } {
  let replaced = 0
  const count = (before: string, after: string): string => {
    if (before !== after) replaced++
    return after
  }
  const visit = (inner: unknown, level: number): unknown => {
    if (typeof inner === "string") return count(inner, redactAddress(inner))
    if (typeof inner !== "object" || inner === null || level > DEEPEST_ARGUMENT_LEVELS) return inner
    if (Array.isArray(inner)) return inner.map((it: unknown) => visit(it, level + 1))
    const entries = Object.entries(inner).map(([key, it]) => {
      const list: unknown = it
      const isArguments = /^(?:args|arguments|command)$/i.test(key) && isTextList(list)
      if (!isArguments) return [key, visit(list, level + 1)] as const
      const safe = redactList(list)
      return [key, list.map((text, at) => count(text, safe[at] ?? ""))] as const
    })
    return Object.fromEntries(entries)
  }
  return { value: visit(value, 0), replaced }
}

/** Splits at spaces only. */
export function redactCommand(line: string): string {
  return redactList(line.split(" ")).join(" ")
}

function redactList(parts: readonly string[]): string[] {
  let isSecretNext = false
  let isInHeader = false
  return parts.map((part) => {
    const option = /^(--?[\w-]+)(=[\s\S]*)?$/.exec(part)
    if (option === null) {
      // `-H Authorization: Bearer x` is several words.
      const isHidden = isSecretNext || isInHeader
      isSecretNext = false
      return isHidden && part !== "" ? REPLACEMENT : redactAddress(redactAssignment(part))
    }
    const [, name = "", assigned] = option
    const isSecret = isSecretName(name) || ASSIGNING.test(name)
    isInHeader = /^(?:-H|--header)$/.test(name)
    isSecretNext = isSecret && assigned === undefined
    return isSecret && assigned !== undefined ? `${name}=${REPLACEMENT}` : redactAddress(part)
  })
}

function redactAssignment(part: string): string {
  const [, name = ""] = /^([A-Za-z_]\w*)=/.exec(part) ?? []
  return isSecretName(name) ? `${name}=${REPLACEMENT}` : part
}

/**
 * `?token=x&key=y`: values of parameters with a secret name.
 */
function redactAddress(text: string): string {
  if (!text.includes("=")) return text
  return text.replace(
    /([?&#;])([\w.-]{1,80})=([^&#;\s"']{1,4096})/g,
    (whole, sign: string, name: string) =>
      isSecretName(name) ? `${sign}${name}=${REPLACEMENT}` : whole,
  )
}

function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/)
  return words.some((it) => SECRET_WORDS.has(it) || /(?:key|token|secret|password)$/.test(it))
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((it) => typeof it === "string")
}
