import { LRUCache } from "lru-cache"
import { MOST_KEPT_FACTS, MOST_KEPT_NAMES } from "../limits.ts"
import type { Content, IndexedTree } from "../tree/types.ts"

/** What is asked of a tree again and again while names are followed, read once. */
export type Lookups = {
  /** Files that have a content. */
  positionsWith(content: number): readonly number[]
  /** As the tree gives them. */
  contents(numbers: readonly number[]): Promise<ReadonlyMap<number, Content>>
  /** Positions of the files that define each name, rising. */
  definers(names: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<number>>>
}

export function createLookups(tree: IndexedTree): Lookups {
  const byContent = Map.groupBy(tree.files.keys(), (it) => tree.files[it]?.content ?? -1)
  const positionsWith = (content: number) => byContent.get(content) ?? []
  const positionsOf = (contents: readonly number[]): ReadonlySet<number> =>
    new Set(contents.flatMap(positionsWith).toSorted((a, b) => a - b))
  return {
    positionsWith,
    contents: remembering((it) => tree.contents(it), {
      maxSize: MOST_KEPT_FACTS,
      sizeCalculation: ({ symbols, references }) => 1 + symbols.length + references.length,
    }),
    definers: remembering(
      async (names) => {
        const found = await tree.definers(names)
        return new Map([...found].map(([name, contents]) => [name, positionsOf(contents)]))
      },
      { maxSize: MOST_KEPT_NAMES, sizeCalculation: (positions) => 1 + positions.size },
    ),
  }
}

type Ask<Key, Value> = (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>

/** Asks only for what is not remembered. Nothing is remembered of what has no answer. */
function remembering<Key extends string | number, Value extends object>(
  ask: Ask<Key, Value>,
  bounds: { maxSize: number; sizeCalculation(value: Value): number },
): Ask<Key, Value> {
  const recent = new LRUCache<Key, Value>(bounds)
  return async (keys) => {
    const found = new Map<Key, Value>()
    const missing: Key[] = []
    for (const key of new Set(keys)) {
      const value = recent.get(key)
      if (value === undefined) missing.push(key)
      else found.set(key, value)
    }
    if (missing.length === 0) return found
    for (const [key, value] of await ask(missing)) {
      recent.set(key, value)
      found.set(key, value)
    }
    return found
  }
}
