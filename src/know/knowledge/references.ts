import { MOST_REFERENCES_OF_A_PARAGRAPH } from "./limits.ts"
import type { Link } from "./readers/outline.ts"

/** What a paragraph points to, as it is written; where that is, is found when somebody asks. */
export type Reference = {
  readonly kind: "link" | "section" | "wiki"
  /** A path with an anchor, a number ("4.2", "4.2 of Pilot Guide", "4.2 in Pilot Guide"), a title. */
  readonly target: string
  readonly words: string
}

/** All references of a paragraph, in the order in which they are found, each once. */
export function referencesIn(text: string, links: readonly Link[]): readonly Reference[] {
  const found = [...links.flatMap(referenceOfLink), ...sectionsIn(text)]
  const byTarget = new Map(found.map((it) => [`${it.kind} ${it.target}`, it]))
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

const DOCUMENTS: ReadonlySet<string> = new Set(["md", "markdown", "html", "htm", "txt", "text"])

const NUMBER = String.raw`(?:\d{1,3}(?:\.\d{1,3}){0,5}|[A-Z](?![\w’']))`
/** A sign or word, a number, and more numbers: `§§ 4.2 and 4.3`, `Annex B`. */
const SECTION = new RegExp(
  String.raw`(?:(§§?)[ \u00a0]?|\b(section|sec\.|clause|paragraph|chapter|article|annex|annexe|appendix|schedule|appendice)(?:e?s)?[ \u00a0])(${NUMBER}(?:(?:, ?(?:and |or )?| (?:and|or|to) | ?[–-] ?)(?:§ ?)?${NUMBER}){0,5})`,
  "giu",
)

function sectionsIn(text: string): readonly Reference[] {
  const found: Reference[] = []
  for (const match of text.matchAll(SECTION)) {
    const [words, , word = "", numbers = ""] = match
    const wanted = prefixOf(word.toLowerCase())
    const after = titleAfter(text, match.index + words.length)
    const before = after === undefined ? titleBefore(text, match.index) : undefined
    for (const [number] of numbers.matchAll(new RegExp(NUMBER, "gu"))) {
      const isLetter = /^[A-Z]$/.test(number)
      if (isLetter && !LETTERED.has(wanted)) continue
      const target = `${wanted}${number}${sayTitle(after, before)}`
      found.push({ kind: "section", target, words: words.slice(0, 300) })
    }
    if (found.length > MOST_REFERENCES_OF_A_PARAGRAPH) break
  }
  return found
}

/** Sections, clauses and chapters are their number; articles and annexes keep their word. */
function prefixOf(word: string): string {
  if (word.startsWith("annex")) return "annex "
  if (word.startsWith("append")) return "appendix "
  return word === "article" || word === "schedule" ? `${word} ` : ""
}

const LETTERED: ReadonlySet<string> = new Set(["annex ", "appendix ", "schedule "])

function sayTitle(after: string | undefined, before: string | undefined): string {
  if (after !== undefined) return ` of ${after}`
  return before === undefined ? "" : ` in ${before}`
}

const TITLE_WORD = String.raw`\p{Lu}[\p{L}\p{N}’'-]{0,40}`
const TITLE_AFTER = new RegExp(
  String.raw`^ of (?:the )?(${TITLE_WORD}(?: (?:${TITLE_WORD}|of|and|for|the|on|\d{1,4})){0,8})`,
  "u",
)
const TITLE_BEFORE = new RegExp(String.raw`((?:${TITLE_WORD} ){1,6}),? ?$`, "u")

/** `section 4.2 of the Pilot Guide`: it says itself where it lies. */
function titleAfter(text: string, from: number): string | undefined {
  return TITLE_AFTER.exec(text.slice(from, from + 300))?.[1]
}

/** `Pilot Guide § 4.2`: perhaps a title, perhaps only the first words of a sentence. */
function titleBefore(text: string, end: number): string | undefined {
  return TITLE_BEFORE.exec(text.slice(Math.max(0, end - 120), end).replaceAll(",", ""))?.[1]?.trim()
}
