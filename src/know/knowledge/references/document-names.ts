import type { Library } from "../library.ts"
import type { DocumentRow } from "../queries.ts"

/**
 * What people call a document: its title, how it is cited, its file name, the title's short form
 * ("ISA 315: Identifying risks", "Fee Rules (FR)"), the initials of a numbered title, and
 * abbreviations that a text of the library introduces ("the Fee Rules (FR)").
 */
export type DocumentNames = {
  /** The longest name at the end (`last`) or the start of these words; undefined if ambiguous. */
  find(words: string, from: DocumentRow, end: "first" | "last"): DocumentRow | undefined
  /** Whether a document's name starts with this word and a number, such as ISA 315. */
  isSeries(word: string): boolean
}

const MOST_NAME_WORDS = 24

export function createDocumentNames(library: Library): DocumentNames {
  const byName = new Map<string, Set<DocumentRow>>()
  const put = (name: string, document: DocumentRow): void => {
    const key = plainName(name)
    if (key === "") return
    const documents = byName.get(key) ?? new Set()
    byName.set(key, documents.add(document))
  }
  for (const document of library.documents) {
    const [first] = library.byDocument.get(document.id) ?? []
    for (const name of namesOf(document.title)) put(name, document)
    for (const name of namesOf(citedAs(first?.body.citation ?? ""))) put(name, document)
    put(fileName(document.path), document)
  }
  for (const [name, title] of introduced(library)) {
    const documents = byName.get(plainName(title))
    if (documents?.size === 1) for (const it of documents) put(name, it)
  }
  const series = new Set([...byName.keys()].flatMap((it) => /^(\p{L}+) \d+$/u.exec(it)?.[1] ?? []))
  const named = (words: readonly string[], from: DocumentRow, end: "first" | "last") => {
    for (let length = Math.min(words.length, MOST_NAME_WORDS); length > 0; length--) {
      const part = end === "last" ? words.slice(-length) : words.slice(0, length)
      const documents = [...(byName.get(part.join(" ")) ?? [])]
      if (documents.length === 0) continue
      const near = documents.filter((it) => it.folder === from.folder)
      const [only, ...others] = near.length > 0 ? near : documents
      return others.length === 0 ? only : undefined
    }
    return undefined
  }
  return {
    isSeries: (word) => series.has(plainName(word)),
    find(words, from, end) {
      const document = named(wordsOf(words), from, end)
      const qualifiers = [...words.matchAll(BRACKETS)].map((it) => plainName(it[0]))
      if (document !== undefined || qualifiers.length === 0) return document
      // "ISA 315 (Revised)", if the document is the revised one.
      const plain = named(wordsOf(words.replaceAll(BRACKETS, " ")), from, end)
      const title = plainName(plain?.title ?? "")
      return qualifiers.every((it) => title.includes(it)) ? plain : undefined
    },
  }
}

const BRACKETS = /\([^()]*\)/g

/** Shorter ones are no name: "ISA 315: Scope". */
const LEAST_SUBTITLE_WORDS = 3

/** "Fee Rules (FR)" is also Fee Rules and FR; "ISA 315: Risks" is also ISA 315. */
function namesOf(title: string): readonly string[] {
  const inside = [...title.matchAll(/\(([^()]{2,60})\)/g)].map((it) => it[1] ?? "")
  const outside = title.replaceAll(BRACKETS, " ")
  const [head = ""] = outside.split(/[:,–—]\s|\s-\s/, 1)
  const subtitle = outside.slice(head.length).replace(/^[^\p{L}\p{N}]+/u, "")
  const isName = subtitle.split(" ").length >= LEAST_SUBTITLE_WORDS
  const numbered = [outside, head].flatMap(initialsOf)
  const names = [title, outside, head, ...(isName ? [subtitle] : [])]
  return [...names, ...numbered, ...inside.filter(isAbbreviation)]
}

const isAbbreviation = (text: string): boolean => /^\p{Lu}[\p{Lu}\p{N} .-]*$/u.test(text)

/** "International Standard on Auditing 315" is ISA 315. */
function initialsOf(name: string): readonly string[] {
  const [, words = "", number = ""] = /^([\p{L} -]+?) (\d{1,4})(?: |$)/u.exec(name) ?? []
  const capitals = words.split(/[ -]/).filter((it) => /^\p{Lu}/u.test(it))
  const initials = capitals.map((it) => it[0]).join("")
  return [
    ...(number === "" ? [] : [`${words} ${number}`]),
    ...(capitals.length >= 2 ? [`${initials} ${number}`] : []),
  ]
}

function citedAs(citation: string): string {
  return citation.replace(/(?: § |, )[^]*$/u, "")
}

function fileName(file: string): string {
  const name = file.split("/").at(-1) ?? ""
  return name.replace(/\.[a-z]+$/i, "").replaceAll(/[-_]/g, " ")
}

const INTRODUCED = / \((?:the )?["“]?(\p{Lu}[\p{Lu}\p{N}.-]{1,9})["”]?\)/gu
const MOST_TITLE_CHARACTERS = 160

/** Any number of the words before the bracket may be the title. */
function introduced(library: Library): ReadonlyMap<string, string> {
  const titles = new Set(library.documents.map((it) => plainName(it.title)))
  const titleByName = new Map<string, string>()
  for (const { body } of library.paragraphs) {
    if (!body.text.includes("(")) continue
    for (const { 1: name = "", index } of body.text.matchAll(INTRODUCED)) {
      const before = body.text.slice(Math.max(0, index - MOST_TITLE_CHARACTERS), index)
      const words = wordsOf(before)
      const title = words.map((_, at) => words.slice(at).join(" ")).find((it) => titles.has(it))
      if (title !== undefined) titleByName.set(name, title)
    }
  }
  return titleByName
}

export function plainName(name: string): string {
  return wordsOf(name).join(" ")
}

function wordsOf(text: string): readonly string[] {
  const words =
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  return words[0] === "the" ? words.slice(1) : words
}
