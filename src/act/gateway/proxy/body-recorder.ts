import type { ClientRequest, IncomingMessage } from "node:http"
import { trailersOf } from "./headers.ts"

/** References chunks up to a cap; copies and reads nothing. */
export type BodyRecorder = {
  keep(chunk: Buffer): void
  chunks(): readonly Buffer[]
  /** Copied only when there are several, into memory shared with other threads. */
  joined(): Buffer
  /** False from the first chunk that exceeds the cap. */
  isWhole(): boolean
  drop(): void
}

export function createBodyRecorder(largestBytes: number): BodyRecorder {
  let chunks: Buffer[] = []
  let keptBytes = 0
  let isWhole = true
  return {
    keep(chunk) {
      isWhole &&= keptBytes + chunk.length <= largestBytes
      if (!isWhole) return
      keptBytes += chunk.length
      chunks.push(chunk)
    },
    chunks: () => chunks,
    joined() {
      if (chunks.length !== 1) chunks = [joinedInShared(chunks, keptBytes)]
      return chunks[0] ?? Buffer.alloc(0)
    },
    isWhole: () => isWhole,
    drop() {
      chunks = []
    },
  }
}

/** Shared, because copying it again for the reader thread would cost every large request. */
function joinedInShared(chunks: readonly Buffer[], sizeBytes: number): Buffer {
  const joined = Buffer.from(new SharedArrayBuffer(sizeBytes))
  let at = 0
  for (const chunk of chunks) at += chunk.copy(joined, at)
  return joined
}

/** Providers refuse above 32 MB; larger bodies are still forwarded. */
const LARGEST_KEPT_BODY_BYTES = 64 * 1024 * 1024

export type Upload = ReturnType<typeof createUpload>

export function createUpload(request: IncomingMessage) {
  const recorder = createBodyRecorder(LARGEST_KEPT_BODY_BYTES)
  let sizeBytes = 0
  let isEnded = false
  let target: ClientRequest | undefined
  let whenRead = () => {}

  request.on("data", (chunk: Buffer) => {
    sizeBytes += chunk.length
    recorder.keep(chunk)
    if (!recorder.isWhole()) {
      // The body is too large: forward what there is, then drop it.
      whenRead()
      recorder.drop()
    }
    if (target !== undefined && !target.write(chunk)) request.pause()
  })
  request.on("end", () => {
    isEnded = true
    if (target !== undefined) finish(request, target)
    whenRead()
  })

  const isWhole = () => isEnded && recorder.isWhole()
  return {
    onRead(then: () => void): void {
      whenRead = callOnce(then)
    },
    /** Writes the stored chunks, then those that arrive, with backpressure. */
    pourInto(next: ClientRequest): void {
      target = next
      const hasRoom = writeAll(recorder.chunks(), next)
      next.on("drain", () => void (target === next && request.resume()))
      if (isEnded) finish(request, next)
      else if (hasRoom) request.resume()
      else request.pause()
    },
    /** Drains the rest so that the host can finish. */
    discard(): void {
      target = undefined
      whenRead = () => {}
      request.resume()
    },
    isWhole,
    isKept: recorder.isWhole,
    sizeBytes: () => sizeBytes,
    body: () => (isWhole() ? recorder.joined() : Buffer.alloc(0)),
  }
}

function writeAll(chunks: readonly Buffer[], target: ClientRequest): boolean {
  let hasRoom = true
  for (const chunk of chunks) hasRoom = target.write(chunk)
  return hasRoom
}

function finish(request: IncomingMessage, target: ClientRequest): void {
  if (request.rawTrailers.length > 0) target.addTrailers(trailersOf(request.rawTrailers))
  target.end()
}

function callOnce(act: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    act()
  }
}
