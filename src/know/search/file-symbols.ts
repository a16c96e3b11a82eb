import { createPause } from "#ground/base"
import { BM25F_WEIGHTS } from "./bm25f.ts"
import { FILE_FIELDS, SYMBOL_FIELDS, type SymbolField } from "./index-terms.ts"
import type { PostingsOf } from "./postings.ts"
import type { Corpus } from "./ranker/corpus.ts"
import { eachWord, endOfPart, type Query, UNDERSCORE_CODE } from "./words/words.ts"

export type SearchedFile = {
  readonly path: string
  readonly text: string
  readonly symbols: readonly SearchedSymbol[]
  readonly segments: readonly SearchedSegment[]
}

type SearchedSymbol = {
  readonly name: string
  readonly signature: string
  readonly parent?: string
  readonly doc?: string
}

type SearchedSegment = {
  readonly fromLine: number
  readonly toLine: number
  readonly symbol?: number | undefined
}

type TermRarity = {
  readonly fileCount: number
  documentFrequency(term: string): number
}

/** Counts only files of the tree, because postings may contain others. */
export function rarityIn(corpus: Corpus, postingsOf: PostingsOf): TermRarity {
  const { firstByContent, nextByPosition } = corpus
  return {
    fileCount: corpus.size,
    documentFrequency(term) {
      const row = postingsOf(term)
      let files = 0
      for (let at = 0; at < row.length; at += ROW_STRIDE) {
        let position = firstByContent[row[at] ?? -1] ?? -1
        for (; position >= 0; position = nextByPosition[position] ?? -1) files++
      }
      return files
    },
  }
}

const ROW_STRIDE = 1 + FILE_FIELDS.length

/**
 * By file, then by segment; 0 for a segment without a word of the task. A segment has the name,
 * signature and comment of its symbol, and its own lines as body.
 */
export async function scoreFileSymbols(
  query: Query,
  files: readonly SearchedFile[],
  rarity: TermRarity,
): Promise<readonly (readonly number[])[]> {
  const read = createTermFinder(query.terms)
  const measured: (readonly FieldMeasures[])[] = []
  const pause = createPause()
  for (const file of files) {
    measured.push(measureFile(file, read))
    await pause()
  }
  const means = meanLengths(measured.flat())
  const weights = weightsOf(query, rarity)
  return measured.map((segments) => segments.map((it) => scoreOf(it, means, weights)))
}

type FieldCounts = { readonly counts: ReadonlyMap<number, number>; readonly length: number }
type FieldMeasures = Readonly<Record<SymbolField, FieldCounts>>

type TermFinder = ReturnType<typeof createTermFinder>

function measureFile(file: SearchedFile, read: TermFinder): readonly FieldMeasures[] {
  const bodies = measureBodies(file, read)
  const symbols = file.symbols.map((it) => ({
    path: measureText(`${file.path} ${it.parent ?? ""}`, read),
    name: measureText(it.name, read),
    signature: measureText(it.signature, read),
    comments: measureText(it.doc ?? "", read),
  }))
  const outside = { ...NO_SYMBOL, path: measureText(file.path, read) }
  return file.segments.map(({ symbol }, index) => ({
    ...((symbol === undefined ? undefined : symbols[symbol]) ?? outside),
    body: bodies[index] ?? NOTHING,
  }))
}

const NOTHING: FieldCounts = { counts: new Map(), length: 0 }
const NO_SYMBOL = { name: NOTHING, signature: NOTHING, comments: NOTHING }

function measureText(text: string, read: TermFinder): FieldCounts {
  const counts = new Map<number, number>()
  let length = 0
  read(text, (_, emitted, matches) => {
    length += emitted
    for (const term of matches) counts.set(term, (counts.get(term) ?? 0) + 1)
  })
  return { counts, length }
}

function measureBodies({ text, segments }: SearchedFile, read: TermFinder): readonly FieldCounts[] {
  const starts = lineStarts(text)
  const bodies = segments.map((it) => ({
    from: starts[it.fromLine - 1] ?? text.length,
    end: starts[it.toLine] ?? text.length,
    counts: new Map<number, number>(),
    length: 0,
  }))
  let at = 0
  read(text, (start, emitted, matches) => {
    while (at < bodies.length && start >= (bodies[at]?.end ?? 0)) at++
    const body = bodies[at]
    if (body === undefined || start < body.from) return
    body.length += emitted
    for (const term of matches) body.counts.set(term, (body.counts.get(term) ?? 0) + 1)
  })
  return bodies
}

