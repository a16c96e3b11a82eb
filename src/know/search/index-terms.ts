import { definedNameTerms } from "./issue/defined-names.ts"
import { type CountedTerms, countNameTerms, countTerms, type TermCounts } from "./words.ts"

/** Without a limit the search is quadratic. */
const MOST_MODIFIERS = 12

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

/**
 * Part of the ranker, which was trained with the results of these five patterns. They match: a
 * keyword and a name (with a receiver in Go); a constant that is a function or a class; a function
 * assigned to a property; a method with visibility and type; a C function.
 */
export function definedNames(text: string): ReadonlySet<string> {
  const names = new Set<string>()
  for (const pattern of PATTERNS) {
    for (const match of text.matchAll(pattern)) names.add(match[1] ?? "")
  }
  return names
}

const MODIFIERS =
  "(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|override" +
  "|open|sealed|pub(?:\\([a-z]+\\))?|unsafe|const|inline|data|suspend|extern|partial|virtual" +
  `|declare)\\s+){0,${MOST_MODIFIERS}}`

const KEYWORDS =
  "(?:def|class|func|function\\*?|fn|fun|struct|trait|interface|enum|type|module|object|protocol" +
  "|extension|record|namespace|impl(?:<[^>\\n]*>)?|macro_rules!)"

const LETTER = "[\\p{L}\\p{N}_]"
const NAME = `([A-Za-z_]${LETTER}*)`

const PATTERNS: readonly RegExp[] = [
  `^[ \\t]*${MODIFIERS}${KEYWORDS}[ \\t]+(?:\\([^)\\n]*\\)[ \\t]*)?(?:self\\.)?([A-Za-z_$](?:${LETTER}|\\$)*)`,
  `^[ \\t]*(?:export[ \\t]+)?(?:const|let|var)[ \\t]+${NAME}[ \\t]*(?::[^=\\n]{1,60})?=[ \\t]*(?:async[ \\t]*)?(?:function|\\(|class)`,
  `^[ \\t]*[A-Za-z_.]+\\.${NAME}[ \\t]*=[ \\t]*(?:async[ \\t]+)?function`,
  `^[ \\t]+(?:public|private|protected|internal)[ \\t][^\\n(=;]{0,80}?${NAME}[ \\t]*\\(`,
  `^[A-Za-z_][\\p{L}\\p{N}_ \\t*]{0,60}?[ \\t*]${NAME}[ \\t]*\\([^;\\n]*$`,
].map((pattern) => new RegExp(pattern, "gmu"))
