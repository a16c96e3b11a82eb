import { compareText } from "#ground/base"
import { MOST_COMMIT_FILES, MOST_COMPANIONS } from "../limits.ts"
import type { IndexedTree } from "../tree/types.ts"

type Companion = { readonly path: string; readonly times: number }

/** The files of the tree that changed in the same commits as this one, the most often first. */
export function changedWith(
  { commits, files }: Pick<IndexedTree, "commits" | "files">,
  path: string,
): readonly Companion[] {
  const counts = new Map<string, number>()
  for (const { files: changed } of commits) {
    if (changed.length > MOST_COMMIT_FILES || !changed.includes(path)) continue
    for (const other of changed) counts.set(other, (counts.get(other) ?? 0) + 1)
  }
  counts.delete(path)
  const present = new Set(files.map((it) => it.path))
  return [...counts]
    .map(([other, times]) => ({ path: other, times }))
    .filter((it) => present.has(it.path))
    .toSorted((a, b) => b.times - a.times || compareText(a.path, b.path))
    .slice(0, MOST_COMPANIONS)
}
