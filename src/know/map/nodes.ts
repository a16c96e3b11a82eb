import type { Node } from "web-tree-sitter"

/** Small questions to a syntax tree that several languages ask. */

export function childrenOfType(node: Node, ...types: readonly string[]): readonly Node[] {
  return node.namedChildren.filter((it) => types.includes(it.type))
}

export function hasToken(node: Node, token: string): boolean {
  return node.children.some((it) => !it.isNamed && it.type === token)
}

/** The text of a literal without what encloses it. */
export function unquoted(node: Node): string {
  return node.text.replace(/^["'`<]+|["'`>]+$/g, "")
}
