import { giveOthersATurn } from "#ground/base"
import {
  type Bm25fWeights,
  createPostings,
  knownForms,
  measureSymbols,
  nearestWords,
  type Query,
  rarityOf,
  SYMBOL_FIELDS,
  type SymbolField,
  type SymbolTerms,
  scoreSymbols,
  scoreTermGroups,
  type TermCounts,
  type TermGroup,
  type WordVectors,
  withForms,
  wordForms,
} from "#know/search"
import type { StoredParagraph } from "../library.ts"
import { expandAbbreviations, findAbbreviations } from "./abbreviations.ts"

const MOST_QUESTION_TERMS = 256

const PARAGRAPHS_A_TURN = 500

type ScoredNumber = { readonly number: number; readonly score: number }

export type WordIndex = {
  /** With vectors, related words and abbreviations of the texts count too. */
  search(question: string, vectors?: WordVectors): readonly ScoredNumber[]
  matched(question: string, paragraph: number): readonly string[]
}

const WEIGHTS: Bm25fWeights = {
  k1: 1.2,
  path: { weight: 0.8, b: 0 },
  name: { weight: 2, b: 0.3 },
  signature: { weight: 1, b: 0.3 },
  comments: { weight: 1.5, b: 0 },
  body: { weight: 1, b: 0.5 },
}

export async function indexWords(paragraphs: readonly StoredParagraph[]): Promise<WordIndex> {
  const postings = createPostings(SYMBOL_FIELDS.length)
  const measured: Pick<SymbolTerms, "lengths">[] = []
  const vocabulary = new Set<string>()
  for (const paragraph of paragraphs) {
    if (paragraph.number % PARAGRAPHS_A_TURN === 0) await giveOthersATurn()
    const fields = fieldsOf(paragraph)
    const counted = SYMBOL_FIELDS.map((field) => countProse(fields[field]))
    postings.put(
      paragraph.number,
      counted.map(({ counts }) => counts),
    )
    for (const { counts } of counted) for (const term of counts.keys()) vocabulary.add(term)
    measured.push({ lengths: counted.map(({ length }) => length) })
  }
  const lengths = measureSymbols(measured)
  const index = { postingsOf: postings.of, lengths }
  const isKnown = (term: string) => postings.of(term).length > 0
  const groupsOf = createGroups({ paragraphs, vocabulary, isKnown, documentsOf })
  function documentsOf(term: string): number {
    return postings.of(term).length / (SYMBOL_FIELDS.length + 1)
  }
  return {
    search(question, vectors) {
      const query = readQuestion(question)
      const scored =
        vectors === undefined
          ? scoreSymbols(withForms(query, knownForms(query, isKnown)), index, WEIGHTS)
          : scoreTermGroups(groupsOf(query, vectors), index, WEIGHTS)
      return scored.map(({ symbol, score }) => ({ number: symbol, score }))
    },
    matched(question, number) {
      const paragraph = paragraphs[number]
      if (paragraph === undefined) return []
      const has = countProse(Object.values(fieldsOf(paragraph)).join("\n")).counts
      const isInText = (term: string) => has.has(term) || wordForms(term).some((it) => has.has(it))
      const matched = [...askedIn(question)].filter(([term]) => isInText(term))
      return matched.map(([, { word }]) => word)
    },
  }
}

type GroupDeps = {
  readonly paragraphs: readonly StoredParagraph[]
  readonly vocabulary: ReadonlySet<string>
  isKnown(term: string): boolean
  documentsOf(term: string): number
}

/** Other forms of a word mean the same, but the form that was asked for comes first. */
const FORM_WEIGHT = 0.6

/** A related word weighs this power of its cosine: 0.8 counts half, 0.5 an eighth. */
const COSINE_POWER = 3

const FRAME_WEIGHT = 0.3

/** The words of an abbreviation are common ones. */
const ABBREVIATION_WEIGHT = 0.6

