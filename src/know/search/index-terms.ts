import { definedNames } from "./definitions.ts"
import { type CountedTerms, countNameTerms, countTerms, type TermCounts } from "./words.ts"

/** What the content of a file gives to the index; its path comes later, since files move. */
export type FileTerms = {
  readonly body: TermCounts
  readonly definitions: TermCounts
  /** Terms in the text, each as often as it occurs. */
  readonly bodyLength: number
}

/** `names` are the definitions of the file; without them they are guessed from the text. */
export function indexFile(text: string, names?: Iterable<string>): FileTerms {
  const { counts, emitted } = countTerms(text)
  const definitions = countNameTerms(new Set(names ?? definedNames(text)))
  return { body: counts, definitions, bodyLength: emitted }
}

/** The order of the counts in the postings of a file. */
export const FILE_FIELDS = ["body", "definitions"] as const

export function fileCounts(terms: FileTerms): readonly TermCounts[] {
  return FILE_FIELDS.map((field) => terms[field])
}

/** The order of the counts in the postings of a symbol. */
export const SYMBOL_FIELDS = ["path", "name", "signature", "comments", "body"] as const
export type SymbolField = (typeof SYMBOL_FIELDS)[number]

export type SymbolText = Readonly<Record<SymbolField, string>>
export type SymbolTerms = {
  /** By SYMBOL_FIELDS. */
  readonly counts: readonly TermCounts[]
  readonly lengths: readonly number[]
}

export function indexSymbol(symbol: SymbolText): SymbolTerms {
  const fields: readonly CountedTerms[] = SYMBOL_FIELDS.map((field) => countTerms(symbol[field]))
  return { counts: fields.map((it) => it.counts), lengths: fields.map((it) => it.emitted) }
}
