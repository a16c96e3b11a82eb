import { compareText } from "#ground/base"
import type { MapEntry } from "#ground/contract"
import type { FileGraph } from "../graph/graph.ts"
import type { IndexedTree } from "../tree/types.ts"

export function listFolder(
  tree: IndexedTree,
  { ranks }: Pick<FileGraph, "ranks">,
  folder: string,
): readonly MapEntry[] {
  const folders = new Map<string, MapEntry>()
  const files: MapEntry[] = []
  const entryIn = childOf(folder)
  for (const entry of fileEntries(tree, ranks)) {
    const path = entryIn(entry.path)
    if (path === undefined) continue
    if (path === entry.path) {
      files.push(entry)
      continue
    }
    folders.set(path, withFile(folders.get(path) ?? emptyFolder(path), entry))
  }
  return [...[...folders.values()].toSorted(byName), ...files.toSorted(byName)]
}

/** The entry of the folder that is or contains a path. */
export function childOf(folder: string): (path: string) => string | undefined {
  const start = folder === "" ? "" : `${folder}/`
  return (path) => {
    if (!path.startsWith(start)) return undefined
    const slash = path.indexOf("/", start.length)
    return slash < 0 ? path : path.slice(0, slash)
  }
}

export function listMatching(
  tree: IndexedTree,
  { ranks }: Pick<FileGraph, "ranks">,
  filter: string,
): readonly MapEntry[] {
  const needle = filter.toLowerCase()
  return fileEntries(tree, ranks).filter((it) => it.path.toLowerCase().includes(needle))
}

/** Includes unindexed files, so that a folder of generated files is not empty. */
function fileEntries(tree: IndexedTree, ranks: Float64Array): readonly MapEntry[] {
  const read = tree.files.map((it, position) => ({
    path: it.path,
    name: nameOf(it.path),
    kind: "file" as const,
    files: 1,
    symbols: it.symbolCount,
    tokens: it.tokens,
    rank: ranks[position] ?? 0,
    ...(it.language !== undefined && { language: it.language }),
    fileClass: it.fileClass,
  }))
  const unread = tree.unread.map(({ path, fileClass }) => ({
    ...emptyFolder(path),
    kind: "file" as const,
    files: 1,
    fileClass,
  }))
  return unread.length === 0 ? read : [...read, ...unread].toSorted(byPath)
}

function emptyFolder(path: string): MapEntry {
  return { path, name: nameOf(path), kind: "folder", files: 0, symbols: 0, tokens: 0, rank: 0 }
}

function withFile(folder: MapEntry, file: MapEntry): MapEntry {
  return {
    ...folder,
    files: folder.files + 1,
    symbols: folder.symbols + file.symbols,
    tokens: folder.tokens + file.tokens,
    rank: Math.max(folder.rank, file.rank),
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1)
}

function byName(a: MapEntry, b: MapEntry): number {
  return compareText(a.name, b.name)
}

function byPath(a: MapEntry, b: MapEntry): number {
  return compareText(a.path, b.path)
}
