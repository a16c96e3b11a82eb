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
