import type { ContextKind } from "#ground/contract"

type Stroke = (text: string) => string

/** The colours of the terminal: colour means state or kind, and is never the only sign. */
export type Paint = {
  readonly bold: Stroke
  readonly muted: Stroke
  readonly accent: Stroke
  readonly ok: Stroke
  readonly warn: Stroke
  readonly bad: Stroke
  readonly kind: (kind: ContextKind, text: string) => string
}

/** Nearest 256-colour cells to the console's hues (CONSOLE.md, kinds of context). */
const KIND_COLORS: Readonly<Record<ContextKind, number>> = {
  instructions: 105,
  files: 75,
  symbols: 43,
  knowledge: 78,
  memory: 179,
  tools: 173,
  history: 176,
}

export function createPaint(options: { isColored: boolean }): Paint {
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

/** The common rules: an explicit choice first, then NO_COLOR and FORCE_COLOR, then the terminal. */
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
