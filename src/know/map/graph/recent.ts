/** The last things that were asked for, up to a weight of all of them together. */
export function createRecent<Key, Value>(options: {
  readonly most: number
  weightOf?(value: Value): number
}) {
  const kept = new Map<Key, Value>()
  const weightOf = options.weightOf ?? (() => 1)
  let weight = 0

  function forget(key: Key): void {
    const value = kept.get(key)
    if (value === undefined) return
    weight -= weightOf(value)
    kept.delete(key)
  }

  return {
    get(key: Key): Value | undefined {
      const value = kept.get(key)
      if (value === undefined) return undefined
      kept.delete(key)
      kept.set(key, value)
      return value
    },
    set(key: Key, value: Value): void {
      forget(key)
      kept.set(key, value)
      weight += weightOf(value)
      for (const oldest of kept.keys()) {
        if (weight <= options.most) return
        forget(oldest)
      }
    },
  }
}
