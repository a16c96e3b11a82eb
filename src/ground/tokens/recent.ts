import { ownCopy } from "#ground/base"

/** What one entry of a Map costs beside its key: the slot, the value, the string's own header. */
const ENTRY_BYTES = 64

/** Remembers the values of the keys used last, bounded in entries and in bytes of keys. */
export function createRecent<Value>(limits: { maxEntries: number; maxBytes: number }) {
  const values = new Map<string, Value>()
  let bytes = 0

  const forgetOldest = () => {
    for (const oldest of values.keys()) {
      values.delete(oldest)
      bytes -= sizeOf(oldest)
      return
    }
  }
  return {
    get(key: string): Value | undefined {
      const value = values.get(key)
      if (value === undefined) return undefined
      values.delete(key)
      values.set(key, value)
      return value
    },
    set(key: string, value: Value): void {
      if (values.delete(key)) bytes -= sizeOf(key)
      // A word is a slice of the text it stood in, which must not live as long as the word.
      values.set(ownCopy(key), value)
      bytes += sizeOf(key)
      while (values.size > limits.maxEntries || bytes > limits.maxBytes) forgetOldest()
    },
    size: () => ({ entries: values.size, bytes }),
  }
}

function sizeOf(key: string): number {
  return 2 * key.length + ENTRY_BYTES
}
