import { giveOthersATurn, once } from "#ground/base"
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
  type TermGroup,
  type WordVectors,
  withForms,
  wordForms,
} from "#know/search"
import type { StoredParagraph } from "../library.ts"
import { expandAbbreviations, findAbbreviations } from "./abbreviations.ts"
import { askedIn, countProse } from "./prose-terms.ts"
import { type DefiningText, expandSynonyms, findSynonyms, type Synonym } from "./synonyms.ts"

const MOST_QUESTION_TERMS = 256

const PARAGRAPHS_A_TURN = 500

type ScoredNumber = { readonly number: number; readonly score: number }

export type Expansion = {
  readonly vectors: WordVectors
  /** Names that the texts define for one thing; without them the ablation compares. */
  readonly synonyms: boolean
}

export type WordIndex = {
  /** With vectors, related words, abbreviations and synonyms of the texts count too. */
  search(question: string, expansion?: Expansion): readonly ScoredNumber[]
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
    search(question, expansion) {
      const query = readQuestion(question)
      const scored =
        expansion === undefined
          ? scoreSymbols(withForms(query, knownForms(query, isKnown)), index, WEIGHTS)
          : scoreTermGroups(groupsOf(query, expansion), index, WEIGHTS)
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

/** Below 1, so that a text with the word of the question comes first. */
const SYNONYM_WEIGHT = 0.9
const SYNONYM_PHRASE_WEIGHT = 0.6

function createGroups({ paragraphs, vocabulary, isKnown, documentsOf }: GroupDeps) {
  const abbreviationsOf = once(() => findAbbreviations(textsOf(paragraphs)))
  const synonymsOf = once(() => findSynonyms(definingTexts(paragraphs)))
  let near: { readonly of: WordVectors; readonly find: ReturnType<typeof nearestWords> } | undefined
  return (query: Query, { vectors, synonyms }: Expansion): readonly TermGroup[] => {
    near = near?.of === vectors ? near : { of: vectors, find: nearestWords(vectors, vocabulary) }
    const { find } = near
    const questionTerms = new Set(query.terms)
    const named = synonyms ? expandSynonyms(questionTerms, synonymsOf()) : []
    const rarity = (term: string) => rarityOf(documentsOf(term), paragraphs.length)
    const membersOf = (term: string) => [
      { term, weight: 1 },
      ...wordForms(term)
        .filter(isKnown)
        .map((it) => ({ term: it, weight: FORM_WEIGHT })),
      ...find(term).map((it) => ({ term: it.word, weight: it.cosine ** COSINE_POWER })),
      ...otherNames(term, named).map((it) => ({ term: it, weight: SYNONYM_WEIGHT })),
    ]
    const groups = query.terms.map((term, at) => {
      if (FRAME_WORDS.has(term)) {
        return { rarity: rarity(term) * FRAME_WEIGHT, members: [{ term, weight: 1 }] }
      }
      return { rarity: rarity(term) * (query.weights[at] ?? 1), members: membersOf(term) }
    })
    const others = new Map([
      ...phrasesOf(named, questionTerms).map((term) => [term, SYNONYM_PHRASE_WEIGHT] as const),
      ...expandAbbreviations(questionTerms, abbreviationsOf()).map(
        (term) => [term, ABBREVIATION_WEIGHT] as const,
      ),
    ])
    const added = [...others].map(([term, weight]) => ({
      rarity: rarity(term) * weight,
      members: [{ term, weight: 1 }],
    }))
    return [...groups, ...added]
  }
}

/** One word for one word is another member of its group, so that a text with both counts once. */
function otherNames(term: string, named: readonly Synonym[]): readonly string[] {
  return named
    .filter(({ from, to }) => from.length === 1 && to.length === 1 && from[0] === term)
    .flatMap(({ to }) => to)
}

function phrasesOf(
  named: readonly Synonym[],
  questionTerms: ReadonlySet<string>,
): readonly string[] {
  return named
    .filter(({ from, to }) => from.length > 1 || to.length > 1)
    .flatMap(({ to }) => to)
    .filter((it) => !questionTerms.has(it))
}

function* definingTexts(paragraphs: readonly StoredParagraph[]): Generator<DefiningText> {
  for (const { body, document } of paragraphs) {
    yield { text: body.text, headings: [document.title, ...body.headings] }
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
