import type { KnowledgeDeps } from "./deps.ts"
import { createLibrary, type Library } from "./library.ts"
import { createGraph, type Graph } from "./references/reference-graph.ts"
import { createMeaning } from "./search/semantic-search.ts"

export type LibraryAccess = ReturnType<typeof createLibraryAccess>

export function createLibraryAccess(deps: KnowledgeDeps) {
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
