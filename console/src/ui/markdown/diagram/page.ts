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

async function draw({ id, source, look }: DrawingRequest): Promise<DrawingAnswer> {
  mermaid.initialize(settingsFor(look))
  const corner = document.createElement("div")
  document.body.append(corner)
  try {
    const { svg } = await mermaid.render(`diagram-${id}`, source, corner)
    return toPicture(id, svg)
  } catch (error) {
    return { kind: "refused", id, says: error instanceof Error ? error.message : String(error) }
  } finally {
    // Also removes what the library leaves behind when it fails.
    document.body.replaceChildren()
  }
}

/** The library writes HTML with the size of its page; an image must be XML with its own size. */
function toPicture(id: number, text: string): DrawingAnswer {
  const svg = new DOMParser().parseFromString(text, "text/html").querySelector("svg")
  if (svg === null) return { kind: "refused", id, says: "The renderer returned no image." }
  const { width, height } = svg.viewBox.baseVal
  const [shownWidth, shownHeight] = [Math.ceil(width) || 300, Math.ceil(height) || 150]
  svg.setAttribute("width", String(shownWidth))
  svg.setAttribute("height", String(shownHeight))
  const made = new XMLSerializer().serializeToString(svg)
  return { kind: "drawn", id, svg: made, width: shownWidth, height: shownHeight }
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
    theme: look === "dark" ? "dark" : "neutral",
    fontFamily: "sans-serif",
    fontSize: 14,
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
