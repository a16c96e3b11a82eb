import { hash } from "node:crypto"
import { LONGEST_PARAGRAPH_UNITS } from "../limits.ts"
import type { Block, Link, ReadDocument } from "../readers/outline.ts"
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
  if (number !== null) return /^\d/.test(number) ? `${name} § ${number}` : `${name}, ${number}`
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

/** A table of contents has more, and they lead everywhere. */
const MOST_REFERENCES_OF_A_PARAGRAPH = 50

type Reference = {
  readonly kind: "link" | "section" | "wiki"
  /**
   * A path with an anchor, a title, or a number: "4.2", "4.2 of Pilot Guide", "4.2 in Pilot Guide",
   * "4.2 near Late Arrival" (a name or not), "315.13 at ISA 315" (a reference or not).
   */
  readonly target: string
  readonly words: string
}

export function referencesIn(text: string, links: readonly Link[]): readonly Reference[] {
  const references = [...links.flatMap(referenceOfLink), ...sectionsIn(text), ...seriesIn(text)]
  const byTarget = new Map(references.map((it) => [`${it.kind} ${it.target}`, it]))
  return [...byTarget.values()].slice(0, MOST_REFERENCES_OF_A_PARAGRAPH)
}

function referenceOfLink({ target, words }: Link): readonly Reference[] {
  const shown = words.slice(0, 300)
  if (target.startsWith("wiki:")) return [{ kind: "wiki", target: target.slice(5), words: shown }]
  const isElsewhere = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(target)
  const [path = ""] = target.split(/[#?]/, 1)
  const [, extension] = /\.([a-z0-9]{1,8})$/i.exec(path) ?? []
  const isDocument = extension === undefined || DOCUMENTS.has(extension.toLowerCase())
  return isElsewhere || !isDocument ? [] : [{ kind: "link", target, words: shown }]
}

const DOCUMENTS: ReadonlySet<string> = new Set("md markdown html htm txt text pdf docx".split(" "))

const NUMBER = String.raw`(?:\d{1,3}(?:\.\d{1,3}){0,5}|[A-Z](?![\w’']))`
const SECTION = new RegExp(
  String.raw`(?:(§§?)[ \u00a0]?|\b(section|sec\.|clause|paragraph|chapter|article|annex|annexe|appendix|schedule|appendice)(?:e?s)?[ \u00a0])(${NUMBER}(?:(?:, ?(?:and |or )?| (?:and|or|to) | ?[–-] ?)(?:§ ?)?${NUMBER}){0,5})`,
  "giu",
)

function sectionsIn(text: string): readonly Reference[] {
  const references: Reference[] = []
  for (const match of text.matchAll(SECTION)) {
    const [words, , word = "", numbers = ""] = match
    const prefix = prefixOf(word.toLowerCase())
    const after = titleAfter(text, match.index + words.length)
    const before = after === undefined ? titleBefore(text, match.index) : undefined
    for (const [number] of numbers.matchAll(new RegExp(NUMBER, "gu"))) {
      const isLetter = /^[A-Z]$/.test(number)
      if (isLetter && !LETTERED.has(prefix)) continue
      const target = `${prefix}${number}${formatTitle(after, before)}`
      references.push({ kind: "section", target, words: words.slice(0, 300) })
    }
    if (references.length > MOST_REFERENCES_OF_A_PARAGRAPH) break
  }
  return references
}

/** Sections, clauses and chapters are their number; articles and annexes keep their word. */
function prefixOf(word: string): string {
  if (word.startsWith("annex")) return "annex "
  if (word.startsWith("append")) return "appendix "
  return word === "article" || word === "schedule" ? `${word} ` : ""
}

const LETTERED: ReadonlySet<string> = new Set(["annex ", "appendix ", "schedule "])

function formatTitle(after: string | undefined, before: NameBefore | undefined): string {
  if (after !== undefined) return ` of ${after}`
  return before === undefined ? "" : ` ${before.isCertain ? "in" : "near"} ${before.words}`
}

/** "ISA 315.13" names the document and the part in one. */
const SERIES =
  /(?<![\p{L}\p{N}.])(\p{Lu}[\p{L}]{1,9})[ \u00a0](\d{1,4})\.(\d{1,3}(?:\.\d{1,3}){0,4})(?![\p{L}\p{N}]|\.\d)/gu

const PART_WORDS =
  /^(?:section|sec|clause|paragraph|chapter|article|annexe?|appendi|schedule|part)/i

function seriesIn(text: string): readonly Reference[] {
  return [...text.matchAll(SERIES)].flatMap(([words, name = "", number, part]): Reference[] =>
    PART_WORDS.test(name)
      ? []
      : [{ kind: "section", target: `${number}.${part} at ${name} ${number}`, words }],
  )
}

const TITLE_WORD = String.raw`\p{Lu}[\p{L}\p{N}’'-]{0,40}`
const SMALL_WORDS = "of|and|for|the|on|to|in|a|an|with"
const TITLE_AFTER = new RegExp(
  String.raw`^ of (?:the )?(${TITLE_WORD}(?: (?:${TITLE_WORD}|(?:${SMALL_WORDS})(?!\p{L})|\d{1,4}|\([^()]{1,40}\))){0,20})`,
  "u",
)

function titleAfter(text: string, from: number): string | undefined {
  return TITLE_AFTER.exec(text.slice(from, from + 300))?.[1]
}

type NameBefore = { readonly words: string; readonly isCertain: boolean }

const MOST_NAME_CHARACTERS = 200
const NAME_WORD = new RegExp(String.raw`^(?:${TITLE_WORD}|\d{1,4}|\([^()]{1,40}\))$`, "u")
const SMALL_WORD = new RegExp(String.raw`^(?:${SMALL_WORDS})$`, "u")

/** A capital at the start of a sentence does not make these a name. */
const NO_NAME = new Set(
  `a according after also and any as at before both but by contrary despite each either except for
  from his how however if in into is it its like neither no nor of on only or our pursuant section
  see since so subject such than that the their then these this those though through to under unless
  until upon when where whereas which while with within without`.split(/\s+/),
)

/**
 * `Pilot Guide § 4.2`, `ISA 315 (Revised), § 13`. Undefined if the word before is no part of a name.
 * After a comma it may be the end of a clause: "After Arrival, § 4.2 applies".
 */
function titleBefore(text: string, end: number): NameBefore | undefined {
  const before = text.slice(Math.max(0, end - MOST_NAME_CHARACTERS), end)
  const sentence = before.split(/[.;:!?]\s|[\n"“”]/).at(-1) ?? ""
  const isCertain = !sentence.trimEnd().endsWith(",")
  const tokens =
    sentence
      .trimEnd()
      .replace(/,$/, "")
      .match(/\([^()]*\)|[^\s()]+/g) ?? []
  const words: string[] = []
  for (const token of tokens.toReversed()) {
    // "AS § 2.2" names a document; "As § 2.2 says" does not.
    const isWord = NO_NAME.has(token.toLowerCase()) && !/^\p{Lu}{2,}$/u.test(token)
    const isName = NAME_WORD.test(token) && !isWord
    if (!isName && (words.length === 0 || !SMALL_WORD.test(token.toLowerCase()))) break
    words.unshift(token)
  }
  return words.length === 0 ? undefined : { words: words.join(" "), isCertain }
}
