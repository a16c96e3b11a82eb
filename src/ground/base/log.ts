import type { Clock } from "./clock.ts"
import { visibleLine } from "./text/text.ts"

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

type Fields = Readonly<Record<string, unknown>>
type Write = (sentence: string, fields?: Fields) => void

/** A constant message plus fields: `log.info("pack built", { packId, tokens, ms })`. */
export type Log = Readonly<Record<LogLevel, Write>>

const SECRET_FIELD =
  /token|secret|password|passphrase|authorization|cookie|credential|api_?key|url$/i
const LONGEST_FIELD_CHARACTERS = 2_000

export function createLog(deps: {
  clock: Clock
  level: LogLevel
  write: (line: string) => void
  /** Redacts secrets inside values; injected from `secrets`. */
  scrub?: (text: string) => string
}): Log {
  const lowest = LOG_LEVELS.indexOf(deps.level)
  const scrub = deps.scrub ?? ((text: string) => text)

  const writeAt =
    (level: LogLevel): Write =>
    (sentence, fields = {}) => {
      if (LOG_LEVELS.indexOf(level) < lowest) return
      const time = new Date(deps.clock.now()).toISOString()
      const pairs = Object.entries(fields).map(([name, value]) => field(name, value, scrub))
      deps.write([time, level.padEnd(5), visibleLine(scrub(sentence)), ...pairs].join(" "))
    }
  return {
    debug: writeAt("debug"),
    info: writeAt("info"),
    warn: writeAt("warn"),
    error: writeAt("error"),
  }
}

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} }

/** A token count is a number, a token is a string: only strings are hidden. */
function field(name: string, value: unknown, scrub: (text: string) => string): string {
  const isHidden = SECRET_FIELD.test(name) && typeof value !== "number"
  return `${visibleLine(name)}=${isHidden ? "[redacted]" : plain(value, scrub)}`
}

function plain(value: unknown, scrub: (text: string) => string): string {
  const text = visibleLine(scrub(asText(value))).slice(0, LONGEST_FIELD_CHARACTERS)
  return /^[\w./:@+-]+$/.test(text) ? text : JSON.stringify(text)
}

function asText(value: unknown): string {
  if (value instanceof Error) return `${value.name}: ${value.message}`
  if (typeof value !== "object" || value === null) return String(value)
  try {
    return String(JSON.stringify(value, hideSecretFields))
  } catch {
    return "[unprintable]"
  }
}

function hideSecretFields(name: string, value: unknown): unknown {
  return SECRET_FIELD.test(name) && typeof value !== "number" ? "[redacted]" : value
}
