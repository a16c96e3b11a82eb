import { compareText } from "#ground/base"
import type { IndexedTree, TreeGraph } from "#know/map"
import { NothingToSimulate, SimulatedOutside, TooManyToSimulate } from "../errors.ts"
import { MOST_SIMULATED_FILES } from "../limits.ts"

/** A file that would change. */
export type Target = {
  readonly path: string
  /** Its place in the map; undefined where it takes no part, or is yet to be made. */
  readonly position: number | undefined
}

/** The files that are meant, each once and by path; a folder stands for all that is below it. */
export function targetsOf(
  graph: TreeGraph,
  given: readonly string[],
  place: (path: string) => string | undefined,
): readonly Target[] {
  if (given.length === 0) throw NothingToSimulate({})
  const meant = given.flatMap((written) => {
    const path = place(written)
    if (path === undefined || /^\.\.(?:\/|$)/.test(path)) throw SimulatedOutside({ path: written })
    const below = graph.positionOf(path) === undefined ? filesBelow(graph.tree, path) : []
    return below.length > 0 ? below : [path]
  })
  const paths = [...new Set(meant)].toSorted(compareText)
  const most = MOST_SIMULATED_FILES
  if (paths.length > most) throw TooManyToSimulate({ files: paths.length, most })
  return paths.map((path) => ({ path, position: graph.positionOf(path) }))
}

function filesBelow({ files, unread }: IndexedTree, folder: string): readonly string[] {
  const start = folder === "" || folder === "." ? "" : `${folder.replace(/\/$/, "")}/`
  return [...files, ...unread].map((it) => it.path).filter((path) => path.startsWith(start))
}
