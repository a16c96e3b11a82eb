/** Keeps references to what passes, up to a cap; nothing is copied and nothing is read here. */
export type Tap = {
  keep(chunk: Buffer): void
  chunks(): readonly Buffer[]
  /** All in one; copied when there is more than one. */
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
      if (chunks.length !== 1) chunks = [Buffer.concat(chunks)]
      return chunks[0] ?? Buffer.alloc(0)
    },
    isWhole: () => isWhole,
    drop() {
      chunks = []
    },
  }
}
