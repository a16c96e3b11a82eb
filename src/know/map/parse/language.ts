import type { Node } from "web-tree-sitter"
import type { SymbolKind } from "#ground/contract"
import type { ImportStatement, LanguageName } from "../facts.ts"
import type { SourceIndex } from "../source-index.ts"

/** The query does most of the work; the README explains its captures. All functions are pure. */
export type Language = {
  readonly name: LanguageName
  readonly extensions: readonly string[]
  readonly interpreters?: readonly string[]
  readonly query: string
  /** Types of the body node, for grammars without a `body` field. */
  readonly bodyTypes?: readonly string[]
  readonly builtins?: ReadonlySet<string>
  isVisible(definition: Definition): boolean
  /** Empty when it only looks like an import. */
  readImport(statement: Node): readonly ImportStatement[]
  /** Empty when it leads out of the repository. */
  resolveImport(imported: ImportStatement, fromPath: string, index: SourceIndex): readonly string[]
}

export type Definition = {
  readonly name: string
  readonly kind: SymbolKind
  readonly head: string
  readonly section: string | undefined
  readonly owner: { readonly kind: SymbolKind | "container"; readonly head: string } | undefined
  readonly listed: ReadonlySet<string> | undefined
}

export const PATTERNS_OF_ALL = "(ERROR) @error (MISSING) @error"
