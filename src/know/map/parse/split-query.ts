export type QueryPart = {
  readonly source: string
  /** By pattern of this part: its place in the whole query. */
  readonly places: readonly number[]
}

/**
 * Separates the patterns that begin at the root of a tree. While such a pattern waits for its next
 * node, every node of the file is compared with it; alone, it looks only at the nodes it names.
 */
export function splitQuery(
  query: string,
  root: string,
): { readonly atRoot: QueryPart; readonly anywhere: QueryPart } {
  const patterns = patternsOf(query).map((source, place) => ({
    source,
    place,
    isAtRoot: new RegExp(`^\\(${root}\\s`).test(source),
  }))
  const partOf = (isAtRoot: boolean): QueryPart => {
    const chosen = patterns.filter((it) => it.isAtRoot === isAtRoot)
    return {
      source: chosen.map((it) => it.source).join("\n"),
      places: chosen.map((it) => it.place),
    }
  }
  return { atRoot: partOf(true), anywhere: partOf(false) }
}

/** A pattern is one bracketed expression with what follows it: quantifiers and captures. */
function patternsOf(query: string): readonly string[] {
  const patterns: string[] = []
  let depth = 0
  for (const [part] of query.matchAll(PARTS)) {
    if (depth === 0 && OPENING.test(part)) patterns.push("")
    if (OPENING.test(part)) depth++
    if (CLOSING.test(part)) depth--
    const last = patterns.length - 1
    if (last >= 0 && !part.startsWith(";")) patterns[last] += part
  }
  return patterns
}

/** A string, a comment, a bracket, or anything between. */
const PARTS = /"(?:\\.|[^"\\]){0,200}"|;[^\n]*|[()[\]]|[^"();[\]]+/g
const OPENING = /^[([]$/
const CLOSING = /^[)\]]$/
