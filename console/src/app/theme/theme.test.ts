import { describe, expect, it } from "vitest"
import tokensCss from "../../ui/tokens.css?raw"
import { formatLook, parseLook, themeFor } from "./appearance.ts"
import {
  BAR_ON_ACCENT_TINT,
  BAR_WHERE_PRESSED,
  BAR_WHITE_ON_FILL,
  BARS,
  deriveTokens,
  KIND_BARS,
  KIND_HUES,
  type TokenName,
  WHITE,
} from "./derive.ts"
import { contrast, contrastUnderVeil, isInsideSrgb, type Oklch, parseOklch } from "./oklch.ts"
import { DEFAULT_THEME, kindOf, THEMES, type Theme } from "./themes.ts"

const named = (name: string): Theme => THEMES.find((it) => it.name === name)!

const HEX = {
  light: {
    canvas: "f9fafb",
    surface: "ffffff",
    sunken: "f2f3f5",
    text: "1c1f25",
    accent: "4e5ad7",
  },
  dark: { canvas: "0f1013", surface: "16171a", sunken: "0b0c0f", text: "e6e8ec", accent: "8295fb" },
} as const

describe("themes", () => {
  it.each(["light", "dark"] as const)(
    "[CONSOLE-8] the default %s theme has exactly the tokens of the style sheet",
    (kind) => {
      const start =
        kind === "dark"
          ? tokensCss.indexOf('[data-theme="dark"]')
          : tokensCss.indexOf("color-scheme: light")
      const block = tokensCss.slice(start, tokensCss.indexOf("}", start))
      const tokens = deriveTokens(named(DEFAULT_THEME[kind]))
      const names = Object.keys(tokens) as TokenName[]
      expect(names.length).toBeGreaterThan(20)
      for (const name of names) {
        const written = new RegExp(`--${name}: (oklch\\([^)]*\\));`).exec(block)?.[1] ?? ""
        const colour = parseOklch(written)
        expect(colour, name).toBeDefined()
        expect(near(colour!, tokens[name]), `${name} ${written}`).toBe(true)
      }
    },
  )

  it.each(["light", "dark"] as const)(
    "[CONSOLE-8] %s matches the hex values in the design table",
    (kind) => {
      const tokens = deriveTokens(named(DEFAULT_THEME[kind]))
      for (const [name, hex] of Object.entries(HEX[kind])) {
        const ratio = contrast(tokens[name as TokenName], fromHex(hex))
        expect(ratio, name).toBeLessThan(1.02)
      }
    },
  )

  it.each(THEMES.map((it) => [it.name, it] as const))(
    "[CONSOLE-8] %s meets every contrast minimum and stays inside sRGB",
    (_name, theme) => {
      const tokens = deriveTokens(theme)
      const grounds = [tokens.canvas, tokens.surface, tokens.sunken]
      for (const [name, bar] of Object.entries(BARS) as [keyof typeof BARS, number][]) {
        const all = name === "text" ? [...grounds, tokens.raised] : grounds
        for (const ground of all)
          expect(contrast(tokens[name], ground), name).toBeGreaterThanOrEqual(bar)
        const onTint = contrast(tokens[name], tokens["accent-tint"])
        expect(onTint, `${name} on the tint`).toBeGreaterThanOrEqual(BAR_ON_ACCENT_TINT)
      }
      const pressed = contrastUnderVeil(tokens.warn, tokens.canvas, {
        colour: tokens.text,
        alpha: 0.06,
      })
      expect(pressed).toBeGreaterThanOrEqual(BAR_WHERE_PRESSED)
      expect(contrast(WHITE, tokens["accent-fill"])).toBeGreaterThanOrEqual(BAR_WHITE_ON_FILL)
      for (const kind of Object.keys(KIND_HUES)) {
        const ratio = contrast(tokens[`k-${kind}` as TokenName], tokens.surface)
        expect(ratio, kind).toBeGreaterThanOrEqual(KIND_BARS[kindOf(theme)])
      }
      for (const [name, colour] of Object.entries(tokens)) {
        expect(isInsideSrgb(colour), name).toBe(true)
      }
    },
  )

  it("[CONSOLE-8] text colours are adjusted when the base colour would break a contrast minimum", () => {
    const grey = {
      name: "Fog",
      base: { l: 0.92, c: 0.02, h: 200 },
      accent: { l: 0.6, c: 0.1, h: 200 },
      contrast: 0.6,
    }
    const { text, canvas, accent } = deriveTokens(grey)
    expect(contrast(text, canvas)).toBeGreaterThanOrEqual(BARS.text)
    expect(contrast(accent, canvas)).toBeGreaterThanOrEqual(BARS.accent)
  })

  it("[CONSOLE-8] fifteen themes ship, light and dark, each with its own name", () => {
    const kinds = THEMES.map(kindOf)
    expect(kinds.filter((it) => it === "light").length).toBe(7)
    expect(kinds.filter((it) => it === "dark").length).toBe(8)
    expect(new Set(THEMES.map((it) => it.name)).size).toBe(THEMES.length)
  })
})

describe("appearance settings of this browser", () => {
  it("formatLook and parseLook round-trip, and invalid text is read as the default", () => {
    const look = { mode: "dark", light: "Paper", dark: "Coal", density: "roomy" } as const
    expect(parseLook(formatLook(look))).toEqual(look)
    expect(parseLook("sideways,,,tiny")).toEqual(parseLook(null))
  })

  it("mode system follows the operating system, and an unknown theme name is read as the default theme", () => {
    const look = parseLook("system,Nowhere,Coal,default")
    expect(themeFor(look, true).name).toBe("Coal")
    expect(themeFor(look, false).name).toBe(DEFAULT_THEME.light)
    expect(themeFor({ ...look, mode: "dark", dark: "Paper" }, false).name).toBe(DEFAULT_THEME.dark)
  })
})

function near(a: Oklch, b: Oklch): boolean {
  const isSameHue = Math.abs(a.h - b.h) < 0.5 || a.c < 0.0005
  return Math.abs(a.l - b.l) < 0.0006 && Math.abs(a.c - b.c) < 0.0006 && isSameHue
}

/** A grey of equal luminance is sufficient: contrast depends on luminance alone. */
function fromHex(hex: string): Oklch {
  const [r = 0, g = 0, b = 0] = [0, 2, 4].map((i) => {
    const channel = Number.parseInt(hex.slice(i, i + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return { l: Math.cbrt(0.2126 * r + 0.7152 * g + 0.0722 * b), c: 0, h: 0 }
}
