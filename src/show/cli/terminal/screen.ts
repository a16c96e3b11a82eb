import { visible } from "#ground/base"
import type { ContextKind } from "#ground/contract"

export type Screen = {
  readonly paint: Paint
  /** Columns of the terminal; `Infinity` in a pipe, where nothing is wrapped or truncated. */
  readonly width: number
}

const NARROWEST_COLUMNS = 40
/** Wider lines are hard to read. */
const WIDEST_COLUMNS = 160

export function createScreen(options: { isColored: boolean; columns: number | undefined }): Screen {
  const { columns } = options
  const width =
    columns === undefined
      ? Number.POSITIVE_INFINITY
      : Math.min(WIDEST_COLUMNS, Math.max(NARROWEST_COLUMNS, columns))
  return { paint: createPaint({ isColored: options.isColored }), width }
}

/**
 * Make every string inside a value safe for a terminal, before a renderer sees it. Escape
 * sequences on the screen can then only be our own.
 */
export function visibleDeep(value: unknown): unknown {
  if (typeof value === "string") return visible(value)
  if (Array.isArray(value)) return value.map(visibleDeep)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [visible(key), visibleDeep(inner)]),
  )
}

/** JSON for a pipe that may end on a terminal: the same value, unsafe characters as escapes. */
export function safeJson(value: unknown): string {
  return escapeUnsafe(JSON.stringify(value, undefined, 2) ?? "null")
}

/** On one line, for readers of JSON lines. */
export function safeJsonLine(value: unknown): string {
  return escapeUnsafe(JSON.stringify(value) ?? "null")
}

/** For text that is JSON already, where the escape means the same character. */
export function escapeUnsafe(text: string): string {
  return text.replace(/[^\n\u0020-\u007e]/gu, (character) => {
    if (visible(character) === character) return character
    return Array.from({ length: character.length }, (_, i) => escapeUnit(character, i)).join("")
  })
}

function escapeUnit(character: string, index: number): string {
  return `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`
}

type Stroke = (text: string) => string

/** Colour means state or kind, and is never the only indication. */
export type Paint = {
  readonly bold: Stroke
  readonly muted: Stroke
  readonly accent: Stroke
  readonly ok: Stroke
  readonly warn: Stroke
  readonly bad: Stroke
  readonly kind: (kind: ContextKind, text: string) => string
}

/** The nearest 256-colour cells to the console's colours of kinds. */
const KIND_COLORS: Readonly<Record<ContextKind, number>> = {
  system: 245,
  mcp: 168,
  skills: 106,
  agents: 140,
  instructions: 105,
  files: 75,
  symbols: 43,
  knowledge: 78,
  memory: 179,
  tools: 173,
  history: 176,
}

function createPaint(options: { isColored: boolean }): Paint {
  const stroke =
    (open: string): Stroke =>
    (text) =>
      options.isColored && text !== "" ? `\u001b[${open}m${text}\u001b[0m` : text
  return {
    bold: stroke("1"),
    muted: stroke("2"),
    accent: stroke("38;5;105"),
    ok: stroke("32"),
    warn: stroke("33"),
    bad: stroke("31"),
    kind: (kind, text) => stroke(`38;5;${KIND_COLORS[kind]}`)(text),
  }
}

/** An explicit choice first, then NO_COLOR and FORCE_COLOR, then the terminal. */
export function wantsColor(options: {
  choice: string
  isTerminal: boolean
  environment: Readonly<Record<string, string | undefined>>
}): boolean {
  if (options.choice !== "auto") return options.choice === "always"
  if (options.environment["NO_COLOR"]) return false
  if (options.environment["FORCE_COLOR"]) return options.environment["FORCE_COLOR"] !== "0"
  return options.isTerminal && options.environment["TERM"] !== "dumb"
}
