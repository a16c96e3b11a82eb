/**
 * Draws a diagram with the mermaid library. The library writes markup into a document, which our
 * policy forbids, so it runs in its own frame (diagram/page.ts); its result comes back as text and
 * is shown only as an image, which runs no script and loads nothing.
 */
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

const kept = new Map<string, Drawing>()
let last: Promise<unknown> = Promise.resolve()
let asked = 0

export type DiagramRequest = {
  readonly source: string
  readonly look: DiagramLook
  readonly signal: AbortSignal
}

/**
 * One at a time, in order of appearance; undefined if the component was removed in the meantime.
 */
export async function drawDiagram(wanted: DiagramRequest): Promise<Drawing | undefined> {
  const key = `${wanted.look} ${wanted.source}`
  const known = kept.get(key)
  if (known !== undefined) return known
  const drawing = last.then(() =>
    wanted.signal.aborted ? undefined : (kept.get(key) ?? drawNow(wanted)),
  )
  last = Promise.allSettled([drawing])
  const drawn = await drawing
  if (drawn !== undefined) keep(key, drawn)
  return drawn
}

async function drawNow({ source, look }: DiagramRequest): Promise<Drawing> {
  if (source.length > LONGEST_CHARACTERS) {
    return { kind: "refused", says: `The source is longer than ${LONGEST_CHARACTERS} characters.` }
  }
  const answer = await askFrame({ id: ++asked, source, look })
  if (answer.kind === "refused") return answer
  const { svg, width, height } = answer
  const url = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
  return { kind: "drawn", url, width, height }
}

function keep(key: string, drawing: Drawing): void {
  kept.set(key, drawing)
  const [oldest] = kept.keys()
  if (kept.size > KEPT_DRAWINGS && oldest !== undefined) kept.delete(oldest)
}
