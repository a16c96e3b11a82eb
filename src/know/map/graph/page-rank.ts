export type Edge = { readonly to: number; readonly weight: number }

const DAMPING = 0.85

const MOST_ROUNDS = 40
const LEAST_CHANGE = 1e-9

/** 1 for the highest, 0 for a node without incoming edges. Deterministic. */
export function rankNodes(edgesByNode: readonly (readonly Edge[])[]): Float64Array {
  const size = edgesByNode.length
  const edges = flatten(edgesByNode)
  let standing = new Float64Array(size).fill(1 / Math.max(1, size))
  for (let round = 0; round < MOST_ROUNDS; round++) {
    // Nodes without edges would distribute evenly, which changes no proportion.
    const next = new Float64Array(size).fill((1 - DAMPING) / Math.max(1, size))
    for (let at = 0; at < edges.to.length; at++) {
      const to = edges.to[at] ?? 0
      const handed = (standing[edges.from[at] ?? 0] ?? 0) * (edges.share[at] ?? 0)
      next[to] = (next[to] ?? 0) + DAMPING * handed
    }
    const change = next.reduce((sum, it, node) => sum + Math.abs(it - (standing[node] ?? 0)), 0)
    standing = next
    if (change < LEAST_CHANGE) break
  }
  return shares(standing)
}

/** Flat columns: a large tree has several hundred thousand edges, and each round reads all. */
function flatten(edgesByNode: readonly (readonly Edge[])[]) {
  const all = edgesByNode.flatMap((edges, from) => {
    const sum = edges.reduce((total, it) => total + it.weight, 0)
    return edges.map(({ to, weight }) => ({ from, to, share: weight / sum }))
  })
  return {
    from: Int32Array.from(all, (it) => it.from),
    to: Int32Array.from(all, (it) => it.to),
    share: Float64Array.from(all, (it) => it.share),
  }
}

function shares(values: Float64Array): Float64Array {
  const least = values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
  const most = values.reduce((a, b) => Math.max(a, b), 0)
  if (most - least <= 1e-12 * most) return new Float64Array(values.length)
  return values.map((it) => (it - least) / (most - least))
}
