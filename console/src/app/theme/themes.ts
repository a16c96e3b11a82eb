import type { Oklch } from "./oklch.ts"

export type Theme = {
  readonly name: string
  readonly base: Oklch
  readonly accent: Oklch
  /** 1 is the distance between background and text in CONSOLE.md. */
  readonly contrast: number
}

export type ThemeKind = "light" | "dark"

export const DEFAULT_THEME = { light: "Daylight", dark: "Night" } as const

export const THEMES: readonly Theme[] = [
  theme("Daylight", { base: [0.985, 0.002, 265], accent: [0.53, 0.19, 274], contrast: 1 }),
  theme("Paper", { base: [0.977, 0.008, 85], accent: [0.5, 0.13, 45], contrast: 1 }),
  theme("Sage", { base: [0.98, 0.006, 152], accent: [0.5, 0.115, 160], contrast: 1 }),
  theme("Chalk", { base: [0.985, 0, 265], accent: [0.45, 0.2, 268], contrast: 1.12 }),
  theme("Dawn", { base: [0.975, 0.009, 20], accent: [0.5, 0.15, 10], contrast: 1 }),
  theme("Lagoon", { base: [0.98, 0.008, 205], accent: [0.48, 0.085, 215], contrast: 1 }),
  theme("Lilac", { base: [0.98, 0.008, 310], accent: [0.5, 0.17, 310], contrast: 1 }),
  theme("Night", { base: [0.175, 0.006, 265], accent: [0.7, 0.15, 274], contrast: 1 }),
  theme("Slate", { base: [0.215, 0.016, 250], accent: [0.75, 0.11, 230], contrast: 1 }),
  theme("Ember", { base: [0.18, 0.008, 50], accent: [0.75, 0.13, 60], contrast: 1 }),
  theme("Coal", { base: [0.12, 0, 265], accent: [0.75, 0.14, 274], contrast: 1.1 }),
  theme("Forest", { base: [0.19, 0.012, 155], accent: [0.76, 0.12, 150], contrast: 1 }),
  theme("Plum", { base: [0.195, 0.018, 320], accent: [0.75, 0.13, 325], contrast: 1 }),
  theme("Abyss", { base: [0.18, 0.022, 255], accent: [0.76, 0.11, 200], contrast: 1 }),
  theme("Dusk", { base: [0.225, 0.012, 290], accent: [0.77, 0.11, 20], contrast: 1 }),
]

export function kindOf(theme: Theme): ThemeKind {
  return theme.base.l > 0.5 ? "light" : "dark"
}

type Triple = readonly [l: number, c: number, h: number]

function theme(name: string, inputs: { base: Triple; accent: Triple; contrast: number }): Theme {
  const { base, accent, contrast } = inputs
  return { name, base: colour(base), accent: colour(accent), contrast }
}

function colour([l, c, h]: Triple): Oklch {
  return { l, c, h }
}
