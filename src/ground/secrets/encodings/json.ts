import { MARKER, markerOf, type RedactedText, type SecretFinding } from "../redact.ts"
import { isSecretKey } from "../rules/names.ts"

export const MOST_JSON_VALUES = 500_000

/** Settings and messages are a dozen levels deep; deeper values are replaced unread. */
export const DEEPEST_JSON_LEVELS = 64

export type StructureOptions = {
  readonly secretKeys?: readonly string[]
  /** Names of maps whose values are all replaced, such as `env` and `headers`. */
  readonly secretMaps?: readonly string[]
  /** Values and names that are read (default 500,000); a value takes about 10 µs. */
  readonly mostValues?: number
}

/** All names beyond the maximum count become this one. */
const BEYOND_SIZE = "beyond-size"

type Tools = StructureOptions & {
  readonly redact: (text: string) => RedactedText
  readonly hashOf: (secret: string) => string
}

export type RedactedStructure = {
  readonly value: unknown
  /** Lines and offsets are relative to the string that contains the marker. */
  readonly findings: readonly SecretFinding[]
}

/**
 * Values that are too deep or beyond the maximum count are replaced unread: nothing passes
 * unchecked.
 */
export function redactStructure(value: unknown, tools: Tools): RedactedStructure {
  const findings: SecretFinding[] = []
  const secretKeys = lowerCase(tools.secretKeys)
  const secretMaps = lowerCase(tools.secretMaps)
  let left = tools.mostValues ?? MOST_JSON_VALUES

  const replaceWhole = (kind: string, secret: string): string => {
    const digits = tools.hashOf(secret)
    const marker = markerOf(kind, digits)
    findings.push({ kind, line: 1, hash: digits, start: 0, end: marker.length })
    return marker
  }
  const redactText = (text: string): string => {
    const redacted = tools.redact(text)
    findings.push(...redacted.findings)
    return redacted.text
  }
  const redactNamed = (key: string, inner: unknown, level: number): unknown => {
    const name = key.toLowerCase()
    if (isSecretKey(key) || secretKeys.has(name)) return redactWhole(inner, replaceWhole)
    if (!secretMaps.has(name) || !isObject(inner)) return visit(inner, level)
    if (Array.isArray(inner)) return inner.map((it) => redactWhole(it, replaceWhole))
    return mapEntries(inner, redactText, (_, it) => redactWhole(it, replaceWhole))
  }
  const visit = (inner: unknown, level: number): unknown => {
    left--
    if (typeof inner === "string")
      return left < 0 ? replaceWhole(BEYOND_SIZE, "") : redactText(inner)
    if (!isObject(inner)) return inner
    if (level >= DEEPEST_JSON_LEVELS) return replaceWhole("beyond-depth", "")
    if (left < 0) return replaceWhole(BEYOND_SIZE, "")
    if (Array.isArray(inner)) return inner.map((it) => visit(it, level + 1))
    const redactKey = (key: string) => (left < 0 ? BEYOND_SIZE : redactText(key))
    return mapEntries(inner, redactKey, (key, it) => redactNamed(key, it, level + 1))
  }
  return { value: visit(value, 0), findings }
}

/** null and booleans contain no secret; a marker stays as it is. */
function redactWhole(value: unknown, replaceWhole: (kind: string, secret: string) => string) {
  if (value === null || value === undefined || value === "" || typeof value === "boolean")
    return value
  if (typeof value === "string" && value.replace(MARKER, "") === "") return value
  return replaceWhole("named-value", typeof value === "string" ? value : typeof value)
}

/**
 * `fromEntries` makes `__proto__` an ordinary key.
 */
function mapEntries(
  record: object,
  redactKey: (key: string) => string,
  redactValue: (key: string, value: unknown) => unknown,
): unknown {
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => [redactKey(key), redactValue(key, value)]),
  )
}

function lowerCase(names: readonly string[] = []): ReadonlySet<string> {
  return new Set(names.map((it) => it.toLowerCase()))
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null
}
