import type { Link } from "../readers/outline.ts"

/** A table of contents has more, and they lead everywhere. */
const MOST_REFERENCES_OF_A_PARAGRAPH = 50

export type Reference = {
  readonly kind: "link" | "section" | "wiki"
  /**
   * A path with an anchor, a title, or a number: "4.2", "4.2 of Pilot Guide", "4.2 in Pilot Guide",
   * "4.2 near Late Arrival" and "4.2 by Late Arrival" (a name before or after, or not),
   * "315.13 at ISA 315" (a reference or not).
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

const NUMBER = String.raw`(?:[A-Z]\d{1,3}(?![\w’'])|\d{1,3}(?:\.\d{1,3}){0,5}|[A-Z](?![\w’']))`
const PART_WORD =
  "sections?|secs?\\.|clauses?|cls?\\.|paragraphs?|paras?\\.?|pars?\\.|chapters?|articles?|arts?\\.|rules?|annex(?:es)?|annexes?|appendix(?:es)?|appendices?|schedules?"
const SECTION = new RegExp(
  String.raw`(?:(§§?|¶¶?)[ \u00a0]?|\b(${PART_WORD})[ \u00a0])(${NUMBER}(?:(?:, ?(?:and |or )?| (?:and|or|to) | ?[–-] ?)(?:§ ?)?${NUMBER}){0,5})`,
  "giu",
)

function sectionsIn(text: string): readonly Reference[] {
  const references: Reference[] = []
  for (const match of text.matchAll(SECTION)) {
    const [words, , word = "", numbers = ""] = match
    const prefix = prefixOf(word.toLowerCase())
    const name = nameAround(text, match.index, { end: match.index + words.length, prefix })
    for (const [number] of numbers.matchAll(new RegExp(NUMBER, "gu"))) {
      const isLetter = /^[A-Z]$/.test(number)
      if (isLetter && !LETTERED.has(prefix)) continue
      // "Rule 3" is mostly no reference.
      if (/^rule/i.test(word) && !number.includes(".")) continue
      references.push({
        kind: "section",
        target: `${prefix}${number}${name}`,
        words: words.slice(0, 300),
      })
    }
    if (references.length > MOST_REFERENCES_OF_A_PARAGRAPH) break
  }
  return references
}

/** Sections, clauses and chapters are their number; articles and annexes keep their word. */
function prefixOf(word: string): string {
  if (word.startsWith("annex")) return "annex "
  if (word.startsWith("append")) return "appendix "
  if (word.startsWith("art")) return "article "
  return word.startsWith("schedule") ? "schedule " : ""
}

const LETTERED: ReadonlySet<string> = new Set(["annex ", "appendix ", "schedule "])

/** The name of the document, if the text names one after or before the number. */
function nameAround(
  text: string,
  start: number,
  { end, prefix }: { readonly end: number; readonly prefix: string },
): string {
  const rest = text.slice(end, end + 300)
  const after = TITLE_AFTER.exec(rest)
  const isTo = after?.[1] === "to"
  if (after !== null && (!isTo || LETTERED.has(prefix))) return ` of ${after[2]}`
  const before = titleBefore(text, start)
  if (before !== undefined) return ` ${before.isCertain ? "in" : "near"} ${before.words}`
  const beside = TITLE_BESIDE.exec(rest)?.[1]
  return beside === undefined ? "" : ` by ${beside}`
}

/** "ISA 315.13", "ISA 315.A12" and "Fee Rules 4.1" name the document and the part in one. */
const SERIES =
  /(\d{1,4})( \([^()]{1,40}\))?\.([A-Z]?\d{1,3}(?:\.\d{1,3}){0,4})(?:[–-](\d{1,3}))?(?![\p{L}\p{N}]|\.\d)/gu

const IS_PART_WORD = new RegExp(String.raw`^(?:${PART_WORD}|part|version)$`, "iu")

function seriesIn(text: string): readonly Reference[] {
  return [...text.matchAll(SERIES)].flatMap((match): readonly Reference[] => {
    const [words, number = "", revision = "", part = "", last] = match
    const name = nameOfSeries(text, match.index)
    if (name === undefined) return []
    const series = `${name} ${number}${revision}`
    return [part, ...(last === undefined ? [] : [last])].map((it) => ({
      kind: "section",
      target: `${number}.${it} at ${series}`,
      words: `${name} ${words}`.slice(0, 300),
    }))
  })
}

/** "ISA 315" and "ISA315"; undefined if no name is directly before. */
function nameOfSeries(text: string, at: number): string | undefined {
  if (!/[\s\u00a0]/.test(text.slice(at - 1, at))) {
    return /(?<![\p{L}\p{N}])\p{Lu}{2,9}$/u.exec(text.slice(Math.max(0, at - 12), at))?.[0]
  }
  const name = titleBefore(text, at)
  if (name === undefined || !name.isCertain) return undefined
  return IS_PART_WORD.test(name.words) ? undefined : name.words
}

const TITLE_WORD = String.raw`\p{Lu}[\p{L}\p{N}’'-]{0,40}`
const SMALL_WORDS = "of|and|for|the|on|to|in|a|an|with"
const TITLE = String.raw`${TITLE_WORD}(?: (?:${TITLE_WORD}|(?:${SMALL_WORDS})(?!\p{L})|\d{1,4}|\([^()]{1,40}\))){0,20}`
/** "18(a) of ISA 330", "Annex B to the Fee Rules". */
const TITLE_AFTER = new RegExp(
  String.raw`^(?:\([a-z0-9]{1,4}\)){0,3} (of|to) (?:the )?(${TITLE})`,
  "u",
)
/** "Art. 7 Pilot Act". */
const TITLE_BESIDE = new RegExp(String.raw`^ (${TITLE})`, "u")

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
 * `Pilot Guide § 4.2`, `ISA 315 (Revised), § 13`. Undefined if no name ends before `end`.
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
