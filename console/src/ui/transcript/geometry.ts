export type Geometry = {
  readonly keys: readonly string[]
  readonly edges: Float64Array
}

export type Heights = ReadonlyMap<string, number>

export function layOut(
  keys: readonly string[],
  heights: Heights,
  guess: (index: number) => number,
): Geometry {
  const edges = new Float64Array(keys.length + 1)
  for (const [i, key] of keys.entries()) {
    edges[i + 1] = (edges[i] ?? 0) + (heights.get(key) ?? guess(i))
  }
  return { keys, edges }
}

export function heightOf({ edges }: Geometry): number {
  return edges.at(-1) ?? 0
}

export function rowAt({ edges, keys }: Geometry, top: number): number {
  let low = 0
  let high = Math.max(0, keys.length - 1)
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((edges[middle] ?? 0) <= top) low = middle
    else high = middle - 1
  }
  return low
}

export type Range = { readonly from: number; readonly to: number }

export function rangeFor(geometry: Geometry, viewport: ViewportRange, extraPx: number): Range {
  if (geometry.keys.length === 0) return { from: 0, to: 0 }
  const from = rowAt(geometry, Math.max(0, viewport.top - extraPx))
  const to = rowAt(geometry, viewport.top + viewport.height + extraPx) + 1
  return { from, to }
}

export type ViewportRange = { readonly top: number; readonly height: number }

export type Anchor = readonly { readonly key: string; readonly above: number }[]

/** Rows can be merged into another one; then the next row is the anchor. */
const ANCHOR_ROWS = 12

export function anchorAt({ edges, keys }: Geometry, top: number): Anchor {
  const index = rowAt({ edges, keys }, top)
  return keys
    .slice(index, index + ANCHOR_ROWS)
    .map((key, i) => ({ key, above: top - (edges[index + i] ?? 0) }))
}

/** The scroll position that keeps the anchor in place; null if all its rows are gone. */
export function topFor({ edges, keys }: Geometry, anchor: Anchor): number | null {
  for (const { key, above } of anchor) {
    const index = keys.indexOf(key)
    if (index >= 0) return (edges[index] ?? 0) + above
  }
  return null
}
