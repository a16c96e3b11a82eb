import { isRecord, parseJson, parseJsonRecord, readTextBounded } from "#ground/base"
import type { HookConfig } from "./event.ts"

/** The same limits as in `show/app/config`. */
const LARGEST_CONFIG_BYTES = 1_000_000

const LONGEST_SETTING_UNITS = 8_000

export type HookConfigPlaces = {
  readonly projectFile: string
  readonly userFile: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

/**
 * Gives the same values as `show/app/config/layers.ts`; mistakes, which are errors there, are
 * ignored here.
 */
export async function readHookConfig(places: HookConfigPlaces): Promise<HookConfig> {
  const [user, project] = await Promise.all([
    readSettings(places.userFile),
    readSettings(places.projectFile),
  ])
  const layers: Layers = { files: [project, user], environment: places.environment }
  return {
    level: settle(LEVEL, layers) ?? DEFAULT_LEVEL,
    mayFetch: settle(FETCH, layers) ?? true,
    highRiskPaths: splitPatterns(settle(patternsOf("guard", "highRiskPaths"), layers) ?? ""),
    ignored: listed("ignored", layers),
    important: listed("important", layers),
    registration: listed("registration", layers),
    largeResultBytes: (settle(LARGE_RESULT, layers) ?? DEFAULT_LARGE_RESULT_KB) * 1024,
    // Personal settings: no repository decides about the user's money.
    spending: spendingIn({ ...layers, files: [user] }),
  }
}

function spendingIn(layers: Layers): HookConfig["spending"] {
  return {
    isStop: settle(STOP, layers) ?? false,
    dayUsd: settle(amountOf("dayBudget"), layers) ?? 0,
    weekUsd: settle(amountOf("weekBudget"), layers) ?? 0,
    monthUsd: settle(amountOf("monthBudget"), layers) ?? 0,
  }
}

export function splitPatterns(text: string): readonly string[] {
  const patterns: string[] = []
  let [start, depth] = [0, 0]
  for (let at = 0; at <= text.length; at++) {
    const character = text[at]
    if (character === "{") depth += 1
    if (character === "}") depth = Math.max(0, depth - 1)
    const isEnd = character === undefined || (character === "," && depth === 0)
    if (!isEnd) continue
    patterns.push(text.slice(start, at).trim())
    start = at + 1
  }
  return patterns.filter((it) => it !== "")
}

type Settings = Readonly<Record<string, unknown>>
type Layers = {
  readonly files: readonly Settings[]
  readonly environment: HookConfigPlaces["environment"]
}

type Field<Value> = {
  readonly section: string
  readonly name: string
  readonly variable: string
  isOne(value: unknown): value is Value
}

const DEFAULT_LEVEL = 2
const HIGHEST_LEVEL = 7

const LEVEL: Field<number> = {
  section: "kit",
  name: "level",
  variable: "QM_KIT_LEVEL",
  isOne: (value): value is number =>
    typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= HIGHEST_LEVEL,
}

const FETCH: Field<boolean> = {
  section: "kit",
  name: "fetch",
  variable: "QM_KIT_FETCH",
  isOne: (value) => typeof value === "boolean",
}

const DEFAULT_LARGE_RESULT_KB = 16

const LARGE_RESULT: Field<number> = {
  section: "guard",
  name: "largeResultKb",
  variable: "QM_GUARD_LARGE_RESULT_KB",
  isOne: (value): value is number =>
    typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 100_000,
}

const STOP: Field<boolean> = {
  section: "sessions",
  name: "stopAtBudget",
  variable: "QM_SESSIONS_STOP_AT_BUDGET",
  isOne: (value) => typeof value === "boolean",
}

const LARGEST_BUDGET_USD = 1_000_000

function amountOf(name: string): Field<number> {
  return {
    section: "sessions",
    name,
    variable: variableOf("sessions", name),
    isOne: (value): value is number =>
      typeof value === "number" && value >= 0 && value <= LARGEST_BUDGET_USD,
  }
}

function variableOf(section: string, name: string): string {
  return `QM_${section}_${name.replace(/[A-Z]/g, (it) => `_${it}`)}`.toUpperCase()
}

function patternsOf(section: string, name: string): Field<string> {
  return {
    section,
    name,
    variable: variableOf(section, name),
    isOne: (value): value is string =>
      typeof value === "string" && value.length <= LONGEST_SETTING_UNITS,
  }
}

function listed(name: string, layers: Layers): readonly string[] | undefined {
  const patterns = splitPatterns(settle(patternsOf("kit", name), layers) ?? "")
  return patterns.length === 0 ? undefined : patterns
}

function settle<Value>(field: Field<Value>, layers: Layers): Value | undefined {
  const inFiles = layers.files.map((it) => valueIn(it, field))
  const candidates = [parseValue(field, layers.environment[field.variable]), ...inFiles]
  return candidates.find((it) => field.isOne(it))
}

function valueIn(settings: Settings, { section, name }: { section: string; name: string }) {
  const fields = Object.hasOwn(settings, section) ? settings[section] : undefined
  return isRecord(fields) && Object.hasOwn(fields, name) ? asText(fields[name]) : undefined
}

/** Lists may be JSON arrays of texts. */
function asText(value: unknown): unknown {
  const isList = Array.isArray(value) && value.every((it) => typeof it === "string")
  return isList ? value.join(", ") : value
}

/** Environment values are text; for other types they are parsed as JSON. */
function parseValue<Value>(field: Field<Value>, text: string | undefined): unknown {
  if (text === undefined || text === "") return undefined
  const list = text.trimStart().startsWith("[") ? asText(parseJson(text)) : undefined
  if (typeof list === "string" && field.isOne(list)) return list
  return field.isOne(text) ? text : parseJson(text)
}

async function readSettings(file: string): Promise<Settings> {
  const read = await readTextBounded(file, { maxBytes: LARGEST_CONFIG_BYTES })
  return (read.kind === "read" ? parseJsonRecord(plainJson(read.text) ?? "") : undefined) ?? {}
}

/** Removes comments and trailing commas; undefined if a comment is unclosed. */
function plainJson(text: string): string | undefined {
  let isOpen = false
  const plain = text.replace(STRING_OR_COMMENT, (match) => {
    if (match.startsWith("/*") && (match.length < 4 || !match.endsWith("*/"))) isOpen = true
    return match.startsWith("/") ? " " : match
  })
  return isOpen ? undefined : plain.replace(STRING_OR_LAST_COMMA, (it) => (it === "," ? "" : it))
}

// Unclosed strings and comments match to the end of the text, to avoid quadratic rescans.
const STRING = '"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"?'
const STRING_OR_COMMENT = new RegExp(`${STRING}|//[^\\n\\r]*|/\\*[^]*?(?:\\*/|$)`, "g")
const STRING_OR_LAST_COMMA = new RegExp(`${STRING}|,(?=\\s*[}\\]])`, "g")
