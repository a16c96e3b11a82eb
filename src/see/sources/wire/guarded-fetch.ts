import type { FetchLike } from "@modelcontextprotocol/client"
import { FRAME_TOO_LARGE, LARGEST_FRAME_BYTES } from "../limits.ts"

/** Sent by a server between two of our requests. */
const MOST_UNASKED_BYTES = 64_000_000

type Guard = {
  /** Ends the connection: the package would wait for the rest of a stream until the timeout. */
  onProblem(problem: string): void
}

/** A request without redirects, whose response has at most the size of one message. */
export function guardedPost({ onProblem }: Guard): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, { ...init, redirect: "error" })
    return withBody(response, limitResponse(onProblem))
  }
}

/**
 * The stream of an SSE server, opened once. Each event has at most the size of one message, and
 * `resetUnasked` is called with each request.
 */
export function guardedStream({ onProblem }: Guard) {
  let unaskedBytes = 0
  let isOpened = false
  const open: FetchLike = async (url, init) => {
    // The package reconnects when a stream ends; a source is connected again by its next call.
    if (isOpened) return new Response(null, { status: 204 })
    isOpened = true
    const response = await fetch(url, { ...init, redirect: "error" })
    const events = limitEvents({
      onProblem,
      onBytes(bytes) {
        unaskedBytes += bytes
        return unaskedBytes <= MOST_UNASKED_BYTES
      },
    })
    return withBody(response, events)
  }
  return {
    open,
    resetUnasked(): void {
      unaskedBytes = 0
    },
  }
}

type Bytes = Uint8Array<ArrayBuffer>
type ByteStream = TransformStream<Bytes, Bytes>

function withBody(response: Response, through: ByteStream): Response {
  const { status, statusText, headers } = response
  const body = response.body === null ? null : response.body.pipeThrough(through)
  return new Response(body, { status, statusText, headers })
}

function limitResponse(onProblem: Guard["onProblem"]): ByteStream {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes <= LARGEST_FRAME_BYTES) return controller.enqueue(chunk)
      onProblem(FRAME_TOO_LARGE)
      controller.error(new Error(FRAME_TOO_LARGE))
    },
  })
}

type EventGuard = Guard & { onBytes(bytes: number): boolean }

function limitEvents({ onProblem, onBytes }: EventGuard): ByteStream {
  let eventBytes = 0
  let tail = Buffer.alloc(0)
  return new TransformStream({
    transform(chunk, controller) {
      const text = Buffer.concat([tail, chunk])
      const end = endOfLastEvent(text)
      // Without the tail, which the last chunk has counted.
      eventBytes = end === undefined ? eventBytes + chunk.byteLength : text.length - end
      tail = text.subarray(Math.max(0, text.length - 3))
      const problem = problemOf(eventBytes, onBytes(chunk.byteLength))
      if (problem === undefined) return controller.enqueue(chunk)
      onProblem(problem)
      controller.error(new Error(problem))
    },
    flush: () => onProblem("it closed the connection"),
  })
}

function problemOf(eventBytes: number, isWithinTotal: boolean): string | undefined {
  if (eventBytes > LARGEST_FRAME_BYTES) return FRAME_TOO_LARGE
  return isWithinTotal ? undefined : "it sent too many unsolicited messages"
}

/** An event ends with an empty line, in any of the three line ends. */
function endOfLastEvent(text: Buffer): number | undefined {
  const ends = ["\n\n", "\r\n\r\n", "\r\r"].map((it) => {
    const at = text.lastIndexOf(it)
    return at === -1 ? -1 : at + it.length
  })
  const last = Math.max(...ends)
  return last === -1 ? undefined : last
}
