import { visibleLine } from "../../base/format.ts"
import type { MapLink, MapShow, MapSymbol } from "../../contract.ts"
import type { GraphNode } from "../../ui/graph/layout.ts"
import { describeLocation, placeOf } from "./words.ts"

export type ShownSymbol = Extract<MapShow, { kind: "symbol" }>

export type LinkLine =
  | {
      readonly kind: "heading"
      readonly key: string
      readonly name: string
      readonly count: number
    }
  | { readonly kind: "file"; readonly key: string; readonly path: string }
  | {
      readonly kind: "link"
      readonly key: string
      readonly link: MapLink
      readonly side: "caller" | "callee"
    }
  | { readonly kind: "other"; readonly key: string; readonly symbol: MapSymbol }

export function linkLines({ callers, called, others }: ShownSymbol): readonly LinkLine[] {
  return [
    ...groupOf("Callers", callers, 1),
    ...groupOf("Callees", called, 1),
    ...groupOf("Callers, two hops", callers, 2),
    ...groupOf("Callees, two hops", called, 2),
    ...otherLines(others),
  ]
}

function groupOf(name: string, links: readonly MapLink[], hops: number): readonly LinkLine[] {
  const near = links.filter((it) => it.hops === hops)
  // The first hop is always listed, even if it is empty.
  if (near.length === 0 && hops === 2) return []
  const side = name.startsWith("Callers") ? "caller" : "callee"
  const byFile = Map.groupBy(near, (it) => it.symbol.path)
  return [
    { kind: "heading", key: name, name, count: near.length },
    ...[...byFile].flatMap(([path, inFile]): readonly LinkLine[] => [
      { kind: "file", key: `${name} ${path}`, path },
      ...inFile.map(
        (link, i): LinkLine => ({ kind: "link", key: `${name} ${path} ${i}`, link, side }),
      ),
    ]),
  ]
}

function otherLines(others: readonly MapSymbol[]): readonly LinkLine[] {
  if (others.length === 0) return []
  const name = "Same name"
  return [
    { kind: "heading", key: name, name, count: others.length },
    ...others.map((symbol, i): LinkLine => ({ kind: "other", key: `${name} ${i}`, symbol })),
  ]
}

/** Symbols of one name in one file are one node, whose title lists their lines. */
export function graphNodes(
  { callers, called }: ShownSymbol,
  hrefOf: (symbol: MapSymbol) => string,
): readonly GraphNode[] {
  const nodesOf = (links: readonly MapLink[], side: GraphNode["side"]): readonly GraphNode[] => {
    const key = ({ symbol, hops }: MapLink) => `${hops} ${symbol.path} ${symbol.name}`
    return [...Map.groupBy(links, key).values()].flatMap((same): readonly GraphNode[] => {
      const [link] = same
      if (link === undefined) return []
      const { symbol } = link
      const lines = [...new Set(same.map((it) => it.symbol.fromLine))].join(", ")
      const places = same.length === 1 ? describeLocation(symbol) : `${symbol.path}, lines ${lines}`
      return [
        {
          id: placeOf(symbol),
          label: visibleLine(symbol.name),
          title: visibleLine(`${symbol.name}: ${places}`),
          href: hrefOf(symbol),
          side,
          hops: link.hops === 2 ? 2 : 1,
          via: link.via ?? null,
          isSure: same.some((it) => it.confidence !== "ambiguous"),
        },
      ]
    })
  }
  return [...nodesOf(callers, "before"), ...nodesOf(called, "after")]
}
