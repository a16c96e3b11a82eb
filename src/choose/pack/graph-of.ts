import { createGraphs, type IndexedTree, type TreeGraph } from "#know/map"
import { onceATree } from "./once-a-tree.ts"

/** How the files of a tree hang together; it remembers contents and names that were asked for. */
export const graphOf: (tree: IndexedTree) => TreeGraph = onceATree((tree: IndexedTree) =>
  createGraphs().of(tree),
)
