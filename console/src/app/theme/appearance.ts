import { useEffect, useMemo, useSyncExternalStore } from "react"
import { recall, remember } from "../../ui/remember.ts"
import { cssProperties, deriveTokens } from "./derive.ts"
import { formatOklch } from "./oklch.ts"
import { DEFAULT_THEME, kindOf, THEMES, type Theme, type ThemeKind } from "./themes.ts"

export const MODES = ["system", "light", "dark"] as const
export const DENSITIES = ["compact", "default", "roomy"] as const
type Mode = (typeof MODES)[number]
type Density = (typeof DENSITIES)[number]

export type AppearanceChoice = {
  readonly mode: Mode
  readonly light: string
  readonly dark: string
  readonly density: Density
}

export function useAppearance() {
  const look = useSyncExternalStore(listen, currentLook, currentLook)
  const isDark = useSyncExternalStore(listenToSystem, systemIsDark, () => false)
  const theme = useMemo(() => themeFor(look, isDark), [look, isDark])
  useEffect(() => show(theme, look.density), [theme, look.density])
  return { look, theme, change: changeLook }
}

export type Appearance = ReturnType<typeof useAppearance>

/** Runs before the first paint, so that no wrong theme flashes. */
export function showRememberedLook(): void {
  show(themeFor(currentLook(), systemIsDark()), currentLook().density)
}

export function themeFor(look: AppearanceChoice, isSystemDark: boolean): Theme {
  const kind = look.mode === "system" ? kindOfSystem(isSystemDark) : look.mode
  const named = THEMES.find((it) => it.name === look[kind] && kindOf(it) === kind)
  const fallback = THEMES.find((it) => it.name === DEFAULT_THEME[kind])
  const theme = named ?? fallback
  if (theme === undefined) throw new Error(`invariant broken: ${DEFAULT_THEME[kind]} ships`)
  return theme
}

export function parseLook(text: string | null): AppearanceChoice {
  const [mode, light, dark, density] = (text ?? "").split(",")
  return {
    mode: MODES.find((it) => it === mode) ?? "system",
    light: light || DEFAULT_THEME.light,
    dark: dark || DEFAULT_THEME.dark,
    density: DENSITIES.find((it) => it === density) ?? "default",
  }
}

export function formatLook({ mode, light, dark, density }: AppearanceChoice): string {
  return [mode, light, dark, density].join(",")
}

function show(theme: Theme, density: Density): void {
  const root = document.documentElement
  root.dataset.theme = kindOf(theme)
  root.dataset.density = density
  for (const [name, colour] of cssProperties(deriveTokens(theme))) {
    root.style.setProperty(name, colour)
  }
}

function kindOfSystem(isDark: boolean): ThemeKind {
  return isDark ? "dark" : "light"
}

let look: AppearanceChoice | undefined
const listeners = new Set<() => void>()

function currentLook(): AppearanceChoice {
  look ??= parseLook(recall("look"))
  return look
}

function changeLook(change: Partial<AppearanceChoice>): void {
  look = { ...currentLook(), ...change }
  remember("look", formatLook(look))
  for (const changed of listeners) changed()
}

function listen(changed: () => void): () => void {
  listeners.add(changed)
  return () => void listeners.delete(changed)
}

const DARK_SYSTEM = "(prefers-color-scheme: dark)"

function systemIsDark(): boolean {
  return window.matchMedia(DARK_SYSTEM).matches
}

function listenToSystem(changed: () => void): () => void {
  const query = window.matchMedia(DARK_SYSTEM)
  query.addEventListener("change", changed)
  return () => query.removeEventListener("change", changed)
}

export function appearanceChoice({ look, change }: Appearance) {
  return {
    ...look,
    modes: MODES,
    densities: DENSITIES,
    lightThemes: THEMES.filter((it) => kindOf(it) === "light").map(sampleOf),
    darkThemes: THEMES.filter((it) => kindOf(it) === "dark").map(sampleOf),
    onChange(what: "mode" | "density" | "light" | "dark", value: string) {
      const mode = MODES.find((it) => it === value)
      const density = DENSITIES.find((it) => it === value)
      if (what === "mode" && mode !== undefined) change({ mode })
      if (what === "density" && density !== undefined) change({ density })
      if (what === "light") change({ light: value })
      if (what === "dark") change({ dark: value })
    },
  }
}

function sampleOf(theme: Theme) {
  const tokens = deriveTokens(theme)
  return {
    name: theme.name,
    colours: {
      canvas: formatOklch(tokens.canvas),
      surface: formatOklch(tokens.surface),
      text: formatOklch(tokens.text),
      "text-3": formatOklch(tokens["text-3"]),
      accent: formatOklch(tokens.accent),
    },
  }
}
