import { wordForms } from "#know/search"
import { phraseTerms } from "./prose-terms.ts"

/** A text with the headings above it, which say whether it is a glossary. */
export type DefiningText = { readonly text: string; readonly headings: readonly string[] }

/** A question with all terms of `from` may also mean `to`. */
export type Synonym = { readonly from: readonly string[]; readonly to: readonly string[] }

const MOST_SYNONYMS = 5_000

/** More words are an explanation, not a name. */
const MOST_NAME_WORDS = 4

const MOST_LINE_CHARACTERS = 2_000

/** A phrase with more meanings says nothing about the question. */
const MOST_MEANINGS = 3

/**
 * Pairs of names that the texts themselves define, in the order of the texts: "X, also called Y",
 * "X (the “Y”)", "“X” means Y", and the entries of glossaries. A name leads to the other and back;
 * a definition leads only to the defined term.
 */
export function findSynonyms(texts: Iterable<DefiningText>): readonly Synonym[] {
  const synonyms = new Map<string, Synonym>()
  const meanings = new Map<string, number>()
  const add = (from: readonly string[], to: readonly string[]): void => {
    const key = `${from.join(" ")} = ${to.join(" ")}`
    const times = meanings.get(from.join(" ")) ?? 0
    if (synonyms.size >= MOST_SYNONYMS || synonyms.has(key) || times >= MOST_MEANINGS) return
    meanings.set(from.join(" "), times + 1)
    synonyms.set(key, { from, to })
  }
  for (const { text, headings } of texts) {
    const isGlossary = headings.some((it) => GLOSSARY.test(it))
    for (const pair of pairsIn(text, isGlossary)) {
      const [one, other] = [phraseTerms(pair.name), phraseTerms(pair.meaning)]
      if (one.length === 0 || other.length === 0 || one.join(" ") === other.join(" ")) continue
      add(other, one)
      if (pair.isName) add(one, other)
    }
  }
  return [...synonyms.values()]
}

const GLOSSARY =
  /\b(?:glossary|definitions?|terms|terminology|synonyms|abbreviations|vocabulary)\b/i

type Pair = {
  readonly name: string
  readonly meaning: string
  /** Both are names of one thing; otherwise `meaning` is the beginning of a definition. */
  readonly isName: boolean
}

function* pairsIn(text: string, isGlossary: boolean): Generator<Pair> {
  const lines = text.split("\n")
  const isTable = TABLE_HEADER.test(lines[0] ?? "")
  for (const [at, whole] of lines.entries()) {
    if (isTable && at === 0) continue
    const line = whole.slice(0, MOST_LINE_CHARACTERS)
    if (MAY_DEFINE.test(line)) yield* statedIn(line)
    if (isTable) yield* entryOf(cellsOf(line))
    else if (isGlossary) yield* entryOf(ENTRY.exec(line.replace(LIST_MARK, "")) ?? [])
  }
}

