import styles from "../markdown.module.css"
import type { DrawingAnswer, DrawingRequest } from "./messages.ts"

const DRAWING_MS = 5_000
/** 3 MB of script on a busy machine. */
const LOADING_MS = 20_000
/** A larger image makes the browser slow. */
const LARGEST_CHARACTERS = 2_000_000
/** Twenty screens; a hostile diagram would push the rest of the transcript away. */
const LONGEST_SIDE = 20_000
const LONGEST_WORDS = 500

type Answer = Exclude<DrawingAnswer, { kind: "ready" }>

type Frame = { readonly element: HTMLIFrameElement; readonly isReady: Promise<unknown> }

let frame: Frame | undefined

/**
 * Draws one diagram at a time in one frame, created for the first diagram. A frame that does not
 * answer is removed, and the next diagram gets a new one.
 */
export async function askFrame(request: DrawingRequest): Promise<Answer> {
  frame ??= open()
  const { element, isReady } = frame
  if ((await isReady) === undefined)
    return giveUp(request, "The diagram renderer could not be loaded.")
  const answer = receive(element, DRAWING_MS, (it) => "id" in it && it.id === request.id)
  // A frame without an origin can be addressed only by "*".
  element.contentWindow?.postMessage(request, "*")
  const response = await answer
  if (response === undefined || response.kind === "ready") {
    return giveUp(request, "The layout takes longer than 5 seconds.")
  }
  return response
}

function open(): Frame {
  const element = document.createElement("iframe")
  element.setAttribute("sandbox", "allow-scripts")
  element.src = "/diagram.html"
  element.title = "Diagram renderer"
  element.inert = true
  element.tabIndex = -1
  element.className = styles.corner ?? ""
  const isReady = receive(element, LOADING_MS, (it) => it.kind === "ready")
  document.body.append(element)
  return { element, isReady }
}

function giveUp({ id }: DrawingRequest, reason: string): Answer {
  frame?.element.remove()
  frame = undefined
  return { kind: "refused", id, says: reason }
}

function receive(
  element: HTMLIFrameElement,
  timeoutMs: number,
  isIt: (answer: DrawingAnswer) => boolean,
): Promise<DrawingAnswer | undefined> {
  return new Promise((resolve) => {
    const end = (answer?: DrawingAnswer) => {
      window.clearTimeout(timer)
      removeEventListener("message", listen)
      resolve(answer)
    }
    const listen = (event: MessageEvent<unknown>) => {
      if (event.source !== element.contentWindow) return
      const answer = readAnswer(event.data)
      if (answer !== undefined && isIt(answer)) end(answer)
    }
    const timer = window.setTimeout(end, timeoutMs)
    addEventListener("message", listen)
  })
}

export function readAnswer(data: unknown): DrawingAnswer | undefined {
  if (typeof data !== "object" || data === null) return undefined
  const message: Readonly<Record<string, unknown>> = { ...data }
  const { kind, id } = message
  if (kind === "ready") return { kind }
  if (typeof id !== "number") return undefined
  if (kind === "drawn") return readPicture(id, message)
  if (kind !== "refused" || typeof message["says"] !== "string") return undefined
  return { kind, id, says: message["says"].slice(0, LONGEST_WORDS) }
}

function readPicture(id: number, message: Readonly<Record<string, unknown>>): Answer | undefined {
  const { svg, width, height } = message
  if (typeof svg !== "string" || !isSide(width) || !isSide(height)) return undefined
  if (svg.length > LARGEST_CHARACTERS) {
    return { kind: "refused", id, says: "The image is larger than 2 MB." }
  }
  if (Math.max(width, height) > LONGEST_SIDE) {
    return { kind: "refused", id, says: `The image is larger than ${LONGEST_SIDE} pixels.` }
  }
  return { kind: "drawn", id, svg, width, height }
}

function isSide(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > 0
}
