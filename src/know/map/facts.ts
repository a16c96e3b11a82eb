import type { SymbolKind } from "#ground/contract"

export type FileFacts = {
  readonly language: LanguageName
  readonly packages: readonly string[]
  readonly symbols: readonly SymbolFact[]
  readonly references: readonly ReferenceFact[]
  readonly imports: readonly ImportFact[]
  readonly problems: readonly Problem[]
}

export const LANGUAGE_NAMES = [
  "typescript",
  "tsx",
  "javascript",
  "python",
  "go",
  "rust",
  "java",
  "c",
  "cpp",
  "csharp",
  "ruby",
  "php",
  "kotlin",
  "swift",
  "scala",
  "bash",
] as const
export type LanguageName = (typeof LANGUAGE_NAMES)[number]

/** Without the schemas of the contract, which the parsing threads do not load. */
const IS_SYMBOL_KIND: Readonly<Record<SymbolKind, true>> = {
  function: true,
  class: true,
  interface: true,
  type: true,
  enum: true,
  variable: true,
  constant: true,
  method: true,
  module: true,
}

export function isSymbolKind(name: string): name is SymbolKind {
  return Object.hasOwn(IS_SYMBOL_KIND, name)
}

export type SymbolFact = {
  readonly name: string
  readonly kind: SymbolKind
  readonly parent?: string
  readonly signature: string
  readonly fromLine: number
  readonly toLine: number
  readonly isExported: boolean
  readonly doc?: string
}

export type ReferenceFact = { readonly name: string; readonly line: number }

export type ImportStatement = {
  /** As written, without quotes; a relative path begins with a dot in every language. */
  readonly specifier: string
  /** Names in the other file; `*` for all, `default` for the default export. */
  readonly names?: readonly string[]
}
export type ImportFact = ImportStatement & { readonly line: number }

export type Problem = {
  readonly reason: "too-large" | "line-too-long" | "too-slow" | "too-many" | "syntax" | "crashed"
  readonly line?: number
}

export function withoutFacts(language: LanguageName, problem: Problem): FileFacts {
  return { language, packages: [], symbols: [], references: [], imports: [], problems: [problem] }
}
