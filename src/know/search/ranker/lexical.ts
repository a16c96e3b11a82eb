import type { PostingsOf } from "../postings.ts"
import type { Query } from "../words/words.ts"
import type { Corpus } from "./corpus.ts"
import {
  clearMatches,
  countFiles,
  createTermMatches,
  findTerm,
  rarityOf,
  type TermMatches,
} from "./term-matches.ts"
import { MOST_TABLE_TERMS, tfLevel, type WordTable } from "./word-table.ts"

/** By position; the names are those of the trained features. */
export type WordScores = {
  readonly bm25: Float64Array
  readonly bm25f: Float64Array
  readonly defs: Float64Array
  readonly path: Float64Array
  readonly base: Float64Array
  readonly cover: Float64Array
  readonly subj: Float64Array
  readonly exact: Float64Array | undefined
  readonly rarity: Float64Array
  readonly fullRarity: number
  /** By position, then by term: bit flags of the fields that contain the term. */
  readonly matches: Uint8Array
}

const IN_BODY = 1
export const IN_DEFINITIONS = 2
export const IN_PATH = 4
export const IN_BASE = 8

type WordsInput = {
  readonly query: Query
  readonly corpus: Corpus
  readonly postingsOf: PostingsOf
  readonly table: WordTable | undefined
}

export function scoreWords({ query, corpus, postingsOf, table }: WordsInput): WordScores {
  const exact = table === undefined ? undefined : createExact(table, query, corpus)
  const sums = createSums(query, corpus, exact)
  const matches = createTermMatches(corpus.size)
  for (const [term, word] of query.terms.entries()) {
    findTerm(matches, corpus, { word, row: postingsOf(word) })
    addTerm(sums, matches, term)
    clearMatches(matches)
  }
  return finish(sums)
}

type Sums = {
  readonly query: Query
  readonly corpus: Corpus
  readonly exact: ExactMatcher | undefined
  readonly columns: Omit<WordScores, "exact" | "fullRarity">
}

function createSums(query: Query, corpus: Corpus, exact: ExactMatcher | undefined): Sums {
  const column = () => new Float64Array(corpus.size)
  const columns = {
    bm25: column(),
    bm25f: column(),
    defs: column(),
    path: column(),
    base: column(),
    cover: column(),
    subj: column(),
    rarity: new Float64Array(query.terms.length),
    matches: new Uint8Array(corpus.size * query.terms.length),
  }
  return { query, corpus, exact, columns }
}

function addTerm(sums: Sums, matches: TermMatches, term: number): void {
  const { columns, query, corpus } = sums
  const weight = query.weights[term] ?? 0
  const counts = countFiles(matches)
  const rarity = rarityOf(counts.text, corpus.size)
  columns.rarity[term] = rarity
  addMatches(sums, matches, term)
  addScores(sums, matches, {
    text: rarity * weight,
    any: rarityOf(counts.any, corpus.size) * weight,
    defs: rarityOf(counts.defs, corpus.size) * weight,
    path: Math.log(1 + corpus.size / Math.max(counts.path, 1)),
    base: rarity,
    isSubject: query.isSubject[term] ?? false,
  })
  sums.exact?.add(matches, { term, rarity })
}

type TermWeights = {
  readonly text: number
  readonly any: number
  readonly defs: number
  readonly path: number
  readonly base: number
  readonly isSubject: boolean
}

