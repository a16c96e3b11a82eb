import { posix } from "node:path"
import { compareText } from "#ground/base"
import type { CallContext, MapExport, MapScan, MapTree, SearchNames } from "#ground/contract"
import { SKIP_REASONS } from "#see/repo"
import { MapNameUnknown } from "../errors.ts"
import { createGraphs, type TreeGraph } from "../graph/graph.ts"
import { readContents } from "../graph/sources.ts"
import type { AgentReads, MapHandlerDeps } from "../handlers.ts"
import { indexStateOf } from "../tree/indexed-tree.ts"
import type { IndexedTree, ScannedTree } from "../tree/types.ts"
import { describeProblem, withoutTricks } from "./describe.ts"
import { exportModules } from "./export.ts"
import { find } from "./find.ts"
import { describeFolder } from "./folder.ts"
import { childOf, listFolder, listMatching } from "./list.ts"
import { nearNames, pathIn } from "./locate.ts"
import { measure } from "./measures.ts"
import { createNameSearch } from "./names.ts"
import { show, showUsers } from "./show.ts"
import { filesBelow, treemapOf } from "./treemap.ts"

const MOST_LISTED = 100

/** Loaded when an operation runs, because listing operations does not need it. */
export function createAnswers(deps: MapHandlerDeps) {
  const graphs = createGraphs()
  const graph = async (context: CallContext) => graphs.of(await deps.tree(context))
  const redact = async () => withoutTricks(await deps.redact())
  const findNames = createNameSearch()
  return {
    scan: async ({ full }: { readonly full: boolean }, context: CallContext) =>
      describeScan(await deps.scan(full ? "full" : "incremental", context)),
    export: async (input: ExportInput, context: CallContext) =>
      exportTo(deps, await graph(context), { ...input, signal: context.signal }),
    async tree(input: ListInput, context: CallContext): Promise<MapTree> {
      const folder = pathIn(input.folder)
      const tree = await deps.knownTree(context)
      if (tree === undefined) return { folder, entries: [], total: 0, state: null }
      const reads = input.measures ? await deps.agentReads() : undefined
      return listTree(graphs.of(tree), folder, { ...input, reads })
    },
    async treemap(
      input: { readonly folder: string; readonly limit: number },
      context: CallContext,
    ) {
      const folder = pathIn(input.folder)
      const tree = await deps.knownTree(context)
      if (tree === undefined) return { ...NEVER_SCANNED, folder, tiles: [] }
      const reads = await deps.agentReads()
      return treemapOf(await withFiles(graphs.of(tree), input.folder), { ...input, folder, reads })
    },
    async folder(input: { readonly folder: string }, context: CallContext) {
      const folder = pathIn(input.folder)
      const reads = await deps.agentReads()
      const withOwn = await withFiles(await graph(context), input.folder)
      return describeFolder(withOwn, { folder, reads, redact: await redact() })
    },
    users: async (input: { readonly path: string }, context: CallContext) =>
      showUsers(await graph(context), { path: input.path, redact: await redact() }),
    show: async (input: { readonly what: string; readonly hops: number }, context: CallContext) =>
      show(await graph(context), {
        ...input,
        redact: await redact(),
        agentReads: deps.agentReads,
      }),
    async find(input: { readonly words: string; readonly limit: number }, context: CallContext) {
      const [tree, search] = await Promise.all([deps.tree(context), deps.search()])
      return find(tree, { ...input, search, redact: await redact() })
    },
    async names(input: { readonly text: string; readonly limit: number }): Promise<SearchNames> {
      const tree = await deps.storedTree()
      if (tree === undefined) return { files: [], symbols: [], isScanned: false }
      return findNames(tree, { ...input, redact: await redact() })
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

const NEVER_SCANNED = {
  files: 0,
  tokens: 0,
  ranked: 0,
  period: null,
  readsSince: null,
  state: null,
} as const

/** An unknown folder is an error; an empty repository is not. */
async function withFiles(graph: TreeGraph, written: string): Promise<TreeGraph> {
  const folder = pathIn(written)
  const { ranks } = await graph.whole()
  if (folder === "" || filesBelow(graph.tree.files, ranks, folder).length > 0) return graph
  throw MapNameUnknown({ name: written, near: await nearNames(graph.tree, folder) })
}

type ListInput = {
  readonly folder: string
  readonly filter: string
  readonly limit: number
  readonly measures: boolean
}

async function listTree(
  graph: TreeGraph,
  folder: string,
  input: ListInput & { readonly reads: AgentReads | undefined },
): Promise<MapTree> {
  const { tree } = graph
  const { filter, limit, reads } = input
  const whole = await graph.whole()
  const isFiltered = filter !== ""
  const all = isFiltered ? listMatching(tree, whole, filter) : listFolder(tree, whole, folder)
  if (all.length === 0 && !isFiltered && folder !== "") {
    throw MapNameUnknown({ name: input.folder, near: await nearNames(tree, folder) })
  }
  const shown = all.slice(0, limit)
  const listed = { folder, total: all.length, state: indexStateOf(tree) }
  if (!input.measures) return { ...listed, entries: shown }
  const measured = measure(tree, { ranks: whole.ranks, reads })
  const of = measured.by(isFiltered ? (path) => path : childOf(folder))
  const { period, readsSince } = measured
  const entries = shown.map((it) => ({ ...it, measures: of(it.path) }))
  return { ...listed, entries, measured: { period, readsSince } }
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
