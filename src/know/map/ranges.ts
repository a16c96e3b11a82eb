import type { Node } from "web-tree-sitter"

/** Whether a place lies in one of these nodes, which do not overlap. Places come in any order. */
export function insideOf(nodes: readonly Node[]): (index: number) => boolean {
  const sorted = nodes.toSorted((a, b) => a.startIndex - b.startIndex)
  const starts = sorted.map((it) => it.startIndex)
  const ends = sorted.map((it) => it.endIndex)
  return (index) => index < (ends[lastAtMost(starts, index)] ?? 0)
}

/** Whether one of these nodes begins after one place and before another. */
export function beginsBetween(nodes: readonly Node[]): (from: number, to: number) => boolean {
  const starts = nodes.map((it) => it.startIndex).toSorted((a, b) => a - b)
  return (from, to) => (starts[lastAtMost(starts, from) + 1] ?? to) < to
}

/** The last place of a sorted list that holds no more than the value, or -1. */
function lastAtMost(sorted: readonly number[], value: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? 0) <= value) low = middle + 1
    else high = middle
  }
  return low - 1
}
