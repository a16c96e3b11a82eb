import type { Library, StoredParagraph } from "../library.ts"
import { type EntityEdge, entityEdges } from "./entities.ts"
import { createResolver } from "./resolve-references.ts"

const MOST_UNDER_A_HEADING = 6

export type EdgeKind = "refers to" | "referred from" | "same heading" | EntityEdge["kind"]
type Edge = { readonly to: StoredParagraph; readonly kind: EdgeKind; readonly words: string }

export type Graph = {
  edges(from: StoredParagraph): readonly Edge[]
  readonly unresolved: readonly { readonly document: string; readonly text: string }[]
}

export function createGraph(library: Library): Graph {
  const resolve = createResolver(library)
  const out = new Map<string, Edge[]>()
  const back = new Map<string, Edge[]>()
  const unresolved: { document: string; text: string }[] = []
  for (const reference of library.references) {
    const from = library.byId.get(reference.paragraph)
    if (from === undefined) continue
    const to = resolve(reference)
    if (to === "none") continue
    const { words } = reference
    if (to === undefined) unresolved.push({ document: from.document.title, text: words })
    else if (to.id !== from.id) {
      put(out, from.id, { to, kind: "refers to", words })
      put(back, to.id, { to: from, kind: "referred from", words })
    }
  }
  const beside = createNeighbours(library)
  const shared = new Map<string, Edge[]>()
  for (const { from, to, kind, words } of entityEdges(library)) {
    put(shared, from.id, { to, kind, words })
  }
  const lists = [out, back, shared]
  return {
    edges: (from) => [...lists.flatMap((it) => it.get(from.id) ?? []), ...beside(from)],
    unresolved,
  }
}

function put(map: Map<string, Edge[]>, key: string, edge: Edge): void {
  const edges = map.get(key) ?? []
  edges.push(edge)
  map.set(key, edges)
}

function createNeighbours(library: Library) {
  const keyOf = (it: StoredParagraph) => `${it.document.id}\n${it.body.headings.join("\n")}`
  let groups: Map<string, StoredParagraph[]> | undefined
  return (from: StoredParagraph): readonly Edge[] => {
    const heading = from.body.headings.at(-1)
    if (heading === undefined) return []
    groups ??= Map.groupBy(library.paragraphs, keyOf)
    const others = (groups.get(keyOf(from)) ?? []).filter((it) => it.id !== from.id)
    const distance = (it: StoredParagraph) => Math.abs(it.number - from.number)
    return others
      .toSorted((a, b) => distance(a) - distance(b) || a.number - b.number)
      .slice(0, MOST_UNDER_A_HEADING)
      .map((to) => ({ to, kind: "same heading" as const, words: heading }))
  }
}

export type Step = Edge & {
  readonly from: StoredParagraph
  readonly depth: number
  readonly weight: number
}

const HANDS_ON: Readonly<Record<EdgeKind, number>> = {
  "refers to": 0.6,
  "referred from": 0.45,
  "same entity": 0.4,
  "defined in": 0.35,
  "same heading": 0.3,
}

type Start = { readonly paragraph: StoredParagraph; readonly weight: number }

/** Breadth first; each paragraph is reached once, by its shortest path. */
export function walkGraph(
  graph: Graph,
  starts: readonly Start[],
  limits: { readonly depth: number; readonly most: number },
): readonly Step[] {
  const reached = new Set(starts.map((it) => it.paragraph.id))
  const steps: Step[] = []
  let frontier = starts
  for (let depth = 1; depth <= limits.depth; depth++) {
    // Of two paths of the same length, the better reason wins.
    const ways = frontier
      .flatMap((from) => stepsFrom(from, graph, depth))
      .toSorted((a, b) => b.weight - a.weight)
    const fresh = ways.filter((it) => !reached.has(it.to.id) && reached.add(it.to.id))
    steps.push(...fresh)
    frontier = fresh.map((it) => ({ paragraph: it.to, weight: it.weight }))
  }
  return steps.slice(0, limits.most)
}

function stepsFrom({ paragraph: from, weight }: Start, graph: Graph, depth: number): Step[] {
  return graph
    .edges(from)
    .map((way) => ({ ...way, from, depth, weight: weight * HANDS_ON[way.kind] }))
}
