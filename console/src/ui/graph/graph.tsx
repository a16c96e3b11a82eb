import { type KeyboardEvent, useId, useRef, useState } from "react"
import { formatExact } from "../../contract.ts"
import styles from "./graph.module.css"
import { type GraphEdge, type GraphNode, layoutGraph, nodeBeside } from "./layout.ts"

type GraphProps = {
  readonly label: string
  readonly centre: { readonly label: string; readonly title: string }
  readonly nodes: readonly GraphNode[]
  readonly heads: readonly [string, string, string, string, string]
  /** Part of a block instead of a section of the pane. */
  readonly isInside?: boolean
  onFollow(id: string): void
}

const PITCH_PX = 30
const NODE_PX = 24
/** Narrower columns would make labels unreadable; the graph scrolls instead. */
const COLUMN_PX = 112

export function Graph({ label, centre, nodes, heads, isInside = false, onFollow }: GraphProps) {
  const layout = layoutGraph(nodes)
  const [at, setAt] = useState<string | null>(null)
  const plane = useRef<HTMLDivElement>(null)
  const id = useId()
  const current = layout.nodes.find((it) => it.key === at) ?? layout.nodes[0]
  const press = (event: KeyboardEvent) => {
    const next = current === undefined ? undefined : nodeBeside(layout, current, event.key)
    const isArrow = event.key.startsWith("Arrow")
    // An arrow key at an edge must not scroll the list behind the graph.
    if (!isArrow || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    event.stopPropagation()
    if (next === undefined) return
    setAt(next.key)
    plane.current
      ?.querySelector<HTMLElement>(`[data-node="${layout.nodes.indexOf(next)}"]`)
      ?.focus()
  }
  const { columns, rows, centre: middle } = layout
  const positionOf = spotStyle(columns)
  return (
    <section className={styles.graph} data-inside={isInside || undefined} aria-labelledby={id}>
      <h3 id={id} hidden>
        {label}
      </h3>
      <div
        style={{
          "--columns": columns,
          "--node": `${widthIn(columns)}%`,
          "--least": `${columns * COLUMN_PX}px`,
        }}
      >
        <div className={styles.heads}>
          {heads
            .slice(2 - middle.column)
            .slice(0, columns)
            .map((it, i) => (
              <span key={`${it} ${i}`}>{withHidden(it, layout.hidden[i] ?? 0)}</span>
            ))}
        </div>
        <div
          ref={plane}
          className={styles.plane}
          role="group"
          aria-label={label}
          style={{ height: `${rows * PITCH_PX}px` }}
          onKeyDown={press}
        >
          <Edges edges={layout.edges} columns={columns} rows={rows} />
          {layout.nodes.map((it, i) => (
            <a
              key={it.key}
              className={styles.node}
              data-node={i}
              href={it.href}
              title={it.title}
              data-tone={it.tone}
              tabIndex={it === current ? 0 : -1}
              style={positionOf(it)}
              onFocus={() => setAt(it.key)}
              onClick={() => onFollow(it.id)}
            >
              {it.label}
              {it.count === undefined ? null : <b>{formatExact(it.count)}</b>}
            </a>
          ))}
          <span
            className={styles.node}
            aria-current="true"
            title={centre.title}
            style={positionOf(middle)}
          >
            {centre.label}
          </span>
        </div>
      </div>
    </section>
  )
}

type EdgesProps = {
  readonly edges: readonly GraphEdge[]
  readonly columns: number
  readonly rows: number
}

function Edges({ edges, columns, rows }: EdgesProps) {
  const width = widthIn(columns)
  return (
    <svg viewBox={`0 0 100 ${rows * PITCH_PX}`} preserveAspectRatio="none" aria-hidden="true">
      {edges.map(({ key, from, to, isSure, tone }) => {
        const [x1, x2] = [leftOf(from.column, columns) + width, leftOf(to.column, columns)]
        const [y1, y2] = [middleOf(from.row), middleOf(to.row)]
        const bend = (x1 + x2) / 2
        return (
          <path
            key={key}
            data-sure={isSure ? "yes" : "no"}
            data-tone={tone}
            d={`M${x1} ${y1}C${bend} ${y1} ${bend} ${y2} ${x2} ${y2}`}
          />
        )
      })}
    </svg>
  )
}

/** Nodes take 80 % of the width, the gaps the rest. */
const NODES_PERCENT = 80

function widthIn(columns: number): number {
  return NODES_PERCENT / columns
}

function leftOf(column: number, columns: number): number {
  return (column * (100 - widthIn(columns))) / (columns - 1)
}

function middleOf(row: number): number {
  return row * PITCH_PX + PITCH_PX / 2
}

function spotStyle(columns: number) {
  return ({ column, row }: { readonly column: number; readonly row: number }) => ({
    left: `${leftOf(column, columns)}%`,
    top: `${middleOf(row) - NODE_PX / 2}px`,
    width: `${widthIn(columns)}%`,
  })
}

function withHidden(head: string, hidden: number): string {
  return hidden === 0 ? head : `${head}, ${formatExact(hidden)} more`
}
