import type { KnowledgeDeps } from "./deps.ts"
import { createGraph, type Graph } from "./hops.ts"
import { createLibrary, type Library } from "./library.ts"
import { createMeaning } from "./meaning.ts"

export type Shelf = ReturnType<typeof createShelf>

/** The library of this process with what is made from it, each when it is asked for. */
export function createShelf(deps: KnowledgeDeps) {
  const library = createLibrary(deps.db)
  const graphs = new WeakMap<Library, Graph>()
  const graphOf = (of: Library): Graph => {
    const graph = graphs.get(of) ?? createGraph(of)
    graphs.set(of, graph)
    return graph
  }
  return {
    async open() {
      const now = await library()
      return { library: now, graph: () => graphOf(now) }
    },
    meaning: createMeaning(deps),
  }
}
