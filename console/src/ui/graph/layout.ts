export type GraphNode = {
  readonly id: string
  readonly label: string
  readonly title: string
  readonly href: string
  readonly side: "before" | "after"
  readonly hops: 1 | 2
  /** Id of the intermediate node of a second hop; null if unknown. */
  readonly via: string | null
  readonly isSure: boolean
  readonly count?: number
  readonly tone?: "warn"
}

export type PlacedNode = GraphNode & {
  readonly key: string
  readonly column: number
  /** Row from the top; fractional where a column is centred beside a higher one. */
  readonly row: number
}

export type GraphEdge = {
  readonly key: string
  readonly from: GridCell
  readonly to: GridCell
  readonly isSure: boolean
  readonly tone?: "warn"
}

type GridCell = { readonly column: number; readonly row: number }

export type GraphLayout = {
  readonly columns: number
  readonly rows: number
  readonly centre: GridCell
  readonly nodes: readonly PlacedNode[]
  readonly edges: readonly GraphEdge[]
  readonly hidden: readonly number[]
}

/** With more nodes the graph is less clear than the list above it. */
export const MOST_IN_A_COLUMN = 8

/** Columns from left to right: callers, the centre, callees. */
export function layoutGraph(all: readonly GraphNode[]): GraphLayout {
  const nodes = withoutRepeats(all)
  const hopsOf = (side: GraphNode["side"]) =>
    nodes.some((it) => it.side === side && it.hops === 2) ? 2 : 1
  const middle = hopsOf("before")
  const columns = middle + 1 + hopsOf("after")
  const columnOf = ({ side, hops }: GraphNode) => middle + (side === "before" ? -hops : hops)
  const byColumn = Array.from({ length: columns }, (_, column) =>
    nodes.filter((it) => columnOf(it) === column),
  )
  const rows = Math.max(1, ...byColumn.map((it) => Math.min(it.length, MOST_IN_A_COLUMN)))
  const placed = byColumn.flatMap((inColumn, column) => {
    const drawn = inColumn.slice(0, MOST_IN_A_COLUMN)
    const top = (rows - drawn.length) / 2
    return drawn.map((it, i) => ({ ...it, key: keyOf(it), column, row: top + i }))
  })
  const centre = { column: middle, row: (rows - 1) / 2 }
  return {
    columns,
    rows,
    centre,
    nodes: placed,
    edges: placed.flatMap((it) => edgeOf(it, placed, centre)),
    hidden: byColumn.map((it) => Math.max(0, it.length - MOST_IN_A_COLUMN)),
  }
}

export function nodeBeside(
  { nodes }: GraphLayout,
  at: PlacedNode,
  key: string,
): PlacedNode | undefined {
  const inColumn = nodes.filter((it) => it.column === at.column)
  switch (key) {
    case "ArrowDown":
      return inColumn.find((it) => it.row > at.row)
    case "ArrowUp":
      return inColumn.findLast((it) => it.row < at.row)
    case "ArrowRight":
      return nearest(nodes, at, Math.min(...nodes.map((it) => rightOf(it, at))))
    case "ArrowLeft":
      return nearest(nodes, at, Math.max(...nodes.map((it) => leftOf(it, at))))
    default:
      return undefined
  }
}

const rightOf = (it: GridCell, at: GridCell) =>
  it.column > at.column ? it.column : Number.POSITIVE_INFINITY
const leftOf = (it: GridCell, at: GridCell) =>
  it.column < at.column ? it.column : Number.NEGATIVE_INFINITY

function nearest(
  nodes: readonly PlacedNode[],
  at: GridCell,
  column: number,
): PlacedNode | undefined {
  return nodes
    .filter((it) => it.column === column)
    .toSorted((a, b) => Math.abs(a.row - at.row) - Math.abs(b.row - at.row))[0]
}

/** A repeated node is drawn once, at its nearest hop. */
function withoutRepeats(all: readonly GraphNode[]): readonly GraphNode[] {
  const byKey = new Map<string, GraphNode>()
  for (const node of all.toSorted((a, b) => a.hops - b.hops)) {
    if (!byKey.has(keyOf(node))) byKey.set(keyOf(node), node)
  }
  return [...byKey.values()]
}

function keyOf({ side, id }: Pick<GraphNode, "side" | "id">): string {
  return `${side} ${id}`
}

/**
 * A second hop with an unknown or undrawn intermediate node has no line, because it would be wrong.
 */
function edgeOf(
  node: PlacedNode,
  placed: readonly PlacedNode[],
  centre: GridCell,
): readonly GraphEdge[] {
  const between = placed.find(
    (one) => one.side === node.side && one.hops === 1 && one.id === node.via,
  )
  const inner = node.hops === 1 ? centre : between
  if (inner === undefined) return []
  const [from, to] = node.side === "before" ? [node, inner] : [inner, node]
  const tone = node.tone === undefined ? {} : { tone: node.tone }
  return [{ key: node.key, from: spot(from), to: spot(to), isSure: node.isSure, ...tone }]
}

const spot = ({ column, row }: GridCell): GridCell => ({ column, row })
