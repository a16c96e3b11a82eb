import type { Link } from "./outline.ts"

/** Links that were defined elsewhere in the document: `[label]: target`. */
export type Definitions = ReadonlyMap<string, string>

/** The text of a paragraph as a reader sees it, and where its links lead. */
export function readInline(
  raw: string,
  definitions: Definitions,
): { readonly text: string; readonly links: readonly Link[] } {
  const links: Link[] = []
  const note = (target: string, words: string): string => {
    links.push({ target, words })
    return words
  }
  const text = raw
    .replace(WIKI, (_, target: string, shown?: string) => {
      const words = shown ?? target
      links.push({ target: `wiki:${target.trim()}`, words })
      return words
    })
    .replace(PICTURE, "$1")
    .replace(INLINE, (_, words: string, target: string) => note(target, words))
    .replace(BY_LABEL, (whole, words: string, label: string) => {
      const target = definitions.get((label === "" ? words : label).toLowerCase())
      return target === undefined ? whole : note(target, words)
    })
    .replace(STRONG, "$2")
    .replace(EMPHASIS, "$1$2")
  return { text, links }
}

// No class holds its own opening sign: a text full of brackets is read once, not once a bracket.
const WIKI = /\[\[([^\][\n|]{1,300})(?:\|([^\][\n]{1,300}))?\]\]/g
const INLINE = /\[([^\][\n]{0,500})\]\(<?([^()\s<>]{1,1000})>?(?: +"[^"\n]{0,300}")?\)/g
const PICTURE = /!\[([^\][\n]{0,500})\]\([^()\n]{1,1500}\)/g
const BY_LABEL = /\[([^\][\n]{1,300})\]\[([^\][\n]{0,300})\]/g
const STRONG = /(\*\*|__)(?=\S)([^*_\n]{1,500})\1/g
const EMPHASIS = /(^|[\s(])\*(?=\S)([^*\n]{1,300})\*(?![\w*])/g

/** One line that defines a link; undefined for any other. */
export function readDefinition(line: string): readonly [string, string] | undefined {
  const [, label, target] = DEFINITION.exec(line) ?? []
  return label === undefined || target === undefined ? undefined : [label.toLowerCase(), target]
}

const DEFINITION = /^ {0,3}\[([^\][^][^\][\n]{0,299})\]: *<?([^\s<>]{1,1000})>?(?: .{0,300})?$/
