import { giveOthersATurn } from "#ground/base"
import {
  type Bm25fWeights,
  createPostings,
  measureSymbols,
  type Query,
  SYMBOL_FIELDS,
  type SymbolField,
  type SymbolTerms,
  scoreSymbols,
} from "#know/search"
import type { Kept } from "./library.ts"
import { MOST_QUESTION_TERMS, PARAGRAPHS_A_TURN } from "./limits.ts"
import { countProse, eachWord, STOP_WORDS } from "./terms.ts"

export type WordIndex = {
  /** Numbers of paragraphs, best first. */
  search(question: string): readonly { readonly number: number; readonly score: number }[]
  /** Words of the question that a paragraph has, as they were asked. */
  matched(question: string, paragraph: number): readonly string[]
}

/** Where a word stands says how much it tells: a heading is about what it says. */
const WEIGHTS: Bm25fWeights = {
  k1: 1.2,
  path: { weight: 0.8, b: 0 },
  name: { weight: 2, b: 0.3 },
  signature: { weight: 1, b: 0.3 },
  comments: { weight: 1.5, b: 0 },
  body: { weight: 1, b: 0.5 },
}

/** BM25F of the search room, over the fields of a paragraph. */
export async function indexWords(paragraphs: readonly Kept[]): Promise<WordIndex> {
  const postings = createPostings(SYMBOL_FIELDS.length)
  const measured: Pick<SymbolTerms, "lengths">[] = []
  for (const it of paragraphs) {
    if (it.number % PARAGRAPHS_A_TURN === 0) await giveOthersATurn()
    const fields = fieldsOf(it)
    const counted = SYMBOL_FIELDS.map((field) => countProse(fields[field]))
    postings.put(
      it.number,
      counted.map(({ counts }) => counts),
    )
    measured.push({ lengths: counted.map(({ length }) => length) })
  }
  const lengths = measureSymbols(measured)
  return {
    search: (question) =>
      scoreSymbols(readQuestion(question), { postingsOf: postings.of, lengths }, WEIGHTS).map(
        ({ symbol, score }) => ({ number: symbol, score }),
      ),
    matched(question, number) {
      const paragraph = paragraphs[number]
      if (paragraph === undefined) return []
      const has = countProse(Object.values(fieldsOf(paragraph)).join("\n")).counts
      const asked = [...askedIn(question)].filter(([term]) => has.has(term))
      return asked.map(([, { word }]) => word)
    },
  }
}

function fieldsOf({ document, body }: Kept): Readonly<Record<SymbolField, string>> {
  return {
    path: document.title,
    name: body.headings.at(-1) ?? "",
    signature: body.headings.slice(0, -1).join("\n"),
    comments: body.number ?? "",
    body: body.text,
  }
}

function readQuestion(question: string): Query {
  const asked = [...askedIn(question)].slice(0, MOST_QUESTION_TERMS)
  return {
    terms: asked.map(([term]) => term),
    weights: Float64Array.from(asked, ([, { times }]) => Math.sqrt(Math.min(times, 3))),
    isSubject: asked.map(() => true),
  }
}

function askedIn(question: string) {
  const asked = new Map<string, { readonly word: string; times: number }>()
  eachWord(question, (term, word) => {
    // As it is written: the plural of a word that says nothing would be folded into another.
    if (STOP_WORDS.has(word.toLowerCase())) return
    const before = asked.get(term)
    if (before === undefined) asked.set(term, { word, times: 1 })
    else before.times++
  })
  return asked
}
