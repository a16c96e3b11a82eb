export type {
  FileFacts,
  ImportFact,
  LanguageName,
  Problem,
  ReferenceFact,
  SymbolFact,
} from "./facts.ts"
export { LANGUAGE_NAMES } from "./facts.ts"
export type { ImportingFile, RepoMap } from "./map.ts"
export { createMap } from "./map.ts"
export type { GoModule, PackagedFile, SourceIndex } from "./source-index.ts"
export { createSourceIndex, goModuleName } from "./source-index.ts"
export type { ParsedFile, SourceFile } from "./workers.ts"

// A tree that was scanned, and where trees come from.

export type {
  Content,
  ContentSymbol,
  IndexedFile,
  IndexedTree,
  Scanned,
  ScanOptions,
  Segment,
  SourceEntry,
  TreeIndex,
  TreeSource,
} from "./tree/types.ts"
