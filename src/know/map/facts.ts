import type { SymbolKind } from "#ground/contract"

/** What a file says of itself, without looking at any other file. */
export type FileFacts = {
  readonly language: LanguageName
  /** Packages and namespaces the file says it is part of. */
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

export type SymbolFact = {
  readonly name: string
  readonly kind: SymbolKind
  /** The class, module or function it stands in, or belongs to. */
  readonly parent?: string
  /** On one line, without the body. */
  readonly signature: string
  /** From 1, with its decorators, to the last line of its body. */
  readonly fromLine: number
  readonly toLine: number
  /** Whether another file can name it. */
  readonly isExported: boolean
  /** The first paragraph of its comment. */
  readonly doc?: string
}

export type ReferenceFact = { readonly name: string; readonly line: number }

export type Imported = {
  /** As written, without quotes; a path that is relative begins with a dot in every language. */
  readonly specifier: string
  /** The names asked for, by their names in the other file; `*` for all, `default` for the main one. */
  readonly names?: readonly string[]
}
export type ImportFact = Imported & { readonly line: number }

export type Problem = {
  readonly reason: "too-large" | "line-too-long" | "too-slow" | "too-many" | "syntax" | "crashed"
  readonly line?: number
}

/** A file of which nothing could be said, and why. */
export function withoutFacts(language: LanguageName, problem: Problem): FileFacts {
  return { language, packages: [], symbols: [], references: [], imports: [], problems: [problem] }
}
