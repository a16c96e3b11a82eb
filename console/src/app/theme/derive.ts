import { contrast, contrastUnderVeil, formatOklch, insideSrgb, type Oklch } from "./oklch.ts"
import { kindOf, type Theme, type ThemeKind } from "./themes.ts"

export type TokenName =
  | "canvas"
  | "surface"
  | "raised"
  | "sunken"
  | "line"
  | "line-strong"
  | "text"
  | "text-2"
  | "text-3"
  | "accent"
  | "accent-fill"
  | "accent-tint"
  | "ok"
  | "warn"
  | "bad"
  | "info"
  | "ok-tint"
  | "warn-tint"
  | "bad-tint"
  | `k-${keyof typeof KIND_HUES}`

export type Tokens = Readonly<Record<TokenName, Oklch>>

/**
 * Derives each colour from three inputs. The steps are those between the tokens of CONSOLE.md, so
 * the default inputs give exactly that table. Where another base would break a contrast minimum,
 * the lightness of the text is adjusted until it holds.
 */
export function deriveTokens(theme: Theme): Tokens {
  const kind = kindOf(theme)
  const grounds = deriveGrounds(theme, STEPS[kind])
  const accents = deriveAccents(theme, kind)
  const held = holdBars({ ...grounds, ...accents, ...deriveStates(theme, kind) }, kind)
  return { ...held, ...deriveKinds(kind, held.surface) }
}

export function cssProperties(tokens: Tokens): readonly (readonly [string, string])[] {
  return Object.entries(tokens).map(([name, colour]) => [`--${name}`, formatOklch(colour)])
}

const STEPS = {
  light: {
    surface: [0.015, 0],
    raised: [0.015, 0],
    sunken: [-0.02, 0.001],
    line: [-0.07, 0.002],
    "line-strong": [-0.145, 0.004],
    text: [-0.745, 0.01],
    "text-2": [-0.525, 0.012],
    "text-3": [-0.455, 0.012],
  },
  dark: {
    surface: [0.03, 0.001],
    raised: [0.07, 0.002],
    sunken: [-0.02, 0],
    line: [0.11, 0.002],
    "line-strong": [0.205, 0.004],
    text: [0.755, 0],
    "text-2": [0.555, 0.006],
    "text-3": [0.48, 0.006],
  },
} as const

type Steps = (typeof STEPS)[ThemeKind]
type StepName = keyof Steps

function deriveGrounds({ base, contrast: factor }: Theme, steps: Steps) {
  const step = (name: StepName, scale: number) => {
    const [lightness, chroma] = steps[name]
    const l = Math.min(1, Math.max(0, base.l + lightness * scale))
    return insideSrgb({ l, c: Math.max(0, base.c + chroma), h: base.h })
  }
  return {
    canvas: base,
    // Surface steps ignore the contrast input: more contrast must not darken panels.
    surface: step("surface", 1),
    raised: step("raised", 1),
    sunken: step("sunken", 1),
    line: step("line", factor),
    "line-strong": step("line-strong", factor),
    text: step("text", factor),
    "text-2": step("text-2", factor),
    "text-3": step("text-3", factor),
  }
}

function deriveAccents({ base, accent }: Theme, kind: ThemeKind) {
  const isLight = kind === "light"
  const tint = isLight ? { l: base.l - 0.03, c: 0.018 } : { l: base.l + 0.105, c: 0.055 }
  const fill = isLight ? accent : { l: accent.l - 0.15, c: accent.c + 0.02, h: accent.h }
  return {
    accent: insideSrgb(accent),
    "accent-fill": insideSrgb(fill),
    "accent-tint": insideSrgb({ ...tint, h: accent.h }),
  }
}

const STATES = {
  light: {
    ok: { l: 0.51, c: 0.125, h: 152 },
    warn: { l: 0.535, c: 0.11, h: 72 },
    bad: { l: 0.53, c: 0.19, h: 25 },
    info: { l: 0.525, c: 0.1, h: 238 },
  },
  dark: {
    ok: { l: 0.76, c: 0.15, h: 152 },
    warn: { l: 0.8, c: 0.13, h: 80 },
    bad: { l: 0.71, c: 0.16, h: 25 },
    info: { l: 0.75, c: 0.11, h: 235 },
  },
} as const