function lineStarts(text: string): readonly number[] {
  const starts = [0]
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", end + 1)) {
    starts.push(end + 1)
  }
  return starts
}

type FieldMeans = Readonly<Record<SymbolField, number>>

function meanLengths(all: readonly FieldMeasures[]): FieldMeans {
  const mean = (field: SymbolField) => {
    let sum = 0
    let filled = 0
    for (const symbol of all) {
      sum += symbol[field].length
      if (symbol[field].length > 0) filled++
    }
    return sum / Math.max(1, filled)
  }
  return {
    path: mean("path"),
    name: mean("name"),
    signature: mean("signature"),
    comments: mean("comments"),
    body: mean("body"),
  }
}

function weightsOf(query: Query, { fileCount, documentFrequency }: TermRarity): Float64Array {
  return query.weights.map((weight, index) => {
    const documents = Math.min(fileCount, documentFrequency(query.terms[index] ?? ""))
    return weight * Math.log(1 + (fileCount - documents + 0.5) / (documents + 0.5))
  })
}

function scoreOf(segment: FieldMeasures, means: FieldMeans, weights: Float64Array): number {
  const counts = new Map<number, number>()
  for (const field of SYMBOL_FIELDS) {
    const { weight, b } = BM25F_WEIGHTS[field]
    const { counts: own, length } = segment[field]
    const damper = 1 - b + (b * length) / Math.max(means[field], 1e-9)
    for (const [term, count] of own) {
      counts.set(term, (counts.get(term) ?? 0) + (weight * count) / damper)
    }
  }
  let score = 0
  for (const [term, count] of counts) {
    score += ((weights[term] ?? 0) * count) / (count + BM25F_WEIGHTS.k1)
  }
  return score
}

type VisitWord = (start: number, emitted: number, found: readonly number[]) => void

/**
 * Finds terms without creating a string per word: most words differ from all terms in their first
 * letters.
 */
function createTermFinder(terms: readonly string[]) {
  const trie = createTrie(terms)
  const matches: number[] = []

  return (text: string, visit: VisitWord): void => {
    const look = (from: number, end: number): void => {
      const term = trie.find(text, from, end)
      if (term >= 0) matches.push(term)
    }
    eachWord(text, (start, end) => {
      matches.length = 0
      let parts = 0
      let emitted = 0
      for (let index = start; index < end; ) {
        const partEnd = endOfPart(text, index, end)
        if (partEnd === index) {
          index++
          continue
        }
        parts++
        if (partEnd - index > 1) {
          emitted++
          look(index, partEnd)
        }
        index = partEnd
      }
      if (parts > 1) {
        emitted++
        const [first, last] = withoutUnderscores(text, start, end)
        look(first, last)
      }
      visit(start, emitted, matches)
    })
  }
}

function withoutUnderscores(text: string, start: number, end: number): readonly [number, number] {
  let [first, last] = [start, end]
  while (first < last && text.charCodeAt(first) === UNDERSCORE_CODE) first++
  while (last > first && text.charCodeAt(last - 1) === UNDERSCORE_CODE) last--
  return [first, last]
}

const CHARACTERS = 37

function createTrie(terms: readonly string[]) {
  const most = terms.reduce((sum, term) => sum + term.length, 1)
  const next = new Int32Array(most * CHARACTERS)
  const termAt = new Int32Array(most).fill(-1)
  let nodes = 1
  for (const [index, term] of terms.entries()) {
    let node = 0
    for (let at = 0; at < term.length; at++) {
      const slot = node * CHARACTERS + characterIndex(term.charCodeAt(at))
      if (next[slot] === 0) next[slot] = nodes++
      node = next[slot] ?? 0
    }
    termAt[node] = index
  }
  return {
    find(text: string, from: number, end: number): number {
      let node = 0
      for (let at = from; at < end; at++) {
        node = next[node * CHARACTERS + characterIndex(text.charCodeAt(at))] ?? 0
        if (node === 0) return -1
      }
      return termAt[node] ?? -1
    },
  }
}

function characterIndex(code: number): number {
  if (code >= 97) return code - 97
  if (code === UNDERSCORE_CODE) return 36
  return code >= 65 ? code - 65 : code - 48 + 26
}
