import { nearest } from "#ground/base"
import type { IndexedFile, IndexedTree } from "#know/map"
import { TargetOutside, TargetUnknown } from "../errors.ts"
import { cachePerTree } from "./per-tree-cache.ts"

export type PathFinder = {
  /** Exact, by a unique ending, or by the ending of an absolute path from another machine. */
  find(written: string): IndexedFile | undefined
  locate(given: string, place: (path: string) => string | undefined): IndexedFile | undefined
  demand(given: string, place: (path: string) => string | undefined): IndexedFile
}

export const pathFinderOf = cachePerTree(createPathFinder)

function createPathFinder({ files, unread }: IndexedTree): PathFinder {
  const byPath = new Map(files.map((it) => [it.path, it]))
  const byName = Map.groupBy(files, (it) => nameOf(it.path))

  function find(written: string): IndexedFile | undefined {
    const path = plain(written)
    const exact = byPath.get(path)
    if (exact !== undefined) return exact
    const namesakes = byName.get(nameOf(path)) ?? []
    return byTail(path, namesakes) ?? byHead(path, byPath)
  }

  const locate: PathFinder["locate"] = (input, toRelative) => {
    const written = plain(input)
    const exact = byPath.get(input) ?? byPath.get(written)
    if (exact !== undefined) return exact
    const path = toRelative(input)
    if (path === undefined || path.startsWith("../")) return undefined
    return byPath.get(path) ?? byTail(written, byName.get(nameOf(written)) ?? [])
  }

  return {
    find,
    locate,
    demand(input, toRelative) {
      const file = locate(input, toRelative)
      if (file !== undefined) return file
      const path = toRelative(input)
      if (path === undefined || path.startsWith("../")) throw TargetOutside({ path: input })
      const unreadFile = unread.find((it) => it.path === path || it.path === input)
      if (unreadFile !== undefined)
        throw TargetUnknown({ path: input, unread: unreadFile.fileClass })
      const similar = byHead(path, byPath)?.path ?? nearestOf(input, byName)
      throw TargetUnknown({ path: input, ...(similar !== undefined && { nearest: similar }) })
    },
  }
}

function byTail(path: string, namesakes: readonly IndexedFile[]): IndexedFile | undefined {
  const ending = namesakes.filter((it) => it.path.endsWith(`/${path}`))
  return ending.length === 1 ? ending[0] : undefined
}

function byHead(path: string, byPath: ReadonlyMap<string, IndexedFile>): IndexedFile | undefined {
  const parts = path.split("/").slice(0, 64)
  for (let from = 1; from < parts.length - 1; from++) {
    const file = byPath.get(parts.slice(from).join("/"))
    if (file !== undefined) return file
  }
  return undefined
}

function plain(written: string): string {
  return written.replaceAll("\\", "/").replace(/^(?:\.\/)+/, "")
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1)
}

function nearestOf(
  path: string,
  byName: ReadonlyMap<string, readonly IndexedFile[]>,
): string | undefined {
  const name = nearest(nameOf(path), [...byName.keys()])
  return name === undefined ? undefined : byName.get(name)?.[0]?.path
}
