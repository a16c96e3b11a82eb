import { posix } from "node:path"
import type { SourceIndex } from "./source-index.ts"

/** Undefined when it leads out of the repository. */
export function relativePath(fromPath: string, specifier: string): string | undefined {
  return inside(posix.join(posix.dirname(fromPath), specifier))
}

export function inside(path: string): string | undefined {
  const normal = posix.normalize(path).replace(/^\.\//, "").replace(/\/$/, "")
  return normal.startsWith("..") || normal.startsWith("/") ? undefined : normal
}

export function firstOf(
  index: Pick<SourceIndex, "has">,
  paths: readonly (string | undefined)[],
): readonly string[] {
  const path = paths.find((it) => it !== undefined && index.has(it))
  return path === undefined ? [] : [path]
}

export function foldersAbove(path: string): readonly string[] {
  const parts = path.split("/").slice(0, -1)
  return [...parts.keys(), parts.length]
    .toReversed()
    .map((count) => parts.slice(0, count).join("/"))
}

export function within(folder: string, path: string): string {
  return folder === "" ? path : `${folder}/${path}`
}

/** Of several files with the same ending, those nearest to the importer. */
export function nearest(paths: readonly string[], fromPath: string): readonly string[] {
  let best: string | undefined
  let bestShared = -1
  for (const path of paths) {
    const shared = sharedFolders(path, fromPath)
    if (shared <= bestShared) continue
    best = path
    bestShared = shared
  }
  return best === undefined ? [] : [best]
}

function sharedFolders(a: string, b: string): number {
  const [left, right] = [a.split("/"), b.split("/")]
  let shared = 0
  while (shared < left.length - 1 && left[shared] === right[shared]) shared++
  return shared
}
