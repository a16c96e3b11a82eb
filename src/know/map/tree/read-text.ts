import { indexFile } from "#know/search"
import type { LanguageName, Problem } from "../facts.ts"
import { encodeFacts, type TextFacts } from "./store/encode-facts.ts"
import { type Countable, signatureLine, splitText } from "./text-segments.ts"

export type GivenText = {
  readonly text: string
  readonly language: LanguageName | undefined
  readonly problem?: Problem
}

type ReadText = {
  readonly facts: Uint8Array
  /** Tokens are counted in the main thread, because a second vocabulary would cost 80 MB. */
  readonly countable: Countable
  readonly lines: number
  readonly symbolCount: number
  readonly importCount: number
  readonly problemCount: number
  readonly bodyLength: number
}

/** Bytes instead of strings: the main thread would create and collect each string of each batch. */
export type TermTable = {
  /** In UTF-8, one after the other. */
  readonly terms: Uint8Array
  /** By term: where it ends in `terms`. */
  readonly ends: Uint32Array
  /** Four numbers per entry: index of the term, index of the text in the batch, and two counts. */
  readonly entries: Uint32Array
}

export type ReadBatch = {
  readonly texts: readonly ReadText[]
  readonly words: TermTable
  readonly names: TermTable
}

export function createBatchReader() {
  const texts: ReadText[] = []
  const words = createTerms()
  const names = createTerms()
  return {
    add(text: string, facts: TextFacts): void {
      const textIndex = texts.length
      const cuts = splitText(text, facts.symbols)
      const { body, definitions, names: nameTerms, bodyLength } = indexFile(text)
      for (const [term, times] of body)
        words.add(term, textIndex, [times, definitions.get(term) ?? 0])
      for (const [term, times] of definitions)
        if (!body.has(term)) words.add(term, textIndex, [0, times])
      for (const [term, tenths] of nameTerms) words.add(term, textIndex, [tenths, 0])
      const defined = countOf(facts.symbols)
      const used = countOf(facts.references)
      for (const [name, times] of defined) names.add(name, textIndex, [times, used.get(name) ?? 0])
      for (const [name, times] of used)
        if (!defined.has(name)) names.add(name, textIndex, [0, times])
      texts.push({
        facts: encodeFacts(facts, cuts),
        countable: {
          ends: cuts.ends,
          ranges: facts.symbols.flatMap((it) => [it.fromLine, it.toLine]),
          signatures: facts.symbols.map(signatureLine),
        },
        lines: cuts.lines,
        symbolCount: facts.symbols.length,
        importCount: facts.imports.length,
        problemCount: facts.problems.length,
        bodyLength,
      })
    },
    result: (): ReadBatch => ({
      texts: joinFacts(texts),
      words: words.table(),
      names: names.table(),
    }),
  }
}

/** Views of one buffer: a small one for each text would fragment the memory of the main thread. */
function joinFacts(texts: readonly ReadText[]): readonly ReadText[] {
  const joined = new Uint8Array(texts.reduce((sum, { facts }) => sum + facts.length, 0))
  let end = 0
  return texts.map((text) => {
    const start = end
    joined.set(text.facts, start)
    end += text.facts.length
    return { ...text, facts: joined.subarray(start, end) }
  })
}

function countOf(named: readonly { readonly name: string }[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { name } of named) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

function createTerms() {
  const places = new Map<string, number>()
  const entries: number[] = []
  return {
    add(term: string, text: number, [one, two]: readonly [number, number]): void {
      const index = places.get(term) ?? places.size
      if (index === places.size) places.set(term, index)
      entries.push(index, text, one, two)
    },
    table: () => tableOf([...places.keys()], entries),
  }
}

export function tableOf(terms: readonly string[], entries: readonly number[]): TermTable {
  const joined = terms.join("")
  const bytes = new TextEncoder().encode(joined)
  const isAscii = bytes.length === joined.length
  const ends = new Uint32Array(terms.length)
  let end = 0
  for (const [index, term] of terms.entries()) {
    end += isAscii ? term.length : Buffer.byteLength(term)
    ends[index] = end
  }
  return { terms: bytes, ends, entries: new Uint32Array(entries) }
}
