import { BM25F_WEIGHTS } from "./bm25f.ts"
import { FILE_FIELDS, SYMBOL_FIELDS, type SymbolField } from "./index-terms.ts"
import type { PostingsOf } from "./postings.ts"
import type { Query } from "./query.ts"
import type { Corpus } from "./ranker/corpus.ts"
import { createTermFinder } from "./term-finder.ts"

/** A file whose parts are weighed against each other. */
export type SearchedFile = {
  readonly path: string
  readonly text: string
  readonly symbols: readonly SearchedSymbol[]
  /** Line ranges in the order of the file; `symbol` is the innermost one a range is part of. */
  readonly segments: readonly SearchedSegment[]
}

export type SearchedSymbol = {
  readonly name: string
  readonly signature: string
  readonly parent?: string
  readonly doc?: string
}

export type SearchedSegment = {
  readonly fromLine: number
  readonly toLine: number
  readonly symbol?: number | undefined
}

/** How rare a term is: in how many files of the whole tree it occurs. */
export type TermRarity = {
  readonly fileCount: number
  documentFrequency(term: string): number
}

/** Of the files of a tree: postings may hold contents of others. */
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
 * BM25F over the segments of a few files, straight from their texts: by file, then by segment, 0 for
 * one that shares no word with the task. What a segment is part of speaks for it with its name,
 * signature and comment; its body are its own lines alone.
 */
export function scoreFileSymbols(
  query: Query,
  files: readonly SearchedFile[],
  rarity: TermRarity,
): readonly (readonly number[])[] {
  const read = createTermFinder(query.terms)
  const measured = files.map((file) => measureFile(file, read))
  const means = meanLengths(measured.flat())
  const weights = weightsOf(query, rarity)
  return measured.map((segments) => segments.map((it) => scoreOf(it, means, weights)))
}

/** Terms of the query that a field has, by their place in the query, and how many terms it has. */
type FieldCounts = { readonly counts: ReadonlyMap<number, number>; readonly length: number }
type Measured = Readonly<Record<SymbolField, FieldCounts>>

type Read = ReturnType<typeof createTermFinder>

function measureFile(file: SearchedFile, read: Read): readonly Measured[] {
  const bodies = measureBodies(file, read)
  const symbols = file.symbols.map((it) => ({
    // The class of a method is part of where it lies, as the folder is.
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

function measureText(text: string, read: Read): FieldCounts {
  const counts = new Map<number, number>()
  let length = 0
  read(text, (_, emitted, found) => {
    length += emitted
    for (const term of found) counts.set(term, (counts.get(term) ?? 0) + 1)
  })
  return { counts, length }
}

/** One pass over the text; segments follow each other, so that the next one begins after this. */
function measureBodies({ text, segments }: SearchedFile, read: Read): readonly FieldCounts[] {
  const starts = lineStarts(text)
  const bodies = segments.map((it) => ({
    from: starts[it.fromLine - 1] ?? text.length,
    end: starts[it.toLine] ?? text.length,
    counts: new Map<number, number>(),
    length: 0,
  }))
  let at = 0
  read(text, (start, emitted, found) => {
    while (at < bodies.length && start >= (bodies[at]?.end ?? 0)) at++
    const body = bodies[at]
    if (body === undefined || start < body.from) return
    body.length += emitted
    for (const term of found) body.counts.set(term, (body.counts.get(term) ?? 0) + 1)
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

type Means = Readonly<Record<SymbolField, number>>

/** Over the segments that have anything in the field. */
function meanLengths(all: readonly Measured[]): Means {
  const mean = (field: SymbolField) => {
    let sum = 0
    let filled = 0
    for (const it of all) {
      sum += it[field].length
      if (it[field].length > 0) filled++
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

/** By term: its rarity among the files of the tree, times its weight in the task. */
function weightsOf(query: Query, { fileCount, documentFrequency }: TermRarity): Float64Array {
  return query.weights.map((weight, index) => {
    const found = Math.min(fileCount, documentFrequency(query.terms[index] ?? ""))
    return weight * Math.log(1 + (fileCount - found + 0.5) / (found + 0.5))
  })
}

function scoreOf(segment: Measured, means: Means, weights: Float64Array): number {
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
