export type {
  FileFacts,
  ImportFact,
  LanguageName,
  Problem,
  ReferenceFact,
  SymbolFact,
  SymbolKind,
} from "./facts.ts"
export { LANGUAGE_NAMES, SYMBOL_KINDS } from "./facts.ts"
export type { ImportingFile, RepoMap } from "./map.ts"
export { createMap } from "./map.ts"
export type { GoModule, IndexedFile, SourceIndex } from "./source-index.ts"
export { createSourceIndex, goModuleName } from "./source-index.ts"
export type { ParsedFile, SourceFile } from "./workers.ts"
