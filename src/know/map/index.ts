export type { FileFacts, SymbolFact } from "./facts.ts"
export { LANGUAGE_NAMES } from "./facts.ts"
export type { Graphs, TreeGraph } from "./graph/graph.ts"
export { createGraphs } from "./graph/graph.ts"
export { calledFrom } from "./graph/links.ts"
export { resolveNames } from "./graph/names.ts"
export type { AgentReads } from "./handlers.ts"
export { mapHandlers } from "./handlers.ts"
export type { RepoMap } from "./map.ts"
export { createMap } from "./map.ts"
export { indexStateOf } from "./tree/indexed-tree.ts"
export { createMeanings } from "./tree/semantic-scores.ts"
export { commitTree, workingTree } from "./tree/sources.ts"
export { dumpTree } from "./tree/store/dump.ts"
export { segmentsOf, signatureLine } from "./tree/text-segments.ts"
export { createTreeIndex } from "./tree/tree-index.ts"
export type {
  Content,
  IndexedFile,
  IndexedTree,
  ScannedTree,
  Segment,
  SourceEntry,
  TreeIndex,
  TreeSource,
} from "./tree/types.ts"
export type { SourceFile } from "./workers.ts"
