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

/**
 * With the expected number of bytes, chunks are copied as they arrive, so that joining them does not
 * delay the request.
 */
export function createBodyRecorder(largestBytes: number, expectedBytes = 0): BodyRecorder {
  const isExpected = expectedBytes > 0 && expectedBytes <= largestBytes
  let prepared = isExpected ? Buffer.from(new SharedArrayBuffer(expectedBytes)) : undefined
  let chunks: Buffer[] = []
  let keptBytes = 0
  let isWhole = true
  return {
    keep(chunk) {
      isWhole &&= keptBytes + chunk.length <= largestBytes
      if (!isWhole) return
      const before = keptBytes
      keptBytes += chunk.length
      if (prepared !== undefined && keptBytes <= prepared.length) {
        chunk.copy(prepared, before)
        chunks = [prepared.subarray(0, keptBytes)]
      } else {
        prepared = undefined
        chunks.push(chunk)
      }
    },
    chunks: () => chunks,
    joined() {
      if (chunks.length !== 1) chunks = [joinedInShared(chunks, keptBytes)]
      return chunks[0] ?? Buffer.alloc(0)
    },
    isWhole: () => isWhole,
    drop() {
      chunks = []
      prepared = undefined
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

/** Pausing for each chunk would make a large body wait for the event loop that often. */
const MOST_QUEUED_BYTES = 1024 * 1024

/** Providers refuse above 32 MB; larger bodies are still forwarded. */
const LARGEST_KEPT_BODY_BYTES = 64 * 1024 * 1024

export type Upload = ReturnType<typeof createUpload>

export function createUpload(request: IncomingMessage, expectedBytes = 0) {
  const recorder = createBodyRecorder(LARGEST_KEPT_BODY_BYTES, expectedBytes)
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
    if (target !== undefined && !target.write(chunk) && isFull(target)) request.pause()
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
      for (const chunk of recorder.chunks()) next.write(chunk)
      next.on("drain", () => void (target === next && request.resume()))
      if (isEnded) finish(request, next)
      else if (isFull(next)) request.pause()
      else request.resume()
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

function isFull(target: ClientRequest): boolean {
  return target.writableLength > MOST_QUEUED_BYTES
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
