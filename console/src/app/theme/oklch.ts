export type Oklch = { readonly l: number; readonly c: number; readonly h: number }

type Triple = readonly [number, number, number]

export function contrast(a: Oklch, b: Oklch): number {
  const [darker, lighter] = [luminance(a), luminance(b)].toSorted((x, y) => x - y)
  return ((lighter ?? 0) + 0.05) / ((darker ?? 0) + 0.05)
}

/** Contrast on a background with a translucent overlay, blended per channel as browsers do. */
export function contrastUnderVeil(colour: Oklch, ground: Oklch, veil: TransparentColour): number {
  const below = encoded(ground)
  const above = encoded(veil.colour)
  const blended = below.map((it, i) => it * (1 - veil.alpha) + (above[i] ?? 0) * veil.alpha)
  const [r = 0, g = 0, b = 0] = blended.map((it) => decode(Math.round(it * 255) / 255))
  const lights = [luminance(colour), lightOf([r, g, b])]
  return (Math.max(...lights) + 0.05) / (Math.min(...lights) + 0.05)
}

export type TransparentColour = { readonly colour: Oklch; readonly alpha: number }

/** Same lightness and hue, with the highest chroma that sRGB can show. */
export function insideSrgb(colour: Oklch): Oklch {
  if (isInsideSrgb(colour)) return colour
  let inside = 0
  let outside = colour.c
  // Twelve halvings reach a chroma step of 0.0001, below 8-bit resolution.
  for (let i = 0; i < 12; i++) {
    const middle = (inside + outside) / 2
    if (isInsideSrgb({ ...colour, c: middle })) inside = middle
    else outside = middle
  }
  return { ...colour, c: inside }
}

export function isInsideSrgb(colour: Oklch): boolean {
  // The table of CONSOLE.md has three digits; half of the last digit may exceed the gamut.
  return linearSrgb(colour).every((it) => it >= -0.0015 && it <= 1.0015)
}

export function formatOklch({ l, c, h }: Oklch): string {
  return `oklch(${short(l)} ${short(c)} ${short(h)})`
}

export function parseOklch(text: string): Oklch | undefined {
  const match = /^oklch\((\d+(?:\.\d+)?|\.\d+) (\d+(?:\.\d+)?|\.\d+) (\d+(?:\.\d+)?|\.\d+)\)$/.exec(
    text,
  )
  if (match === null) return undefined
  const [l, c, h] = match.slice(1).map(Number)
  return { l: l ?? 0, c: c ?? 0, h: h ?? 0 }
}

function luminance(colour: Oklch): number {
  return lightOf(quantised(linearSrgb(colour)))
}

function lightOf([r, g, b]: Triple): number {
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function encoded(colour: Oklch): readonly number[] {
  return linearSrgb(colour).map((it) => Math.round(encode(clamp(it)) * 255) / 255)
}

/** Screens have 8 bits per channel; contrast is checked on these values. */
function quantised(linear: Triple): Triple {
  const [r, g, b] = linear.map((it) => decode(Math.round(encode(clamp(it)) * 255) / 255))
  return [r ?? 0, g ?? 0, b ?? 0]
}

/** OKLab to linear sRGB, https://bottosson.github.io/posts/oklab/ */
function linearSrgb({ l, c, h }: Oklch): Triple {
  const a = c * Math.cos((h * Math.PI) / 180)
  const b = c * Math.sin((h * Math.PI) / 180)
  const long = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const middle = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const brief = (l - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * brief,
    -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * brief,
    -0.0041960863 * long - 0.7034186147 * middle + 1.707614701 * brief,
  ]
}

function encode(linear: number): number {
  return linear <= 0.0031308 ? linear * 12.92 : 1.055 * linear ** (1 / 2.4) - 0.055
}

function decode(channel: number): number {
  return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value))
}

function short(value: number): string {
  return String(Math.round(value * 1_000) / 1_000).replace(/^0\./, ".")
}
