import type { Library, StoredParagraph } from "../library.ts"

/** Connects two paragraphs by an entity instead of a reference. */
export type EntityEdge = {
  readonly from: StoredParagraph
  readonly to: StoredParagraph
  readonly kind: "defined in" | "same entity"
  readonly words: string
}

/** More mentions connect everything with everything. */
const MOST_MENTIONS = 8

const MOST_DEFINITIONS = 5_000

/**
 * Two kinds of entities: terms that a paragraph defines ("Berth Window" means …), which lead from
 * their uses to the definition, and identifiers (MC-1, TB 14), which connect their mentions.
 */
export function entityEdges(library: Library): readonly EntityEdge[] {
  return [...definitionEdges(library), ...identifierEdges(library)]
}

const DEFINITION = /["“](\p{Lu}[\p{L}’' -]{1,40}?)["”] means\b/gu

function definitionEdges({ paragraphs }: Library): readonly EntityEdge[] {
  const definitions = new Map<string, StoredParagraph>()
  for (const paragraph of paragraphs) {
    for (const [, term = ""] of paragraph.body.text.matchAll(DEFINITION)) {
      if (definitions.size < MOST_DEFINITIONS && !definitions.has(term)) {
        definitions.set(term, paragraph)
      }
    }
  }
  if (definitions.size === 0) return []
  return paragraphs.flatMap((from) =>
    termsIn(from.body.text, definitions).flatMap((words): EntityEdge[] => {
      const to = definitions.get(words)
      if (to === undefined || to.id === from.id) return []
      return [{ from, to, kind: "defined in", words }]
    }),
  )
}

/** The longest defined terms, as they are written: "Berth Window", not "Berth". */
function termsIn(text: string, definitions: ReadonlyMap<string, unknown>): readonly string[] {
  const terms = new Set<string>()
  for (const [run] of text.matchAll(CAPITALS)) {
    const words = run.split(" ")
    for (let at = 0; at < words.length; ) {
      const length = longestAt(words, at, definitions)
      if (length > 0) terms.add(words.slice(at, at + length).join(" "))
      at += Math.max(1, length)
    }
  }
  return [...terms]
}

const CAPITALS = /\p{Lu}[\p{L}’'-]*(?: \p{Lu}[\p{L}’'-]*){0,8}/gu

function longestAt(
  words: readonly string[],
  at: number,
  definitions: ReadonlyMap<string, unknown>,
): number {
  for (let length = Math.min(5, words.length - at); length > 0; length--) {
    if (definitions.has(words.slice(at, at + length).join(" "))) return length
  }
  return 0
}

const IDENTIFIER = /(?<![\p{L}\p{N}-])\p{Lu}{2,6}-\d{1,6}(?![\p{L}\p{N}-])/gu

function identifierEdges({ paragraphs }: Library): readonly EntityEdge[] {
  const mentions = new Map<string, StoredParagraph[]>()
  for (const paragraph of paragraphs) {
    for (const [name] of new Set(paragraph.body.text.matchAll(IDENTIFIER))) {
      const all = mentions.get(name) ?? []
      if (all.at(-1) !== paragraph) all.push(paragraph)
      mentions.set(name, all)
    }
  }
  return [...mentions].flatMap(([words, all]) => {
    if (all.length > MOST_MENTIONS) return []
    const pairs = all.flatMap((from) => all.map((to) => ({ from, to })))
    return pairs
      .filter(({ from, to }) => from.id !== to.id)
      .map(({ from, to }) => ({ from, to, kind: "same entity" as const, words }))
  })
}
