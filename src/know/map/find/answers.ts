import { posix } from "node:path"
import type { CallContext, MapExport, MapTree } from "#ground/contract"
import { MapNameUnknown } from "../errors.ts"
import { createGraphs, type TreeGraph } from "../graph/graph.ts"
import type { MapHandlerDeps } from "../handlers.ts"
import { stateOf, withoutTricks } from "./described.ts"
import { exportModules } from "./export.ts"
import { find } from "./find.ts"
import { listFolder, listMatching } from "./list.ts"
import { nearNames, pathIn } from "./places.ts"
import { describeScan } from "./scanned.ts"
import { show } from "./show.ts"

/** What the operations answer. Operations are listed without it; it is loaded when one is run. */
export function createAnswers(deps: MapHandlerDeps) {
  const graphs = createGraphs()
  const graph = async (context: CallContext) => graphs.of(await deps.tree(context))
  const redact = async () => withoutTricks(await deps.redact())
  return {
    scan: async ({ full }: { readonly full: boolean }, context: CallContext) =>
      describeScan(await deps.scan(full ? "full" : "incremental", context)),
    export: async (input: Exporting, context: CallContext) =>
      exportTo(deps, await graph(context), { ...input, signal: context.signal }),
    async tree(input: Listing): Promise<MapTree> {
      const folder = pathIn(input.folder)
      const tree = await deps.openTree()
      if (tree === undefined) return { folder, entries: [], total: 0, state: null }
      return listTree(graphs.of(tree), folder, input)
    },
    show: async (input: { readonly what: string; readonly hops: number }, context: CallContext) =>
      show(await graph(context), { ...input, redact: await redact() }),
    async find(input: { readonly words: string; readonly limit: number }, context: CallContext) {
      const [tree, search] = await Promise.all([deps.tree(context), deps.search()])
      return find(tree, { ...input, search, redact: await redact() })
    },
  }
}

type Exporting = { readonly out: string; readonly module: string }

async function exportTo(
  deps: Pick<MapHandlerDeps, "redact" | "write">,
  graph: TreeGraph,
  { out, module, signal }: Exporting & { readonly signal: AbortSignal },
): Promise<MapExport> {
  const below = pathIn(module)
  const files: string[] = []
  const redact = withoutTricks(await deps.redact())
  for await (const { path, text } of exportModules(graph, { below, redact })) {
    signal.throwIfAborted()
    await deps.write(posix.join(out, path), text)
    files.push(path)
  }
  if (files.length > 0 || below === "") return { out, files }
  throw MapNameUnknown({ name: module, near: await nearNames(graph.tree, module) })
}

type Listing = { readonly folder: string; readonly filter: string; readonly limit: number }

async function listTree(
  graph: TreeGraph,
  folder: string,
  { folder: written, filter, limit }: Listing,
): Promise<MapTree> {
  const { tree } = graph
  const whole = await graph.whole()
  const isFiltered = filter !== ""
  const all = isFiltered ? listMatching(tree, whole, filter) : listFolder(tree, whole, folder)
  if (all.length === 0 && !isFiltered && folder !== "") {
    throw MapNameUnknown({ name: written, near: await nearNames(tree, folder) })
  }
  return { folder, entries: all.slice(0, limit), total: all.length, state: stateOf(tree) }
}
