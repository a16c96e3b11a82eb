const FIRST_ARENA_BYTES = 65_536

/**
 * Numbers words by their bytes, from 0 in the order of their first use. For loops over millions of
 * words: finding one creates no string.
 */
type ByteTable = {
  size(): number
  /** Equal to the size before the call when the word is new. */
  numberOf(bytes: Uint8Array, from: number, to: number): number
  /** The word of a number, read as UTF-8. */
  textOf(word: number): string
  clear(): void
}

/** Has room for `expected` words, and doubles when there are more. */
export function createByteTable(expected: number): ByteTable {
  let mask = 2 ** Math.ceil(Math.log2(expected * 2)) - 1
  // The number of a word plus one; 0 is free.
  let slots = new Uint32Array(mask + 1)
  let hashes = new Int32Array(expected)
  let ends = new Uint32Array(expected + 1)
  let arena = Buffer.allocUnsafeSlow(FIRST_ARENA_BYTES)
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
      const larger = Buffer.allocUnsafeSlow(Math.max(end, arena.length * 2))
      larger.set(arena)
      arena = larger
    }
    for (let index = from; index < to; index++) arena[at + index - from] = bytes[index] ?? 0
    size++
    ends[size] = end
  }
  const freeSlot = (hash: number) => {
    let slot = hash & mask
    while (slots[slot] !== 0) slot = (slot + 1) & mask
    return slot
  }
  const makeRoom = () => {
    mask = mask * 2 + 1
    slots = new Uint32Array(mask + 1)
    hashes = enlarged(hashes, new Int32Array(size * 2))
    ends = enlarged(ends, new Uint32Array(size * 2 + 1))
    for (let word = 0; word < size; word++) slots[freeSlot(hashes[word] ?? 0)] = word + 1
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
      if (size === hashes.length) {
        makeRoom()
        slot = freeSlot(hash)
      }
      hashes[size] = hash
      add(bytes, from, to)
      slots[slot] = size
      return size - 1
    },
    textOf: (word) => arena.toString("utf8", ends[word], ends[word + 1]),
    clear() {
      slots.fill(0)
      size = 0
    },
  }
}

function enlarged<List extends Int32Array | Uint32Array>(list: List, larger: List): List {
  larger.set(list)
  return larger
}
