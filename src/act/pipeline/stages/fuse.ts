import { compareText } from "#ground/base"

export type Ranked<Item> = {
  readonly items: readonly Item[]
  readonly isPrior: boolean
  /** Numbers of the sub-queries the list answers. */
  readonly by: readonly number[]
}

type Fused<Item> = Item & { score: number; by: number[]; isPrior: boolean }

/** The usual damping of reciprocal ranks: the first of a list is not everything. */
const DAMPING = 60

/**
 * Several ranked lists as one: what stands high in many comes first, and what an earlier answer
 * rests on comes before all, because the new one is built on it.
 */
export function fuse<Item extends { readonly id: string }>(
  lists: readonly Ranked<Item>[],
  most: number,
): readonly Fused<Item>[] {
  const byId = new Map<string, Fused<Item>>()
  for (const { items, isPrior, by } of lists) {
    for (const [rank, item] of items.entries()) {
      const known = byId.get(item.id) ?? { ...item, score: 0, by: [], isPrior: false }
      known.score += 1 / (DAMPING + rank + 1)
      known.by = [...new Set([...known.by, ...by])]
      known.isPrior ||= isPrior
      byId.set(item.id, known)
    }
  }
  const best = [...byId.values()].toSorted(
    (one, other) =>
      Number(other.isPrior) - Number(one.isPrior) ||
      other.score - one.score ||
      compareText(one.id, other.id),
  )
  return best.slice(0, most)
}
