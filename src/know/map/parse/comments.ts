import type { Node } from "web-tree-sitter"
import { sliceText } from "#ground/base"
import type { SymbolKind } from "#ground/contract"
import { LONGEST_DOC_UNITS, LONGEST_SIGNATURE_UNITS } from "../limits.ts"

const LONGEST_VALUE_UNITS = 120

export type LinesAbove = {
  withAttributes(node: Node): { readonly row: number; readonly index: number }
  docAbove(row: number): string | undefined
}

export function createLinesAbove(
  nodes: { readonly attributes: readonly Node[]; readonly comments: readonly Node[] },
  text: string,
): LinesAbove {
  const attributes = byLastRow(nodes.attributes, text)
  const comments = byLastRow(nodes.comments, text)
  const docs = new Map<number, string | undefined>()
  const firstAt = new Map(
    [...attributes.values()].map((it) => [it.startPosition.row, it.startIndex]),
  )
  const climb = (from: number, over: ReadonlyMap<number, Node>): number => {
    let row = from
    for (;;) {
      const above = over.get(row - 1)
      if (above === undefined) return row
      row = above.startPosition.row
    }
  }
  return {
    withAttributes(node) {
      const last = climb(node.startPosition.row, attributes)
      const attribute = firstAt.get(last)
      return { row: last, index: attribute ?? node.startIndex }
    },
    docAbove(row) {
      if (!docs.has(row)) docs.set(row, docBetween(comments, climb(row, comments), row))
      return docs.get(row)
    },
  }
}

function docBetween(
  comments: ReadonlyMap<number, Node>,
  from: number,
  end: number,
): string | undefined {
  const texts: string[] = []
  let units = 0
  for (let row = from; row < end && units < MOST_READ_UNITS; ) {
    const comment = nodeStartingAt(comments, row, end)
    if (comment === undefined) break
    texts.push(comment.node.text.slice(0, MOST_READ_UNITS))
    units += comment.node.text.length
    row = comment.lastRow + 1
  }
  return cleanDoc(texts.join("\n"))
}

const MOST_READ_UNITS = LONGEST_DOC_UNITS * 10

/** Only comments that begin their line; a comment after code belongs to that code. */
function byLastRow(nodes: readonly Node[], text: string): ReadonlyMap<number, Node> {
  const beginning = nodes.filter((it) => isFirstOnLine(text, it))
  return new Map(beginning.map((it) => [lastRowOf(it), it]))
}

function isFirstOnLine(text: string, node: Node): boolean {
  const before = text.slice(node.startIndex - node.startPosition.column, node.startIndex)
  return before.trim() === ""
}

/** Some grammars include the line ending in a node. */
export function lastRowOf(node: Node): number {
  const { row, column } = node.endPosition
  return column === 0 && row > node.startPosition.row ? row - 1 : row
}

function nodeStartingAt(
  comments: ReadonlyMap<number, Node>,
  row: number,
  end: number,
): { readonly node: Node; readonly lastRow: number } | undefined {
  for (let lastRow = row; lastRow < end; lastRow++) {
    const node = comments.get(lastRow)
    if (node !== undefined && node.startPosition.row === row) return { node, lastRow }
  }
  return undefined
}

export function cleanDoc(comment: string): string | undefined {
  const lines = comment.slice(0, MOST_READ_UNITS).split("\n").map(cleanLine)
  const from = lines.findIndex((it) => it !== "")
  if (from < 0) return undefined
  const end = lines.findIndex((it, at) => at > from && (it === "" || it.startsWith("@")))
  const paragraph = lines.slice(from, end < 0 ? undefined : end)
  const doc = paragraph.join(" ").replace(/\s+/g, " ").trim()
  return doc === "" ? undefined : truncateTrimmed(doc, LONGEST_DOC_UNITS)
}

function cleanLine(line: string): string {
  return line
    .trim()
    .replace(/^\/\*+\/$/, "")
    .replace(/^(?:\/\*+!?|\/\/+!?|#+!?|\*+(?!\/)|[rRbBuU]?"""|[rRbBuU]?''')\s?/, "")
    .replace(/(?:(?<!\s)\s+)?(?:(?<!\*)\*+\/|"""|''')$/, "")
    .replace(/<\/?(?:summary|remarks|para)>/g, "")
    .trim()
}

/** Trims before the ellipsis. The index stores the result, so it differs from `truncate`. */
function truncateTrimmed(text: string, units: number): string {
  return text.length <= units ? text : `${sliceText(text, units - 1).trimEnd()}…`
}

export function signatureOf(text: string, kind: SymbolKind): string {
  const isValue = kind === "variable" || kind === "constant"
  const units = isValue ? LONGEST_VALUE_UNITS : LONGEST_SIGNATURE_UNITS
  const line = text
    .slice(0, units * 4)
    .replace(/\s+/g, " ")
    .replace(/([([]) /g, "$1")
    .replace(/,? ([)\]])/g, "$1")
    .trim()
  return truncateTrimmed(line.replace(/(?:(?<!\s)\s+)?(?:\{|=>|:|=|;|; end)$/, ""), units)
}
