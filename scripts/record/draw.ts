import type { ScreenLine } from "./screen.ts"

export type Scene = { readonly typed: string; readonly lines: readonly ScreenLine[] }

type TerminalSize = { readonly columns: number; readonly rows: number }

const LINE_PX = 18
const CHARACTER_PX = 7.8
const EDGE_PX = 20
const BAR_PX = 30

/** Letters appear in groups, so that the picture stays small. */
const LETTERS_A_STEP = 4
const STEP_MS = 90
const RUN_MS = 500
/** Long enough to read what the command printed. */
const READ_MS = 5_500

const STYLES: Readonly<Record<string, string>> = {
  "1": "font-weight:600",
  "2": "fill:#6b6f76",
  "31": "fill:#c2272d",
  "32": "fill:#177a40",
  "33": "fill:#94610e",
  "38;5;43": "fill:#128a80",
  "38;5;75": "fill:#24729d",
  "38;5;78": "fill:#177a40",
  "38;5;105": "fill:#4e5ad7",
  "38;5;106": "fill:#5f7a1a",
  "38;5;140": "fill:#7d5bb0",
  "38;5;168": "fill:#b0406f",
  "38;5;173": "fill:#a85a28",
  "38;5;176": "fill:#9a4f9a",
  "38;5;179": "fill:#8a6a14",
  "38;5;245": "fill:#6b6f76",
}

type Frame = { readonly lines: readonly ScreenLine[]; readonly ms: number }

/** One group of lines per frame; a style sheet shows each for its time, again and again. */
export function drawRecording(scenes: readonly Scene[], size: TerminalSize): string {
  const frames = scenes.flatMap((it) => framesOf(it, size))
  const wholeMs = frames.reduce((sum, it) => sum + it.ms, 0)
  const width = Math.ceil(size.columns * CHARACTER_PX + 2 * EDGE_PX)
  const height = size.rows * LINE_PX + BAR_PX + 2 * EDGE_PX
  let startMs = 0
  const drawn = frames.map((frame, index) => {
    const from = (startMs / wholeMs) * 100
    startMs += frame.ms
    const until = (startMs / wholeMs) * 100
    const keys = `@keyframes f${index}{0%{visibility:hidden}${percent(from)}{visibility:visible}${percent(until)}{visibility:hidden}100%{visibility:hidden}}`
    const lines = frame.lines.map(drawLine).join("")
    return {
      css: `${keys}#f${index}{animation:f${index} ${wholeMs}ms step-end infinite}`,
      group: `<g id="f${index}" class="f">${lines}</g>`,
    }
  })
  // Without motion the last screen is shown.
  const still = `@media (prefers-reduced-motion:reduce){.f{animation:none!important;visibility:hidden}#f${frames.length - 1}{visibility:visible}}`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="A terminal session: ${escape(scenes.map((it) => it.typed).join(", "))}">
<style>text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#1c1f25;white-space:pre}.f{visibility:hidden}${drawn.map((it) => it.css).join("")}${still}</style>
<rect width="${width}" height="${height}" rx="8" fill="#fbfbfa" stroke="#d5d7db"/>
<circle cx="18" cy="16" r="5" fill="#d5d7db"/><circle cx="36" cy="16" r="5" fill="#d5d7db"/><circle cx="54" cy="16" r="5" fill="#d5d7db"/>
${drawn.map((it) => it.group).join("\n")}
</svg>
`
}

function framesOf({ typed, lines }: Scene, { columns, rows }: TerminalSize): readonly Frame[] {
  const steps = Math.ceil(typed.length / LETTERS_A_STEP)
  const typing = Array.from({ length: steps }, (_, i) => ({
    lines: [promptLine(typed.slice(0, (i + 1) * LETTERS_A_STEP), columns)],
    ms: i === steps - 1 ? RUN_MS : STEP_MS,
  }))
  const shown = lines.slice(0, rows - 3)
  const left = lines.length - shown.length
  const more = left > 0 ? [[{ text: `… ${left} more lines`, styles: ["2"] }]] : []
  return [...typing, { lines: [promptLine(typed, columns), [], ...shown, ...more], ms: READ_MS }]
}

function promptLine(typed: string, columns: number): ScreenLine {
  return [
    { text: "$ ", styles: ["2"] },
    { text: typed.slice(0, columns - 2), styles: ["1"] },
  ]
}

function drawLine(pieces: ScreenLine, row: number): string {
  const y = BAR_PX + EDGE_PX + row * LINE_PX
  let column = 0
  return pieces
    .map(({ text, styles }) => {
      const x = EDGE_PX + column * CHARACTER_PX
      column += [...text].length
      if (text.trim() === "") return ""
      const style = styles.flatMap((it) => STYLES[it] ?? []).join(";")
      const length = Math.round([...text].length * CHARACTER_PX * 10) / 10
      const look = style === "" ? "" : ` style="${style}"`
      return `<text x="${Math.round(x * 10) / 10}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs" xml:space="preserve"${look}>${escape(text)}</text>`
    })
    .join("")
}

function percent(share: number): string {
  return `${Math.round(share * 1_000) / 1_000}%`
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
