/**
 * Draws a diagram with the mermaid library. The library writes markup into a document, which our
 * policy forbids, so it runs in its own frame (diagram/page.ts); its result comes back as text and
 * is shown only as an image, which runs no script and loads nothing.
 */
import fontUrl from "@fontsource-variable/geist/files/geist-latin-wght-normal.woff2?url"
import { askFrame } from "./diagram/frame.ts"
import type { DiagramLook } from "./diagram/messages.ts"

export type Drawing =
  | {
      readonly kind: "drawn"
      readonly url: string
      readonly width: number
      readonly height: number
    }
  | { readonly kind: "refused"; readonly says: string }

const KEPT_DRAWINGS = 50
/** Longer sources take seconds to lay out. */
const LONGEST_CHARACTERS = 20_000

const drawings = new Map<string, Drawing>()
let last: Promise<unknown> = Promise.resolve()
let requestCount = 0

export type DiagramRequest = {
  readonly source: string
  readonly look: DiagramLook
  readonly signal: AbortSignal
}

/**
 * One at a time, in order of appearance; undefined if the component was removed in the meantime.
 */
export async function drawDiagram(request: DiagramRequest): Promise<Drawing | undefined> {
  const key = `${request.look} ${request.source}`
  const cached = drawings.get(key)
  if (cached !== undefined) return cached
  const drawing = last.then(() =>
    request.signal.aborted ? undefined : (drawings.get(key) ?? drawNow(request)),
  )
  last = Promise.allSettled([drawing])
  const drawn = await drawing
  if (drawn !== undefined) keep(key, drawn)
  return drawn
}

let font: Promise<ArrayBuffer | undefined> | undefined

/** Without it, the diagram has the browser's font. */
function consoleFont(): Promise<ArrayBuffer | undefined> {
  font ??= fetch(fontUrl)
    .then((response) => (response.ok ? response.arrayBuffer() : undefined))
    .catch(() => undefined)
  return font
}

async function drawNow({ source, look }: DiagramRequest): Promise<Drawing> {
  if (source.length > LONGEST_CHARACTERS) {
    return { kind: "refused", says: `The source is longer than ${LONGEST_CHARACTERS} characters.` }
  }
  const answer = await askFrame({ id: ++requestCount, source, look, font: await consoleFont() })
  if (answer.kind === "refused") return answer
  const { svg, width, height } = answer
  const url = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
  return { kind: "drawn", url, width, height }
}

function keep(key: string, drawing: Drawing): void {
  drawings.set(key, drawing)
  const [oldest] = drawings.keys()
  if (drawings.size > KEPT_DRAWINGS && oldest !== undefined) drawings.delete(oldest)
}
