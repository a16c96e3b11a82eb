import { compareText } from "#ground/base"
import type { MapTile, MapTreemap } from "#ground/contract"
import type { TreeGraph } from "../graph/graph.ts"
import type { AgentReads } from "../handlers.ts"
import { indexStateOf } from "../tree/indexed-tree.ts"
import type { IndexedFile } from "../tree/types.ts"
import { countRanked, type Measured, measure } from "./measures.ts"

type TreemapInput = {
  readonly folder: string
  readonly limit: number
  readonly reads: AgentReads | undefined
}

type RankedFile = { readonly file: IndexedFile; readonly rank: number }

export async function treemapOf(
  graph: TreeGraph,
  { folder, limit, reads }: TreemapInput,
): Promise<MapTreemap> {
  const { tree } = graph
  const { ranks } = await graph.whole()
  const measured = measure(tree, { ranks, reads })
  const files = filesBelow(tree.files, ranks, folder)
  return {
    folder,
    files: files.length,
    tokens: files.reduce((sum, { file }) => sum + file.tokens, 0),
    ranked: countRanked(ranks),
    tiles: [...tilesOf(files, { folder, limit, measured })],
    period: measured.period,
    readsSince: measured.readsSince,
    state: indexStateOf(tree),
  }
}

/** Largest first. */
export function filesBelow(
  files: readonly IndexedFile[],
  ranks: Float64Array,
  folder: string,
): readonly RankedFile[] {
  const start = folder === "" ? "" : `${folder}/`
  return files
    .map((file, position) => ({ file, rank: ranks[position] ?? 0 }))
    .filter(({ file }) => file.path.startsWith(start))
    .toSorted((a, b) => b.file.tokens - a.file.tokens || compareText(a.file.path, b.file.path))
}

export function tileOf(
  { file, rank }: RankedFile,
  measuresOf: ReturnType<Measured["by"]>,
): MapTile {
  return { path: file.path, files: 1, tokens: file.tokens, rank, ...measuresOf(file.path) }
}

/** Half of the tiles are single files; the others are what remains of each folder. */
function tilesOf(
  files: readonly RankedFile[],
  { folder, limit, measured }: Omit<TreemapInput, "reads"> & { readonly measured: Measured },
): readonly MapTile[] {
  const hasRoom = files.length <= limit
  const single = hasRoom ? files : files.slice(0, Math.floor(limit / 2))
  const rest = hasRoom ? [] : files.slice(single.length)
  const shared = foldersFor(rest, { folder, most: Math.max(1, limit - single.length) })
  const ofFile = measured.by((path) => path)
  const ofFolder = measured.by((path) => shared.get(path))
  const restByFolder = Map.groupBy(rest, ({ file }) => shared.get(file.path) ?? folder)
  const merged = [...restByFolder].map(([path, own]) => ({
    path,
    files: own.length,
    tokens: own.reduce((sum, { file }) => sum + file.tokens, 0),
    rank: own.reduce((most, { rank }) => Math.max(most, rank), 0),
    ...ofFolder(path),
  }))
  return [...single.map((it) => tileOf(it, ofFile)), ...merged].toSorted(
    (a, b) => b.tokens - a.tokens || compareText(a.path, b.path),
  )
}

/** The folder under which each file is merged: its own, or one further up if there are too many. */
function foldersFor(
  files: readonly RankedFile[],
  { folder, most }: { readonly folder: string; readonly most: number },
): ReadonlyMap<string, string> {
  const depth = (path: string) => path.split("/").length
  const own = new Map(files.map(({ file }) => [file.path, parentOf(file.path)]))
  let deepest = Math.max(0, ...[...own.values()].map(depth))
  const least = folder === "" ? 0 : depth(folder)
  for (; new Set(own.values()).size > most && deepest > least; deepest--) {
    for (const [path, at] of own) if (depth(at) === deepest) own.set(path, parentOf(at))
  }
  return own
}

export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")))
}
