import type { Node } from "web-tree-sitter"
import type { SymbolKind } from "#ground/contract"
import { isSymbolKind } from "../facts.ts"
import type { Matches, NamePlace } from "./engine.ts"

export type CollectedNodes = {
  readonly frames: readonly Frame[]
  readonly wrapperOf: ReadonlyMap<number, Node>
  readonly docstringOf: ReadonlyMap<number, Node>
  readonly attributes: readonly Node[]
  readonly comments: readonly Node[]
  readonly listed: readonly Node[]
  readonly packages: readonly Node[]
  readonly references: readonly NamePlace[]
  /** Parts of a definition, such as enum values: neither symbols nor references. */
  readonly declared: readonly Node[]
  readonly imports: readonly Node[]
  readonly errors: readonly Node[]
}

export type Frame = {
  readonly what: SymbolKind | "container" | "nameless" | "scope" | "section"
  readonly node: Node
  readonly name: Node | undefined
  readonly body: Node | undefined
  readonly owner: Node | undefined
}

export function collect({ matches, references }: Matches): CollectedNodes {
  const frames = new Map<number, Frame & { readonly pattern: number }>()
  const wrapperOf = new Map<number, Node>()
  const docstringOf = new Map<number, Node>()
  const lists = {
    attribute: new Array<Node>(),
    comment: new Array<Node>(),
    exported: new Array<Node>(),
    package: new Array<Node>(),
    ref: new Array<Node>(),
    declared: new Array<Node>(),
    import: new Array<Node>(),
    error: new Array<Node>(),
  }
  for (const match of matches) {
    const [first] = match.captures
    if (first === undefined) continue
    // Most matches are single names, which need no table of captures.
    if (match.captures.length === 1 && addTo(lists, first.name, first.node)) continue
    const captured = new Map(match.captures.map((it) => [it.name, it.node]))
    const frame = frameOf(captured)
    if (frame !== undefined) keepFirst(frames, { ...frame, pattern: match.patternIndex })
    pair(wrapperOf, captured.get("inner"), captured.get("wrapper"))
    pair(docstringOf, captured.get("documented"), captured.get("docstring"))
    if (frame === undefined) for (const it of match.captures) addTo(lists, it.name, it.node)
  }
  return {
    frames: [...frames.values()],
    wrapperOf,
    docstringOf,
    attributes: lists.attribute,
    comments: lists.comment,
    listed: lists.exported,
    packages: lists.package,
    references: [...references, ...lists.ref.map(placeOf)],
    declared: lists.declared,
    imports: lists.import,
    errors: lists.error,
  }
}

function placeOf({ startIndex, endIndex, startPosition }: Node): NamePlace {
  return { start: startIndex, end: endIndex, row: startPosition.row }
}

function addTo(lists: Readonly<Record<string, Node[]>>, name: string, node: Node): boolean {
  const list = Object.hasOwn(lists, name) ? lists[name] : undefined
  list?.push(node)
  return list !== undefined
}

const DEFINITION = "def."

const ENCLOSING = ["container", "nameless", "scope", "section"] as const

function frameOf(captured: ReadonlyMap<string, Node>): Frame | undefined {
  const [name, body, owner] = ["name", "body", "owner"].map((it) => captured.get(it))
  for (const what of ENCLOSING) {
    const node = captured.get(what)
    if (node !== undefined) return { what, node, name, body, owner }
  }
  if (name === undefined) return undefined
  for (const [capture, node] of captured) {
    const what = capture.startsWith(DEFINITION) ? capture.slice(DEFINITION.length) : ""
    if (isSymbolKind(what)) return { what, node, name, body, owner }
  }
  return undefined
}

/** Several patterns may match one name; the first in the query wins. */
function keepFirst<Numbered extends Frame & { readonly pattern: number }>(
  frames: Map<number, Numbered>,
  frame: Numbered,
): void {
  // A name by its place, a node without one by its address, below zero.
  const key = frame.name === undefined ? -1 - (frame.node.id >>> 0) : frame.name.startIndex
  const earlier = frames.get(key)
  if (earlier === undefined || frame.pattern < earlier.pattern) frames.set(key, frame)
}

function pair(map: Map<number, Node>, key: Node | undefined, value: Node | undefined): void {
  if (key !== undefined && value !== undefined) map.set(key.id, value)
}