function deriveStates({ base }: Theme, kind: ThemeKind) {
  const tint = (lightness: number, c: number, h: number) =>
    insideSrgb({ l: base.l + lightness, c, h })
  const tints =
    kind === "light"
      ? {
          "ok-tint": tint(-0.03, 0.032, 152),
          "warn-tint": tint(-0.015, 0.03, 85),
          "bad-tint": tint(-0.03, 0.022, 20),
        }
      : {
          "ok-tint": tint(0.08, 0.032, 152),
          "warn-tint": tint(0.08, 0.026, 80),
          "bad-tint": tint(0.08, 0.035, 22),
        }
  return { ...STATES[kind], ...tints }
}

export const BARS = {
  text: 13,
  "text-2": 6.4,
  "text-3": 4.7,
  accent: 4.7,
  ok: 4.7,
  warn: 4.7,
  bad: 4.7,
  info: 4.7,
} as const
export const BAR_ON_ACCENT_TINT = 4.6
export const BAR_WHERE_PRESSED = 4.5
export const BAR_WHITE_ON_FILL = 5
export const KIND_BARS = { light: 3.7, dark: 6.8 } as const
export const WHITE: Oklch = { l: 1, c: 0, h: 0 }

type BarName = keyof typeof BARS
type TokenColours = Readonly<Record<Exclude<TokenName, `k-${string}`>, Oklch>>

function holdBars(tokens: TokenColours, kind: ThemeKind): TokenColours {
  const everywhere = [tokens.canvas, tokens.surface, tokens.sunken]
  const away = kind === "light" ? -1 : 1
  const held = (name: BarName) =>
    moveUntil(tokens[name], away, (candidate) => {
      const grounds = name === "text" ? [...everywhere, tokens.raised] : everywhere
      const onGrounds = grounds.every((ground) => contrast(candidate, ground) >= BARS[name])
      const onTint = contrast(candidate, tokens["accent-tint"]) >= BAR_ON_ACCENT_TINT
      return onGrounds && onTint && (name === "text-3" || isReadWherePressed(candidate, tokens))
    })
  return {
    ...tokens,
    text: held("text"),
    "text-2": held("text-2"),
    "text-3": held("text-3"),
    accent: held("accent"),
    ok: held("ok"),
    warn: held("warn"),
    bad: held("bad"),
    info: held("info"),
    "accent-fill": moveUntil(
      tokens["accent-fill"],
      -1,
      (it) => contrast(it, WHITE) >= BAR_WHITE_ON_FILL,
    ),
  }
}

/** The current sidebar item: canvas with 6 % of the text colour over it. */
function isReadWherePressed(color: Oklch, { canvas, text }: TokenColours): boolean {
  return contrastUnderVeil(color, canvas, { colour: text, alpha: 0.06 }) >= BAR_WHERE_PRESSED
}

/** The seven kinds of context have the same lightness and chroma and differ only in hue. */
export const KIND_HUES = {
  system: 265,
  mcp: 355,
  skills: 120,
  agents: 302,
  instructions: 274,
  files: 238,
  symbols: 195,
  knowledge: 152,
  memory: 85,
  tools: 45,
  history: 330,
} as const

function deriveKinds(kind: ThemeKind, surface: Oklch) {
  const isLight = kind === "light"
  const away = isLight ? -1 : 1
  const one = (h: number) => {
    // At hue 195 and this lightness sRGB ends at chroma .10.
    const c = isLight && h === 195 ? 0.1 : 0.11
    const start = { l: isLight ? 0.6 : 0.72, c, h }
    return moveUntil(start, away, (it) => contrast(it, surface) >= KIND_BARS[kind])
  }
  // Grey, because the reader cannot cut it: colour marks what can change.
  const grey = { l: isLight ? 0.6 : 0.72, c: 0.014, h: KIND_HUES.system }
  return {
    "k-system": moveUntil(grey, away, (it) => contrast(it, surface) >= KIND_BARS[kind]),
    "k-mcp": one(KIND_HUES.mcp),
    "k-skills": one(KIND_HUES.skills),
    "k-agents": one(KIND_HUES.agents),
    "k-instructions": one(KIND_HUES.instructions),
    "k-files": one(KIND_HUES.files),
    "k-symbols": one(KIND_HUES.symbols),
    "k-knowledge": one(KIND_HUES.knowledge),
    "k-memory": one(KIND_HUES.memory),
    "k-tools": one(KIND_HUES.tools),
    "k-history": one(KIND_HUES.history),
  }
}

function moveUntil(colour: Oklch, away: 1 | -1, holds: (it: Oklch) => boolean): Oklch {
  let moved = colour
  while (!holds(moved) && moved.l > 0 && moved.l < 1) {
    moved = insideSrgb({ ...moved, l: Math.min(1, Math.max(0, moved.l + 0.005 * away)) })
  }
  return moved
}
