import { FILE_FIELDS } from "../index-terms.ts"
import type { PostingsOf } from "../postings.ts"
import type { Query } from "../words.ts"
import type { Corpus } from "./corpus.ts"
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
  /** Only with the word table. */
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

type WordsAsked = {
  readonly query: Query
  readonly corpus: Corpus
  readonly postingsOf: PostingsOf
  readonly table: WordTable | undefined
}

export function scoreWords({ query, corpus, postingsOf, table }: WordsAsked): WordScores {
  const exact = table === undefined ? undefined : createExact(table, query, corpus)
  const sums = createSums(query, corpus, exact)
  const found = createFound(corpus.size)
  for (const [term, word] of query.terms.entries()) {
    findWord(found, corpus, { word, row: postingsOf(word) })
    addTerm(sums, found, term)
    clear(found)
  }
  return finish(sums)
}

type TermMatches = {
  readonly body: Float64Array
  readonly defs: Float64Array
  readonly path: Float64Array
  readonly isBase: Uint8Array
  readonly isListed: Uint8Array
  readonly positions: Int32Array
  count: number
}

function createFound(size: number): TermMatches {
  return {
    body: new Float64Array(size),
    defs: new Float64Array(size),
    path: new Float64Array(size),
    isBase: new Uint8Array(size),
    isListed: new Uint8Array(size),
    positions: new Int32Array(size),
    count: 0,
  }
}

const STRIDE = FILE_FIELDS.length + 1

function findWord(
  found: TermMatches,
  { firstByContent, nextByPosition, pathPostings }: Corpus,
  { word, row }: { readonly word: string; readonly row: readonly number[] },
): void {
  for (let at = 0; at < row.length; at += STRIDE) {
    // The table also has contents of other trees, which have no position here.
    let position = firstByContent[row[at] ?? -1] ?? -1
    while (position >= 0) {
      list(found, position)
      found.body[position] = row[at + 1] ?? 0
      found.defs[position] = row[at + 2] ?? 0
      position = nextByPosition[position] ?? -1
    }
  }
  for (const { position, count, isBase } of pathPostings.get(word) ?? NO_PATHS) {
    list(found, position)
    found.path[position] = count
    found.isBase[position] = isBase ? 1 : 0
  }
}

const NO_PATHS: readonly never[] = []

function list(found: TermMatches, position: number): void {
  if (found.isListed[position] === 1) return
  found.isListed[position] = 1
  found.positions[found.count++] = position
}

function clear(found: TermMatches): void {
  for (let index = 0; index < found.count; index++) {
    const position = found.positions[index] ?? 0
    found.body[position] = 0
    found.defs[position] = 0
    found.path[position] = 0
    found.isBase[position] = 0
    found.isListed[position] = 0
  }
  found.count = 0
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

function rarityOf(count: number, size: number): number {
  return count > 0 ? Math.log(1 + (size - count + 0.5) / (count + 0.5)) : 0
}

function addTerm(sums: Sums, found: TermMatches, term: number): void {
  const { columns, query, corpus } = sums
  const weight = query.weights[term] ?? 0
  const counts = countFiles(found)
  const rarity = rarityOf(counts.text, corpus.size)
  columns.rarity[term] = rarity
  addMatches(sums, found, term)
  addScores(sums, found, {
    text: rarity * weight,
    any: rarityOf(counts.any, corpus.size) * weight,
    defs: rarityOf(counts.defs, corpus.size) * weight,
    path: Math.log(1 + corpus.size / Math.max(counts.path, 1)),
    base: rarity,
    isSubject: query.isSubject[term] ?? false,
  })
  sums.exact?.add(found, { term, rarity })
}

/** Counted in text or path, anywhere, in definitions, in the path. */
function countFiles(found: TermMatches) {
  const counts = { text: 0, any: found.count, defs: 0, path: 0 }
  for (let index = 0; index < found.count; index++) {
    const position = found.positions[index] ?? 0
    const isInPath = (found.path[position] ?? 0) > 0
    if (isInPath) counts.path++
    if (isInPath || (found.body[position] ?? 0) > 0) counts.text++
    if ((found.defs[position] ?? 0) > 0) counts.defs++
  }
  return counts
}

type TermWeights = {
  readonly text: number
  readonly any: number
  readonly defs: number
  readonly path: number
  readonly base: number
  readonly isSubject: boolean
}

function addScores({ columns, corpus }: Sums, found: TermMatches, weights: TermWeights): void {
  const k = corpus.dampers
  for (let index = 0; index < found.count; index++) {
    const at = found.positions[index] ?? 0
    const path = found.path[at] ?? 0
    const defs = found.defs[at] ?? 0
    const text = (found.body[at] ?? 0) + path
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
    if (found.isBase[at] === 1) columns.base[at] = (columns.base[at] ?? 0) + weights.base
  }
}

function addMatches({ columns, query }: Sums, found: TermMatches, term: number): void {
  for (let index = 0; index < found.count; index++) {
    const at = found.positions[index] ?? 0
    const marks =
      ((found.body[at] ?? 0) > 0 ? IN_BODY : 0) +
      ((found.defs[at] ?? 0) > 0 ? IN_DEFINITIONS : 0) +
      ((found.path[at] ?? 0) > 0 ? IN_PATH : 0) +
      (found.isBase[at] === 1 ? IN_BASE : 0)
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
    add(found: FoundTerm, { term, rarity }: { readonly term: number; readonly rarity: number }) {
      if (term >= MOST_TABLE_TERMS) return
      const row = table.rowByWord.get(query.terms[term] ?? "")
      const learnt = row === undefined ? 1 : (table.columns.inBm25[row] ?? 1)
      const subject = 1 + constants.subs * (query.isSubject[term] === true ? 1 : 0)
      const weight =
        learnt * (rarity > 0 ? rarity : constants.idf0) * (query.weights[term] ?? 0) * subject
      whole += weight
      for (let index = 0; index < found.count; index++) {
        const at = found.positions[index] ?? 0
        const evidence =
          2 ** (tfLevel(found.body[at] ?? 0) / 2) -
          1 +
          ((found.defs[at] ?? 0) > 0 ? constants.defs : 0) +
          ((found.path[at] ?? 0) > 0 ? constants.paths : 0)
        const score = (weight * evidence * (constants.k1 + 1)) / (evidence + (dampers[at] ?? 0))
        sums[at] = (sums[at] ?? 0) + score
      }
    },
    scores: (): Float64Array => sums.map((it) => (it * 10) / (whole + 4)),
  }
}