function createGroups({ paragraphs, vocabulary, isKnown, documentsOf }: GroupDeps) {
  let abbreviations: ReturnType<typeof findAbbreviations> | undefined
  let near: { readonly of: WordVectors; readonly find: ReturnType<typeof nearestWords> } | undefined
  return (query: Query, vectors: WordVectors): readonly TermGroup[] => {
    abbreviations ??= findAbbreviations(textsOf(paragraphs))
    near = near?.of === vectors ? near : { of: vectors, find: nearestWords(vectors, vocabulary) }
    const { find } = near
    const rarity = (term: string) => rarityOf(documentsOf(term), paragraphs.length)
    const membersOf = (term: string) => [
      { term, weight: 1 },
      ...wordForms(term)
        .filter(isKnown)
        .map((it) => ({ term: it, weight: FORM_WEIGHT })),
      ...find(term).map((it) => ({ term: it.word, weight: it.cosine ** COSINE_POWER })),
    ]
    const groups = query.terms.map((term, at) => {
      if (FRAME_WORDS.has(term)) {
        return { rarity: rarity(term) * FRAME_WEIGHT, members: [{ term, weight: 1 }] }
      }
      return { rarity: rarity(term) * (query.weights[at] ?? 1), members: membersOf(term) }
    })
    const others = expandAbbreviations(new Set(query.terms), abbreviations)
    const added = others.map((term) => ({
      rarity: rarity(term) * ABBREVIATION_WEIGHT,
      members: [{ term, weight: 1 }],
    }))
    return [...groups, ...added]
  }
}

/** Words that frame a question or a rule; words that are related to them are not about its subject. */
const FRAME_WORDS: ReadonlySet<string> = new Set(
  `about after again allowed already also always am any anybody before can cannot come could each even
  every fast first get give go going happen happens just keep know least let like long make many may
  maximum more most much must need never next no nobody not now off often once only other out over
  own permitted put same say see shall should somebody someone something soon still such sure take
  tell thing time too under until up us use used using want way well while without yet`.split(
    /\s+/,
  ),
)

function* textsOf(paragraphs: readonly StoredParagraph[]): Generator<string> {
  for (const { body, document } of paragraphs) {
    yield body.text
    if (body.headings.length > 0) yield body.headings.join("\n")
    yield document.title
  }
}

function fieldsOf({ document, body }: StoredParagraph): Readonly<Record<SymbolField, string>> {
  return {
    path: document.title,
    name: body.headings.at(-1) ?? "",
    signature: body.headings.slice(0, -1).join("\n"),
    comments: body.number ?? "",
    body: body.text,
  }
}

function readQuestion(question: string): Query {
  const terms = [...askedIn(question)].slice(0, MOST_QUESTION_TERMS)
  return {
    terms: terms.map(([term]) => term),
    weights: Float64Array.from(terms, ([, { times }]) => Math.sqrt(Math.min(times, 3))),
    isSubject: terms.map(() => true),
  }
}

function askedIn(question: string) {
  const terms = new Map<string, { readonly word: string; times: number }>()
  eachWord(question, (term, word) => {
    // As written: the fold could turn a stop word into another word.
    if (STOP_WORDS.has(word.toLowerCase())) return
    const before = terms.get(term)
    if (before === undefined) terms.set(term, { word, times: 1 })
    else before.times++
  })
  return terms
}

/** Words in any script, and section numbers (4.2). The code terms of search/words.ts have neither. */
function countProse(text: string): { readonly counts: TermCounts; readonly length: number } {
  const counts = new Map<string, number>()
  let length = 0
  eachWord(text, (term) => {
    length++
    counts.set(term, (counts.get(term) ?? 0) + 1)
  })
  return { counts, length }
}

function eachWord(text: string, visit: (term: string, word: string) => void): void {
  for (const word of text.normalize("NFKC").match(WORD) ?? []) {
    if (UNSPACED.test(word)) for (const pair of pairsOf(word)) visit(pair, pair)
    else if (word.length <= LONGEST_TERM_UNITS) visit(fold(word), word)
  }
}

/** Without shall, may, not, which rules depend on. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `a an and are as at be been by do does for from had has have he her here his how i if in into is
  it its me my of on or our she so than that the their them then there these they this those to was
  we were what when where which who whom whose why will with would you your`.split(/\s+/),
)

const WORD = /\p{N}{1,6}(?:\.\p{N}{1,6}){1,6}|[\p{L}\p{M}\p{N}]+/gu
const LONGEST_TERM_UNITS = 80

/** Scripts without spaces: pairs of characters are terms. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

function pairsOf(word: string): readonly string[] {
  const characters = Array.from(word)
  if (characters.length === 1) return [word]
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`)
}

/** English plural only; other forms of a word count less (`withForms`). */
function fold(word: string): string {
  const small = word.toLowerCase()
  if (small.length < 4 || !small.endsWith("s")) return small
  if (/(?:ss|us|is)$/.test(small)) return small
  if (small.endsWith("ies") && small.length > 4) return `${small.slice(0, -3)}y`
  return /(?:sses|shes|ches|xes)$/.test(small) ? small.slice(0, -2) : small.slice(0, -1)
}
