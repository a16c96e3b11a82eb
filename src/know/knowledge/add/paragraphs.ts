import { hash } from "node:crypto"
import { LONGEST_PARAGRAPH_UNITS } from "../limits.ts"
import type { Block, ReadDocument } from "../readers/outline.ts"
import { type Reference, referencesIn } from "../references/find-references.ts"
import { numberOfHeading, numberOfText } from "../references/section-numbers.ts"

export type DocumentParagraph = {
  readonly id: string
  readonly text: string
  readonly line: number
  readonly page: number | null
  readonly headings: readonly string[]
  readonly number: string | null
  readonly citation: string
  readonly anchors: readonly string[]
  readonly references: readonly Reference[]
}

/**
 * An id derives from the document and the paragraph's own words, so that edits elsewhere do not change
 * it; equal paragraphs are numbered.
 */
export function splitDocument(
  read: ReadDocument,
  document: { readonly id: string; readonly title: string },
): readonly DocumentParagraph[] {
  const counts = new Map<string, number>()
  const idOf = (text: string): string => {
    const own = shortHash(normalised(text))
    const times = (counts.get(own) ?? 0) + 1
    counts.set(own, times)
    return `${document.id}.${own}${times === 1 ? "" : `-${times}`}`
  }
  const cited = read.citeAs ?? document.title
  return read.blocks.flatMap(piecesOf).map(({ links, ...block }) => {
    const number = numberOf(block)
    return {
      id: idOf(block.text),
      ...block,
      number,
      citation: cite(cited, number, block.headings),
      references: referencesIn(block.text, links),
    }
  })
}

export function shortHash(text: string): string {
  const digest = hash("sha256", text, "buffer")
  let value = digest.readUIntBE(0, 5)
  let short = ""
  for (let at = 0; at < 8; at++) {
    short += ALPHABET[value % 32] ?? ""
    value = Math.floor(value / 32)
  }
  return short
}

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"

function normalised(text: string): string {
  const words = text
    .normalize("NFKC")
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu)
  return words === null ? text.trim() : words.join(" ")
}

function numberOf(block: Pick<Block, "text" | "headings">): string | null {
  const own = numberOfText(block.text)
  if (own !== null) return own
  const numbered = block.headings.map(numberOfHeading).findLast((it) => it !== null)
  return numbered ?? null
}

function cite(name: string, number: string | null, headings: readonly string[]): string {
  if (number !== null)
    return /^[A-Z]?\d/.test(number) ? `${name} § ${number}` : `${name}, ${number}`
  const heading = headings.at(-1)
  return heading === undefined || heading === name ? name : `${name}, ${heading}`
}

function piecesOf(block: Block): readonly Block[] {
  if (block.text.length <= LONGEST_PARAGRAPH_UNITS) return [block]
  const pieces: Block[] = []
  let rest = block.text
  let { line } = block
  while (rest.length > 0) {
    const text = rest.slice(0, placeToCut(rest))
    rest = rest.slice(text.length)
    const isFirst = pieces.length === 0
    const own = { links: isFirst ? block.links : [], anchors: isFirst ? block.anchors : [] }
    if (text.trim() !== "") pieces.push({ ...block, ...own, text: text.trim(), line })
    line += text.split("\n").length - 1
  }
  return pieces
}

function placeToCut(text: string): number {
  if (text.length <= LONGEST_PARAGRAPH_UNITS) return text.length
  const head = text.slice(0, LONGEST_PARAGRAPH_UNITS)
  const least = LONGEST_PARAGRAPH_UNITS / 2
  const ends = ["\n", ". ", " "].map((it) => head.lastIndexOf(it) + it.length)
  const end = ends.find((it) => it > least) ?? head.length
  // Never between the halves of a surrogate pair.
  return /[\uD800-\uDBFF]$/.test(head.slice(0, end)) ? end - 1 : end
}
