import { type Appearance, DENSITIES, MODES } from "./appearance.ts"
import { deriveTokens } from "./derive.ts"
import { formatOklch } from "./oklch.ts"
import { kindOf, THEMES, type Theme } from "./themes.ts"

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
