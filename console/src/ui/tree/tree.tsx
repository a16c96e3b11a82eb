import { type KeyboardEvent, useId, useMemo, useState } from "react"
import { Icon } from "../icon/icon.tsx"
import styles from "./tree.module.css"

type ValueTreeProps = { readonly value: unknown; readonly label: string }

export function ValueTree({ value, label }: ValueTreeProps) {
  const [open, setOpen] = useState(() => initiallyOpen(value))
  const [active, setActive] = useState<string | null>(null)
  const nodes = useMemo(() => treeNodes(value, open), [value, open])
  const treeId = useId()
  const index = nodes.findIndex((it) => it.path === active)
  const toggle = (path: string, shouldOpen: boolean) =>
    setOpen((paths) => {
      const next = new Set(paths)
      if (shouldOpen) next.add(path)
      else next.delete(path)
      return next
    })
  const go = (to: number) => {
    const node = nodes[Math.min(nodes.length - 1, Math.max(0, to))]
    if (node === undefined) return
    setActive(node.path)
    document.getElementById(`${treeId}${node.path}`)?.scrollIntoView({ block: "nearest" })
  }
  const press = (event: KeyboardEvent) => {
    const node = nodes[index]
    const moves: Readonly<Record<string, () => void>> = {
      ArrowDown: () => go(index + 1),
      ArrowUp: () => go(Math.max(0, index - 1)),
      Home: () => go(0),
      End: () => go(nodes.length - 1),
      ArrowRight: () => node?.kind === "branch" && toggle(node.path, true),
      ArrowLeft: () => (node?.isOpen ? toggle(node.path, false) : go(parentOf(nodes, index))),
      Enter: () => node?.kind === "branch" && toggle(node.path, !node.isOpen),
    }
    const move = moves[event.key]
    if (move === undefined) return
    event.preventDefault()
    event.stopPropagation()
    move()
  }
  return (
    <div
      className={styles.tree}
      role="tree"
      aria-label={label}
      aria-activedescendant={active === null ? undefined : `${treeId}${active}`}
      tabIndex={0}
      onKeyDown={press}
    >
      {nodes.map((it) => (
        <div
          key={it.path}
          id={`${treeId}${it.path}`}
          className={styles.node}
          role="treeitem"
          tabIndex={-1}
          aria-level={it.depth + 1}
          aria-expanded={it.kind === "branch" ? it.isOpen : undefined}
          aria-selected={it.path === active}
          onClick={() => {
            setActive(it.path)
            if (it.kind === "branch") toggle(it.path, !it.isOpen)
          }}
        >
          {Array.from({ length: it.depth }, (_, i) => (
            <span key={`twig ${i}`} className={styles.twig} />
          ))}
          <span className={styles.chevron}>
            {it.kind === "branch" ? (
              <Icon name={it.isOpen ? "chevron-down" : "chevron-right"} size="small" />
            ) : null}
          </span>
          <span className={styles.name}>{it.name}</span>
          <span className={styles.value} data-kind={it.kind}>
            {it.description}
          </span>
        </div>
      ))}
    </div>
  )
}

function parentOf(nodes: readonly TreeNode[], index: number): number {
  const depth = nodes[index]?.depth ?? 0
  return nodes.slice(0, Math.max(0, index)).findLastIndex((it) => it.depth < depth)
}

type TreeNode = {
  readonly path: string
  readonly depth: number
  readonly name: string
  readonly description: string
  readonly kind: "branch" | "leaf"
  readonly isOpen: boolean
}

type Walk = { readonly path: string; readonly depth: number; readonly open: ReadonlySet<string> }

const DEEPEST = 12

function treeNodes(value: unknown, open: ReadonlySet<string>): readonly TreeNode[] {
  return childrenOf(value).flatMap(([name, child]) =>
    nodesOf(name, child, { path: name, depth: 0, open }),
  )
}

function initiallyOpen(value: unknown): ReadonlySet<string> {
  return new Set(childrenOf(value).flatMap(([name, child]) => (isBranch(child) ? [name] : [])))
}

function nodesOf(name: string, value: unknown, { path, depth, open }: Walk): readonly TreeNode[] {
  const isOpen = open.has(path) && depth < DEEPEST
  const node = { path, depth, name, description: formatValue(value), isOpen } as const
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

function formatValue(value: unknown): string {
  if (Array.isArray(value)) return value.length === 1 ? "1 item" : `${value.length} items`
  if (typeof value === "object" && value !== null) {
    const count = Object.keys(value).length
    return count === 1 ? "1 field" : `${count} fields`
  }
  return JSON.stringify(value) ?? "nothing"
}
