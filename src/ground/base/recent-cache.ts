type RecentCache<Key, Value> = {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): void
}

/**
 * Keeps the values that were used last, up to a total size. A value that alone is larger is not
 * kept. Sizes are at least 1 and must not change.
 */
export function createRecentCache<Key, Value extends {}>(bounds: {
  readonly maxSize: number
  sizeOf(value: Value, key: Key): number
}): RecentCache<Key, Value> {
  // A map iterates in the order of insertion, so its first key is the least recently used.
  const values = new Map<Key, Value>()
  let size = 0
  const drop = (key: Key, value: Value): void => {
    values.delete(key)
    size -= bounds.sizeOf(value, key)
  }
  return {
    get(key) {
      const value = values.get(key)
      if (value === undefined) return undefined
      values.delete(key)
      values.set(key, value)
      return value
    },
    set(key, value) {
      const before = values.get(key)
      if (before !== undefined) drop(key, before)
      const added = bounds.sizeOf(value, key)
      if (added > bounds.maxSize) return
      values.set(key, value)
      size += added
      for (const [oldKey, oldValue] of values) {
        if (size <= bounds.maxSize) return
        drop(oldKey, oldValue)
      }
    },
  }
}
