import { posix } from "node:path"
import { compareText } from "#ground/base"
import type { CallContext, MapExport, MapScan, MapTree } from "#ground/contract"
import { SKIP_REASONS } from "#see/repo"
import { MapNameUnknown } from "../errors.ts"
import { createGraphs, type TreeGraph } from "../graph/graph.ts"
import { readContents } from "../graph/sources.ts"
import type { MapHandlerDeps } from "../handlers.ts"
import { indexStateOf } from "../tree/indexed-tree.ts"
import type { IndexedTree, ScannedTree } from "../tree/types.ts"
import { describeProblem, withoutTricks } from "./describe.ts"
import { exportModules } from "./export.ts"
import { find } from "./find.ts"
import { listFolder, listMatching } from "./list.ts"
import { nearNames, pathIn } from "./locate.ts"
import { show } from "./show.ts"

const MOST_LISTED = 100

/** Loaded when an operation runs, because listing operations does not need it. */
export function createAnswers(deps: MapHandlerDeps) {
  const graphs = createGraphs()
  const graph = async (context: CallContext) => graphs.of(await deps.tree(context))
  const redact = async () => withoutTricks(await deps.redact())
  return {
    scan: async ({ full }: { readonly full: boolean }, context: CallContext) =>
      describeScan(await deps.scan(full ? "full" : "incremental", context)),
    export: async (input: ExportInput, context: CallContext) =>
      exportTo(deps, await graph(context), { ...input, signal: context.signal }),
    async tree(input: ListInput): Promise<MapTree> {
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

type ExportInput = { readonly out: string; readonly module: string }

async function exportTo(
  deps: Pick<MapHandlerDeps, "redact" | "write">,
  graph: TreeGraph,
  { out, module, signal }: ExportInput & { readonly signal: AbortSignal },
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

type ListInput = { readonly folder: string; readonly filter: string; readonly limit: number }

async function listTree(
  graph: TreeGraph,
  folder: string,
  { folder: written, filter, limit }: ListInput,
): Promise<MapTree> {
  const { tree } = graph
  const whole = await graph.whole()
  const isFiltered = filter !== ""
  const all = isFiltered ? listMatching(tree, whole, filter) : listFolder(tree, whole, folder)
  if (all.length === 0 && !isFiltered && folder !== "") {
    throw MapNameUnknown({ name: written, near: await nearNames(tree, folder) })
  }
  return { folder, entries: all.slice(0, limit), total: all.length, state: indexStateOf(tree) }
}

export async function describeScan({ result, tree }: ScannedTree): Promise<MapScan> {
  const problems = await problemsOf(tree)
  return {
    scan: result,
    state: indexStateOf(tree),
    languages: languagesOf(tree),
    skipped: tree.skipped
      .slice(0, MOST_LISTED)
      .map(({ path, reason }) => ({ path, reason: SKIP_REASONS[reason] })),
    skippedCount: tree.skipped.length,
    problems: problems.slice(0, MOST_LISTED),
    problemsCount: problems.length,
  }
}

function languagesOf({ files }: IndexedTree): MapScan["languages"] {
  const byLanguage = Map.groupBy(files, (it) => it.language)
  return [...byLanguage]
    .flatMap(([language, own]) => {
      if (language === undefined) return []
      const sum = (count: (file: (typeof own)[number]) => number) =>
        own.reduce((total, it) => total + count(it), 0)
      const symbols = sum((it) => it.symbolCount)
      return [{ language, files: own.length, symbols, tokens: sum((it) => it.tokens) }]
    })
    .toSorted((a, b) => b.files - a.files || compareText(a.language, b.language))
}

async function problemsOf(tree: IndexedTree): Promise<MapScan["problems"]> {
  const parsed = tree.files.filter((it) => it.problemCount > 0)
  const reasons = new Map<number, string>()
  for await (const { number, problems } of readContents(
    tree,
    parsed.map((it) => it.content),
  )) {
    const [first] = problems
    if (first !== undefined) reasons.set(number, describeProblem(first))
  }
  return parsed.flatMap(({ path, content }) => {
    const reason = reasons.get(content)
    return reason === undefined ? [] : [{ path, reason }]
  })
}
