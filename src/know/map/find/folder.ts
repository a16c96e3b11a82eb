import { compareText } from "#ground/base"
import type { MapFolder, NeighbourFolder } from "#ground/contract"
import type { FileGraph, TreeGraph } from "../graph/graph.ts"
import { type Use, usesOf } from "../graph/links.ts"
import type { SymbolPlace } from "../graph/names.ts"
import type { AgentReads } from "../handlers.ts"
import type { IndexedTree } from "../tree/types.ts"
import { describeSymbol, type Redact } from "./describe.ts"
import { countRanked, measure } from "./measures.ts"
import { filesBelow, parentOf, tileOf } from "./treemap.ts"

const MOST_LARGEST = 50
const MOST_PATHS = 20
const MOST_COMPANIONS = 10

/** A larger commit is a mass edit. */
const MOST_COMMIT_FILES = 20

/** The symbols that other files use most are in the files that rank highest. */
const MOST_RANKED_FILES = 60
const MOST_CANDIDATES = 16
const MOST_SYMBOLS = 8

type FolderInput = {
  readonly folder: string
  readonly reads: AgentReads | undefined
  readonly redact: Redact
}

export async function describeFolder(
  graph: TreeGraph,
  { folder, reads, redact }: FolderInput,
): Promise<MapFolder> {
  const { tree } = graph
  const whole = await graph.whole()
  const measured = measure(tree, { ranks: whole.ranks, reads })
  const files = filesBelow(tree.files, whole.ranks, folder)
  const isInside = insideOf(folder)
  const ofFile = measured.by((path) => path)
  return {
    folder,
    files: files.length,
    tokens: files.reduce((sum, { file }) => sum + file.tokens, 0),
    ranked: countRanked(whole.ranks),
    measures: measured.by((path) => (isInside(path) ? folder : undefined))(folder),
    period: measured.period,
    readsSince: measured.readsSince,
    largest: files.slice(0, MOST_LARGEST).map((it) => tileOf(it, ofFile)),
    symbols: [...(await mostUsed(graph, whole, { isInside, redact }))],
    ...neighboursOf(tree, whole, folder),
    changedWith: [...changedOutside(tree, isInside)],
  }
}

function insideOf(folder: string): (path: string) => boolean {
  return folder === "" ? () => true : (path) => path.startsWith(`${folder}/`)
}

type Imports = { readonly from: string; readonly to: string }

function neighboursOf(
  { files }: IndexedTree,
  { imports }: FileGraph,
  folder: string,
): Pick<MapFolder, "usedBy" | "dependsOn"> {
  if (folder === "") return { usedBy: [], dependsOn: [] }
  const isInside = insideOf(folder)
  const pathAt = (position: number) => files[position]?.path ?? ""
  const crossing = imports.flatMap((own, position): readonly Imports[] => {
    const from = pathAt(position)
    const targets = new Set(own.flatMap((it) => it.positions.map(pathAt)))
    return [...targets].filter((to) => isInside(from) !== isInside(to)).map((to) => ({ from, to }))
  })
  const depth = folder.split("/").length
  // Neighbours are at the depth of the folder, like its siblings.
  const neighbour = (path: string) => parentOf(path).split("/").slice(0, depth).join("/")
  return {
    usedBy: grouped(
      crossing.filter((it) => isInside(it.to)),
      (it) => neighbour(it.from),
    ),
    dependsOn: grouped(
      crossing.filter((it) => isInside(it.from)),
      (it) => neighbour(it.to),
    ),
  }
}

function grouped(
  crossing: readonly Imports[],
  folderOf: (it: Imports) => string,
): NeighbourFolder[] {
  return [...Map.groupBy(crossing, folderOf)]
    .map(([folder, own]) => {
      const paths = [...new Set(own.map((it) => it.from))].toSorted(compareText)
      return { folder, files: paths.length, paths: paths.slice(0, MOST_PATHS) }
    })
    .toSorted((a, b) => b.files - a.files || compareText(a.folder, b.folder))
}

function changedOutside(
  { commits, files }: IndexedTree,
  isInside: (path: string) => boolean,
): MapFolder["changedWith"] {
  const counts = new Map<string, number>()
  for (const { files: changed } of commits) {
    if (changed.length > MOST_COMMIT_FILES || !changed.some(isInside)) continue
    for (const other of changed) {
      if (!isInside(other)) counts.set(other, (counts.get(other) ?? 0) + 1)
    }
  }
  const present = new Set(files.map((it) => it.path))
  return [...counts]
    .map(([path, times]) => ({ path, times }))
    .filter((it) => present.has(it.path))
    .toSorted((a, b) => b.times - a.times || compareText(a.path, b.path))
    .slice(0, MOST_COMPANIONS)
}

async function mostUsed(
  graph: TreeGraph,
  { ranks }: FileGraph,
  options: { readonly isInside: (path: string) => boolean; readonly redact: Redact },
): Promise<MapFolder["symbols"]> {
  const { tree } = graph
  const positions = [...tree.files.keys()]
    .filter((it) => (ranks[it] ?? 0) > 0 && options.isInside(tree.files[it]?.path ?? ""))
    .toSorted((a, b) => (ranks[b] ?? 0) - (ranks[a] ?? 0))
    .slice(0, MOST_RANKED_FILES)
  const contents = await graph.contents(positions.flatMap((it) => tree.files[it]?.content ?? []))
  const exported = positions.flatMap((position) => {
    const symbols = contents.get(tree.files[position]?.content ?? -1)?.symbols ?? []
    return symbols.flatMap((fact, symbol) =>
      fact.isExported && fact.parent === undefined ? [{ position, symbol, fact }] : [],
    )
  })
  const referrers = await tree.referrers([...new Set(exported.map((it) => it.fact.name))])
  const candidates = exported
    .map((it) => ({ ...it, files: referrers.get(it.fact.name)?.length ?? 0 }))
    .toSorted((a, b) => b.files - a.files)
    .slice(0, MOST_CANDIDATES)
  const places: readonly SymbolPlace[] = candidates.map(({ position, symbol }) => ({
    position,
    symbol,
  }))
  const { uses } = await usesOf(graph, places)
  return candidates
    .map(({ position, fact }, at) => {
      // A method call of the same name is no use of this symbol.
      const isSure = (it: Use) => it.confidence === "import" || it.confidence === "package"
      const own = uses.filter((it) => it.target === at && isSure(it))
      const users = own.map((it) => it.end.position)
      const path = tree.files[position]?.path ?? ""
      const symbol = describeSymbol(path, fact, options.redact)
      return { symbol, files: new Set(users).size }
    })
    .filter((it) => it.files > 0)
    .toSorted((a, b) => b.files - a.files || compareText(a.symbol.name, b.symbol.name))
    .slice(0, MOST_SYMBOLS)
}
