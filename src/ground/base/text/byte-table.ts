const FIRST_ARENA_BYTES = 65_536

/**
 * Numbers words by their bytes, from 0 in the order of their first use. For loops over millions of
 * words: finding one creates no string.
 */
type ByteTable = {
  size(): number
  /** Equal to the size before the call when the word is new. */
  numberOf(bytes: Uint8Array, from: number, to: number): number
  clear(): void
}

/** The caller clears it before it has `most` words. */
export function createByteTable(most: number): ByteTable {
  const mask = 2 ** Math.ceil(Math.log2(most * 2)) - 1
  // The number of a word plus one; 0 is free.
  const slots = new Uint32Array(mask + 1)
  const hashes = new Int32Array(most)
  const ends = new Uint32Array(most + 1)
  let arena = new Uint8Array(FIRST_ARENA_BYTES)
  let size = 0

  const lengthOf = (word: number) => (ends[word + 1] ?? 0) - (ends[word] ?? 0)
  const beginsWith = (word: number, bytes: Uint8Array, from: number): boolean => {
    const end = ends[word + 1] ?? 0
    for (let at = ends[word] ?? 0, index = from; at < end; at++, index++) {
      if (arena[at] !== bytes[index]) return false
    }
    return true
  }
  const add = (bytes: Uint8Array, from: number, to: number) => {
    const at = ends[size] ?? 0
    const end = at + to - from
    if (end > arena.length) {
      const larger = new Uint8Array(Math.max(end, arena.length * 2))
      larger.set(arena)
      arena = larger
    }
    for (let index = from; index < to; index++) arena[at + index - from] = bytes[index] ?? 0
    size++
    ends[size] = end
  }
  return {
    size: () => size,
    numberOf(bytes, from, to) {
      let hash = 0x811c9dc5
      for (let index = from; index < to; index++) {
        hash = Math.imul(hash ^ (bytes[index] ?? 0), 0x01000193)
      }
      hash ^= hash >>> 15
      let slot = hash & mask
      for (let word = (slots[slot] ?? 0) - 1; word >= 0; word = (slots[slot] ?? 0) - 1) {
        const isLike = hashes[word] === hash && lengthOf(word) === to - from
        if (isLike && beginsWith(word, bytes, from)) return word
        slot = (slot + 1) & mask
      }
      hashes[size] = hash
      add(bytes, from, to)
      slots[slot] = size
      return size - 1
    },
    clear() {
      slots.fill(0)
      size = 0
    },
  }
}
