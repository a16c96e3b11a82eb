import type { Node } from "web-tree-sitter"
import type { SymbolKind } from "#ground/contract"
import type { Imported, LanguageName } from "./facts.ts"
import type { SourceIndex } from "./source-index.ts"

/**
 * What the map must know of a language. The query does most of it; its captures are words of the
 * README. The functions are pure: a node or a value in, a value out.
 */
export type Language = {
  readonly name: LanguageName
  /** Without the dot, in lower case. */
  readonly extensions: readonly string[]
  /** First lines of scripts that have no extension. */
  readonly interpreters?: readonly string[]
  readonly query: string
  /** Types of a child that is the body, where the grammar has no field of that name. */
  readonly bodyTypes?: readonly string[]
  /** Names that no file defines and every file uses. */
  readonly builtins?: ReadonlySet<string>
  /** Whether other files can name it, if they can name what it stands in. */
  isVisible(definition: Definition): boolean
  /** What the statement brings in; nothing when it only looks like an import. */
  readImport(statement: Node): readonly Imported[]
  /** The files an import leads to; none when it leads out of the repository. */
  resolveImport(imported: Imported, fromPath: string, index: SourceIndex): readonly string[]
}

/** What a language is asked about. */
export type Definition = {
  readonly name: string
  readonly kind: SymbolKind
  /** Everything before the name: keywords, modifiers, decorators. */
  readonly head: string
  /** The last word such as `private:` before it, in the class it stands in. */
  readonly section: string | undefined
  readonly owner: { readonly kind: SymbolKind | "container"; readonly head: string } | undefined
  /** Names the file exports in a list; undefined when it has none. */
  readonly listed: ReadonlySet<string> | undefined
}

/** Query patterns that every grammar has. */
export const PATTERNS_OF_ALL = "(ERROR) @error (MISSING) @error"
