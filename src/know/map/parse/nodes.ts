import type { Node } from "web-tree-sitter"

export function childrenOfType(node: Node, ...types: readonly string[]): readonly Node[] {
  return node.namedChildren.filter((it) => types.includes(it.type))
}

export function hasToken(node: Node, token: string): boolean {
  return node.children.some((it) => !it.isNamed && it.type === token)
}

export function unquoted(node: Node): string {
  return node.text.replace(/^["'`<]+/, "").replace(/(?<!["'`>])["'`>]+$/, "")
}

export function insideOf(nodes: readonly Node[]): (index: number) => boolean {
  const sorted = nodes.toSorted((a, b) => a.startIndex - b.startIndex)
  const starts = sorted.map((it) => it.startIndex)
  const ends = sorted.map((it) => it.endIndex)
  return (index) => index < (ends[lastAtMost(starts, index)] ?? 0)
}

export function beginsBetween(nodes: readonly Node[]): (from: number, to: number) => boolean {
  const starts = nodes.map((it) => it.startIndex).toSorted((a, b) => a - b)
  return (from, to) => (starts[lastAtMost(starts, from) + 1] ?? to) < to
}

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
