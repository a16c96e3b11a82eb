import type { ClientRequest, IncomingMessage } from "node:http"
import { trailersOf } from "./headers.ts"

/** Keeps references to what passes, up to a cap; nothing is copied and nothing is read here. */
export type Tap = {
  keep(chunk: Buffer): void
  chunks(): readonly Buffer[]
  /** All in one; copied when there is more than one, into memory that other threads may see. */
  joined(): Buffer
  /** False from the first chunk on that would have gone over the cap. */
  isWhole(): boolean
  drop(): void
}

export function createTap(largestBytes: number): Tap {
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

/** Read by another thread later on: copied a second time it would cost every large request. */
function joinedInShared(chunks: readonly Buffer[], sizeBytes: number): Buffer {
  const joined = Buffer.from(new SharedArrayBuffer(sizeBytes))
  let at = 0
  for (const chunk of chunks) at += chunk.copy(joined, at)
  return joined
}

/**
 * The largest body that is kept or folded; providers refuse above 32 MB. Beyond it a body is still
 * passed on.
 */
const LARGEST_KEPT_BODY_BYTES = 64 * 1024 * 1024

/** The body of a request on its way in: kept by reference up to a cap, poured on as it comes. */
export type Upload = ReturnType<typeof createUpload>

export function createUpload(request: IncomingMessage) {
  const kept = createTap(LARGEST_KEPT_BODY_BYTES)
  let sizeBytes = 0
  let isEnded = false
  let target: ClientRequest | undefined
  let whenRead = () => {}

  request.on("data", (chunk: Buffer) => {
    sizeBytes += chunk.length
    kept.keep(chunk)
    if (!kept.isWhole()) {
      // Whoever waits for all of it pours on what there is, and then that goes.
      whenRead()
      kept.drop()
    }
    if (target !== undefined && !target.write(chunk)) request.pause()
  })
  request.on("end", () => {
    isEnded = true
    if (target !== undefined) finish(request, target)
    whenRead()
  })

  const isWhole = () => isEnded && kept.isWhole()
  return {
    /** At the end, or as soon as it is too large to be kept. */
    onRead(then: () => void): void {
      whenRead = callOnce(then)
    },
    /** What was kept so far, then what comes. The sender is held back while the target is full. */
    pourInto(next: ClientRequest): void {
      target = next
      const hasRoom = writeAll(kept.chunks(), next)
      next.on("drain", () => void (target === next && request.resume()))
      if (isEnded) finish(request, next)
      else if (hasRoom) request.resume()
      else request.pause()
    },
    /** Nobody wants the rest; it is read away so that the host can finish. */
    discard(): void {
      target = undefined
      whenRead = () => {}
      request.resume()
    },
    isWhole,
    isKept: kept.isWhole,
    sizeBytes: () => sizeBytes,
    body: () => (isWhole() ? kept.joined() : Buffer.alloc(0)),
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
