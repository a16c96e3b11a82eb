import { createGraphs, type IndexedTree, type TreeGraph } from "#know/map"

/** The value is garbage-collected with the tree. */
export function cachePerTree<Tree extends object, Made>(make: (tree: Tree) => Made) {
  const made = new WeakMap<Tree, Made>()
  return (tree: Tree): Made => {
    const cached = made.get(tree)
    if (cached !== undefined) return cached
    const fresh = make(tree)
    made.set(tree, fresh)
    return fresh
  }
}

export const graphOf: (tree: IndexedTree) => TreeGraph = cachePerTree((tree: IndexedTree) =>
  createGraphs().of(tree),
)
