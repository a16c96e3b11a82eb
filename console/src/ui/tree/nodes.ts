export type TreeNode = {
  readonly path: string
  readonly depth: number
  readonly name: string
  readonly says: string
  readonly kind: "branch" | "leaf"
  readonly isOpen: boolean
}

type Walk = { readonly path: string; readonly depth: number; readonly open: ReadonlySet<string> }

/** Deeper than this a body is no longer read as a tree; the raw text has it all. */
const DEEPEST = 12

export function treeNodes(value: unknown, open: ReadonlySet<string>): readonly TreeNode[] {
  return childrenOf(value).flatMap(([name, child]) =>
    nodesOf(name, child, { path: name, depth: 0, open }),
  )
}

export function initiallyOpen(value: unknown): ReadonlySet<string> {
  return new Set(childrenOf(value).flatMap(([name, child]) => (isBranch(child) ? [name] : [])))
}

function nodesOf(name: string, value: unknown, { path, depth, open }: Walk): readonly TreeNode[] {
  const isOpen = open.has(path) && depth < DEEPEST
  const node = { path, depth, name, says: sayValue(value), isOpen } as const
  if (!isBranch(value)) return [{ ...node, kind: "leaf" }]
  const children = isOpen ? childrenOf(value) : []
  return [
    { ...node, kind: "branch" },
    ...children.flatMap(([childName, child]) =>
      nodesOf(childName, child, { path: `${path}/${childName}`, depth: depth + 1, open }),
    ),
  ]
}

function isBranch(value: unknown): boolean {
  return childrenOf(value).length > 0
}

function childrenOf(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === "object" && value !== null ? Object.entries(value) : []
}

function sayValue(value: unknown): string {
  if (Array.isArray(value)) return value.length === 1 ? "1 item" : `${value.length} items`
  if (typeof value === "object" && value !== null) {
    const count = Object.keys(value).length
    return count === 1 ? "1 field" : `${count} fields`
  }
  return JSON.stringify(value) ?? "nothing"
}
