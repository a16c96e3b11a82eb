import { giveOthersATurn } from "#ground/base"
import {
  type Bm25fWeights,
  createPostings,
  knownForms,
  measureSymbols,
  type Query,
  SYMBOL_FIELDS,
  type SymbolField,
  type SymbolTerms,
  scoreSymbols,
  type TermCounts,
  withForms,
  wordForms,
} from "#know/search"
import type { StoredParagraph } from "../library.ts"

const MOST_QUESTION_TERMS = 256

const PARAGRAPHS_A_TURN = 500

export type WordIndex = {
  search(question: string): readonly { readonly number: number; readonly score: number }[]
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
  for (const paragraph of paragraphs) {
    if (paragraph.number % PARAGRAPHS_A_TURN === 0) await giveOthersATurn()
    const fields = fieldsOf(paragraph)
    const counted = SYMBOL_FIELDS.map((field) => countProse(fields[field]))
    postings.put(
      paragraph.number,
      counted.map(({ counts }) => counts),
    )
    measured.push({ lengths: counted.map(({ length }) => length) })
  }
  const lengths = measureSymbols(measured)
  return {
    search(question) {
      const query = readQuestion(question)
      const forms = knownForms(query, (term) => postings.of(term).length > 0)
      const index = { postingsOf: postings.of, lengths }
      return scoreSymbols(withForms(query, forms), index, WEIGHTS).map(({ symbol, score }) => ({
        number: symbol,
        score,
      }))
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
