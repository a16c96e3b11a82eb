/**
 * The script of /diagram.html, which lays out diagrams. It runs in a frame without the console's
 * origin, so it has no session and no storage and can talk only to the console; its policy allows
 * this one script and loads nothing.
 */
import mermaid from "mermaid"
import type { DiagramLook, DrawingAnswer, DrawingRequest } from "./messages.ts"

addEventListener("message", (event: MessageEvent<DrawingRequest>) => {
  if (event.source === parent && parent !== window) void draw(event.data).then(tell)
})
tell({ kind: "ready" })

async function draw({ id, source, look, font }: DrawingRequest): Promise<DrawingAnswer> {
  await loadFont(font)
  mermaid.initialize(settingsFor(look))
  const corner = document.createElement("div")
  document.body.append(corner)
  try {
    const { svg } = await mermaid.render(`diagram-${id}`, source, corner)
    return toPicture(id, svg, font)
  } catch (error) {
    return { kind: "refused", id, says: error instanceof Error ? error.message : String(error) }
  } finally {
    // Also removes what the library leaves behind when it fails.
    document.body.replaceChildren()
  }
}

/** The library writes HTML with the size of its page; an image must be XML with its own size. */
function toPicture(id: number, text: string, font: ArrayBuffer | undefined): DrawingAnswer {
  const svg = new DOMParser().parseFromString(text, "text/html").querySelector("svg")
  if (svg === null) return { kind: "refused", id, says: "The renderer returned no image." }
  const { width, height } = svg.viewBox.baseVal
  const [shownWidth, shownHeight] = [Math.ceil(width) || 300, Math.ceil(height) || 150]
  svg.setAttribute("width", String(shownWidth))
  svg.setAttribute("height", String(shownHeight))
  if (font !== undefined) svg.prepend(fontFace(font))
  const made = new XMLSerializer().serializeToString(svg)
  return { kind: "drawn", id, svg: made, width: shownWidth, height: shownHeight }
}

let hasFont = false

/** So that the library measures its texts with the font that the image is shown in. */
async function loadFont(font: ArrayBuffer | undefined): Promise<void> {
  if (font === undefined || hasFont) return
  hasFont = true
  const face = new FontFace(FONT, font.slice(), { weight: "100 900" })
  document.fonts.add(await face.load().catch(() => face))
}

/** An image loads nothing, so it contains its font. */
function fontFace(font: ArrayBuffer): Element {
  const style = document.createElementNS("http://www.w3.org/2000/svg", "style")
  const bytes = btoa(Array.from(new Uint8Array(font), (it) => String.fromCharCode(it)).join(""))
  style.textContent = `@font-face { font-family: "${FONT}"; font-weight: 100 900; src: url(data:font/woff2;base64,${bytes}) format("woff2"); }`
  return style
}

const FONT = "Geist"

/** The console's colours (ui/tokens.css); the frame has no stylesheet. */
const COLOURS = {
  light: { fill: "#ecf0fd", edge: "#8f99e8", text: "#1c1f25", line: "#686c74", note: "#f2f3f5" },
  dark: { fill: "#212644", edge: "#5664d3", text: "#e6e8ec", line: "#8d9198", note: "#1f2024" },
} as const

function themeOf(look: DiagramLook) {
  const { fill, edge, text, line, note } = COLOURS[look]
  return {
    darkMode: look === "dark",
    background: look === "dark" ? "#16171a" : "#ffffff",
    fontFamily: `${FONT}, sans-serif`,
    fontSize: "13px",
    primaryColor: fill,
    primaryBorderColor: edge,
    primaryTextColor: text,
    textColor: text,
    titleColor: text,
    lineColor: line,
    edgeLabelBackground: note,
    clusterBkg: note,
    clusterBorder: line,
    noteBkgColor: note,
    noteBorderColor: line,
    noteTextColor: text,
    actorBkg: fill,
    actorBorder: edge,
    actorTextColor: text,
    dropShadow: "none",
  }
}

function tell(answer: DrawingAnswer): void {
  parent.postMessage(answer, "*")
}

function settingsFor(look: DiagramLook) {
  return {
    startOnLoad: false,
    securityLevel: "strict",
    suppressErrorRendering: true,
    // The other layout is not shipped (console/dev/diagram-page.ts).
    layout: "dagre",
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    theme: "base",
    themeVariables: themeOf(look),
    fontFamily: `${FONT}, sans-serif`,
    fontSize: 13,
    logLevel: "fatal",
    secure: OURS,
  } as const
}

/**
 * Options that a diagram may not set: the library's own list, and those that are unsafe or not
 * shipped.
 */
const OURS = [
  "secure",
  "securityLevel",
  "startOnLoad",
  "maxTextSize",
  "maxEdges",
  "suppressErrorRendering",
  "layout",
  "htmlLabels",
  "themeCSS",
  "fontFamily",
  "altFontFamily",
  "logLevel",
  "dompurifyConfig",
]