function addScores({ columns, corpus }: Sums, matches: TermMatches, weights: TermWeights): void {
  const k = corpus.dampers
  for (let index = 0; index < matches.count; index++) {
    const at = matches.positions[index] ?? 0
    const path = matches.path[at] ?? 0
    const defs = matches.defs[at] ?? 0
    const text = (matches.body[at] ?? 0) + path
    const any = text + 3 * defs + 5 * path
    const anyScore = ((any * 2.2) / (any + (k.bm25f[at] ?? 0))) * weights.any
    columns.bm25f[at] = (columns.bm25f[at] ?? 0) + anyScore
    if (weights.isSubject) columns.subj[at] = (columns.subj[at] ?? 0) + anyScore
    if (text > 0) {
      const textScore = ((text * 2.2) / (text + (k.bm25[at] ?? 0))) * weights.text
      columns.bm25[at] = (columns.bm25[at] ?? 0) + textScore
      columns.cover[at] = (columns.cover[at] ?? 0) + weights.text
    }
    if (defs > 0) {
      const defsScore = ((defs * 2.2) / (defs + (k.defs[at] ?? 0))) * weights.defs
      columns.defs[at] = (columns.defs[at] ?? 0) + defsScore
    }
    if (path > 0) columns.path[at] = (columns.path[at] ?? 0) + path * weights.path
    if (matches.isBase[at] === 1) columns.base[at] = (columns.base[at] ?? 0) + weights.base
  }
}

function addMatches({ columns, query }: Sums, matches: TermMatches, term: number): void {
  for (let index = 0; index < matches.count; index++) {
    const at = matches.positions[index] ?? 0
    const marks =
      ((matches.body[at] ?? 0) > 0 ? IN_BODY : 0) +
      ((matches.defs[at] ?? 0) > 0 ? IN_DEFINITIONS : 0) +
      ((matches.path[at] ?? 0) > 0 ? IN_PATH : 0) +
      (matches.isBase[at] === 1 ? IN_BASE : 0)
    columns.matches[at * query.terms.length + term] = marks
  }
}

function finish({ columns, query, corpus, exact }: Sums): WordScores {
  const fullRarity = columns.rarity.reduce(
    (sum, it, term) => sum + it * (query.weights[term] ?? 0),
    0,
  )
  const whole = Math.max(fullRarity, 1e-9)
  return {
    ...columns,
    path: columns.path.map((it, at) => it / Math.sqrt(1 + (corpus.pathTermCounts[at] ?? 0))),
    base: columns.base.map((it, at) => it / Math.sqrt(Math.max(1, corpus.baseTermCounts[at] ?? 0))),
    cover: columns.cover.map((it) => it / whole),
    // Without a word in the first line, the whole text is the subject.
    subj: query.isSubject.includes(true) ? columns.subj : columns.bm25f,
    exact: exact?.scores(),
    fullRarity,
  }
}

type ExactMatcher = ReturnType<typeof createExact>

type FoundTerm = {
  readonly body: Float64Array
  readonly defs: Float64Array
  readonly path: Float64Array
  readonly positions: Int32Array
  readonly count: number
}

function createExact(table: WordTable, query: Query, corpus: Corpus) {
  const { constants } = table
  const sums = new Float64Array(corpus.size)
  const lengthScale = Math.max(corpus.meanLength, 1e-9)
  const dampers = corpus.lengths.map(
    (length) => constants.k1 * (1 - constants.b + (constants.b * length) / lengthScale),
  )
  let whole = 0
  return {
    add(match: FoundTerm, { term, rarity }: { readonly term: number; readonly rarity: number }) {
      if (term >= MOST_TABLE_TERMS) return
      const row = table.rowByWord.get(query.terms[term] ?? "")
      const learnt = row === undefined ? 1 : (table.columns.inBm25[row] ?? 1)
      const subject = 1 + constants.subs * (query.isSubject[term] === true ? 1 : 0)
      const weight =
        learnt * (rarity > 0 ? rarity : constants.idf0) * (query.weights[term] ?? 0) * subject
      whole += weight
      for (let index = 0; index < match.count; index++) {
        const at = match.positions[index] ?? 0
        const evidence =
          2 ** (tfLevel(match.body[at] ?? 0) / 2) -
          1 +
          ((match.defs[at] ?? 0) > 0 ? constants.defs : 0) +
          ((match.path[at] ?? 0) > 0 ? constants.paths : 0)
        const score = (weight * evidence * (constants.k1 + 1)) / (evidence + (dampers[at] ?? 0))
        sums[at] = (sums[at] ?? 0) + score
      }
    },
    scores: (): Float64Array => sums.map((it) => (it * 10) / (whole + 4)),
  }
}
