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

/** Four numbers per entry: index in `terms`, index of the text in the batch, and two counts. */
export type TermTable = { readonly terms: readonly string[]; readonly entries: Uint32Array }

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
    result: (): ReadBatch => ({ texts, words: words.table(), names: names.table() }),
  }
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
    table: (): TermTable => ({ terms: [...places.keys()], entries: Uint32Array.from(entries) }),
  }
}
