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

export { dumpTree } from "./tree/dump.ts"
export { createMeanings } from "./tree/meanings.ts"
export { segmentsOf, signatureLine } from "./tree/segments.ts"
export { commitTree, workingTree } from "./tree/sources.ts"
export type { TreeIndexDeps } from "./tree/tree-index.ts"
export { createTreeIndex } from "./tree/tree-index.ts"
export type {
  Content,
  ContentSymbol,
  IndexedFile,
  IndexedTree,
  Past,
  Scanned,
  ScanOptions,
  Segment,
  SourceEntry,
  SourceText,
  TreeIndex,
  TreeSource,
  UnreadFile,
} from "./tree/types.ts"

// How files and symbols hang together, and what may be asked of the map.

export { MapNameUnknown, MapPathOutside } from "./errors.ts"
export type { Graphs, TreeGraph } from "./graph/graph.ts"
export { createGraphs } from "./graph/graph.ts"
export type { Meaning, SymbolPlace } from "./graph/names.ts"
export { resolveNames } from "./graph/names.ts"
export type { MapHandlerDeps } from "./handlers.ts"
export { mapHandlers } from "./handlers.ts"
