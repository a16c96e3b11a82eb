import { compareText } from "#ground/base"
import type { MapScan } from "#ground/contract"
import { SKIP_REASONS } from "#see/repo"
import { readContents } from "../graph/sources.ts"
import { MOST_LISTED } from "../limits.ts"
import type { IndexedTree, Scanned } from "../tree/types.ts"
import { describeProblem, stateOf } from "./described.ts"

/** What a scan found, for who asked for it. */
export async function describeScan({ result, tree }: Scanned): Promise<MapScan> {
  const problems = await problemsOf(tree)
  return {
    scan: result,
    state: stateOf(tree),
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

/** Files that were read in part, in the order of the tree, with the first reason of each. */
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
