import { compareText } from "#ground/base"
import type { IndexedTree } from "#know/map"
import { MOST_COMMIT_FILES, MOST_COMPANIONS } from "../limits.ts"

/** A file of the tree that changed in the same commits, how often, and of how many. */
export type ChangedTogether = {
  readonly path: string
  readonly times: number
  readonly of: number
}

/** Files that would not change now, and did when these files changed, the most often first. */
export function changedTogether(
  { commits, files }: Pick<IndexedTree, "commits" | "files">,
  paths: ReadonlySet<string>,
): readonly ChangedTogether[] {
  const own = commits.filter(
    (it) => it.files.length <= MOST_COMMIT_FILES && it.files.some((path) => paths.has(path)),
  )
  const counts = new Map<string, number>()
  for (const path of own.flatMap((it) => [...new Set(it.files)])) {
    counts.set(path, (counts.get(path) ?? 0) + 1)
  }
  const present = new Set(files.map((it) => it.path))
  return [...counts]
    .filter(([path]) => present.has(path) && !paths.has(path))
    .map(([path, times]) => ({ path, times, of: own.length }))
    .toSorted((a, b) => b.times - a.times || compareText(a.path, b.path))
    .slice(0, MOST_COMPANIONS)
}
