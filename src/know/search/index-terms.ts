import { definedNames } from "./definitions.ts"
import { definedNameTerms } from "./issue/defined-names.ts"
import { type CountedTerms, countNameTerms, countTerms, type TermCounts } from "./words/words.ts"

export type FileTerms = {
  readonly body: TermCounts
  readonly definitions: TermCounts
  /** Defined names with case, as rows of the word table. */
  readonly names: TermCounts
  readonly bodyLength: number
}

/** Without `names`, definitions are guessed from the text. */
export function indexFile(text: string, names?: Iterable<string>): FileTerms {
  const { counts, emitted } = countTerms(text)
  const defined = new Set(names ?? definedNames(text))
  const definitions = countNameTerms(defined)
  return {
    body: counts,
    definitions,
    names: definedNameTerms(text, defined),
    bodyLength: emitted,
  }
}

export const FILE_FIELDS = ["body", "definitions"] as const

export function fileCounts(terms: FileTerms): readonly TermCounts[] {
  return [new Map([...terms.body, ...terms.names]), terms.definitions]
}

export const SYMBOL_FIELDS = ["path", "name", "signature", "comments", "body"] as const
export type SymbolField = (typeof SYMBOL_FIELDS)[number]

export type SymbolText = Readonly<Record<SymbolField, string>>
export type SymbolTerms = {
  readonly counts: readonly TermCounts[]
  readonly lengths: readonly number[]
}

export function indexSymbol(symbol: SymbolText): SymbolTerms {
  const fields: readonly CountedTerms[] = SYMBOL_FIELDS.map((field) => countTerms(symbol[field]))
  return { counts: fields.map((it) => it.counts), lengths: fields.map((it) => it.emitted) }
}