const MAY_DEFINE = /also |known as|called|named|another |short for|stands for|means|\((?:the )?["“]/
const TABLE_HEADER =
  /^\|?\s?(?:term|word|name|abbreviation|synonym)s?\s?\|\s?(?:meaning|definition|synonym|also called|explanation|term)s?\b/i
const LIST_MARK = /^(?:[-*•]|\d[\d.]{0,8})\s/
const ENTRY = /^([^:–—]{2,60}?)\s?(?::|–|—|\s-)\s(.{2,})$/

function cellsOf(line: string): readonly string[] {
  return [line, ...line.replace(/^\|/, "").split("|").slice(0, 2)]
}

/** An entry of a glossary: a short meaning is another name, "see X" too; a longer one is a definition. */
function* entryOf([, term = "", meaning = ""]: readonly string[]): Generator<Pair> {
  const [, own = "", alias] = /^([^(]{2,60})(?:\(([^()]{2,40})\))?\s?$/.exec(term.trim()) ?? []
  const name = unquoted(own)
  if (!isName(name)) return
  if (alias !== undefined && isName(alias)) yield { name, meaning: unquoted(alias), isName: true }
  const text = meaning.trim().replace(SEE, "").replace(/[.;]$/, "")
  for (const part of text.split(/[,;]\s/).slice(0, MOST_MEANINGS)) {
    if (text.length <= 80 && isName(part)) yield { name, meaning: unquoted(part), isName: true }
  }
  const genus = genusOf(text)
  if (genus !== undefined) yield { name, meaning: genus, isName: false }
}

const SEE = /^(?:see(?: also)?|also (?:called|known as)) /i

function* statedIn(line: string): Generator<Pair> {
  for (const { index, 0: words } of line.matchAll(ALSO_CALLED)) {
    const name = nameBefore(line.slice(0, index))
    const meaning = nameAfter(line.slice(index + words.length))
    if (name !== undefined && meaning !== undefined) yield { name, meaning, isName: true }
  }
  for (const { index, 1: meaning = "" } of line.matchAll(QUOTED_IN_BRACKETS)) {
    const name = nameBefore(line.slice(0, index))
    if (name !== undefined && isName(meaning)) yield { name, meaning, isName: true }
  }
  for (const { index, 0: words, 1: name = "" } of line.matchAll(DEFINED)) {
    const meaning = genusOf(line.slice(index + words.length))
    if (meaning !== undefined) yield { name, meaning, isName: false }
  }
}

const ALSO_CALLED =
  /,? (?:\((?:also|sometimes|formerly) (?:called|known as|named)|(?:(?:is|are) )?(?:also|sometimes|formerly) (?:called|known as|named)|(?:is|are) (?:another (?:name|word|term) for|short for)|stands? for) /g
const QUOTED_IN_BRACKETS = / \((?:the )?["“]([^"“”]{2,40})["”]\)/g
const DEFINED = /["“](\p{Lu}[\p{L}’' -]{1,40}?)["”] means /gu

/** The first words of a definition, up to its first clause: "a change of a Booking" that … */
function genusOf(definition: string): string | undefined {
  const [start = ""] = definition.replace(ARTICLE, "").split(/[.,;:()]|["“”]/, 1)
  const words = start.split(" ")
  const end = words.findIndex((it) => CLAUSE_WORDS.has(it.toLowerCase()))
  const genus = words.slice(0, end === -1 ? undefined : end).join(" ")
  const { length } = phraseTerms(genus)
  return length >= 2 && length <= MOST_NAME_WORDS ? genus : undefined
}

/** The name before a place: in quotes, in capitals, or what follows an article. */
function nameBefore(text: string): string | undefined {
  const [, quoted] = /["“]([^"“”]{2,40})["”]$/.exec(text) ?? []
  if (quoted !== undefined) return isName(quoted) ? quoted : undefined
  const words = text
    .slice(-80)
    .split(" ")
    .slice(-MOST_NAME_WORDS - 1)
  const article = words.findLastIndex((it) => ARTICLES.has(it.toLowerCase()))
  const first = words.findLastIndex((it) => !/^\p{Lu}/u.test(it)) + 1
  const from = first < words.length ? first : article + 1
  const name = words.slice(from).join(" ")
  const isWhole = from > 0 || text.length < 80
  const hasStart = first < words.length || article >= 0 || words.length <= 2
  return isWhole && hasStart && isName(name) ? name : undefined
}

/** The name after a place, up to a punctuation mark or a word that no name has. */
function nameAfter(text: string): string | undefined {
  const [, quoted] = /^(?:an? |the )?["“]([^"“”]{2,40})["”]/.exec(text) ?? []
  if (quoted !== undefined) return isName(quoted) ? quoted : undefined
  const [start = ""] = text.slice(0, 80).split(/[.,;:()]/, 1)
  const words = start.replace(ARTICLE, "").split(" ")
  const end = words.findIndex((it) => CLAUSE_WORDS.has(it.toLowerCase()) || JOINS.has(it))
  const name = words.slice(0, end === -1 ? undefined : end).join(" ")
  return isName(name) ? name : undefined
}

function isName(text: string): boolean {
  const words = unquoted(text).split(/\s+/)
  if (words.length > MOST_NAME_WORDS || !/^[\p{L}\p{N}’'&/ -]{2,60}$/u.test(unquoted(text)))
    return false
  return phraseTerms(text).length > 0 && !words.some((it) => CLAUSE_WORDS.has(it.toLowerCase()))
}

function unquoted(text: string): string {
  return text
    .trim()
    .replace(ARTICLE, "")
    .replace(/^["“*_]{1,2}/, "")
    .replace(/["”*_]{1,2}$/, "")
}

const ARTICLE = /^(?:an?|any|each|every|the) /i
const ARTICLES: ReadonlySet<string> = new Set("a an the each every any this such".split(" "))
const JOINS: ReadonlySet<string> = new Set("and or but in on at of for by to with from".split(" "))

/** Words that begin a clause, so that no name has them. */
const CLAUSE_WORDS: ReadonlySet<string> = new Set(
  `after although as because before between has have if is are must may not shall so than that unless
  until was were when whenever where which while who whose will with without`.split(/\s+/),
)

/** Terms that a question with these terms may also mean, with the synonym they come from. */
export function expandSynonyms(
  terms: ReadonlySet<string>,
  synonyms: readonly Synonym[],
): readonly Synonym[] {
  const isInQuestion = (term: string) =>
    terms.has(term) || wordForms(term).some((it) => terms.has(it))
  return synonyms
    .filter(({ from, to }) => from.every(isInQuestion) && !to.every(isInQuestion))
    .slice(0, MOST_EXPANSIONS)
}

const MOST_EXPANSIONS = 8
