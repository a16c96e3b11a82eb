import type { LineRange } from "./hunks.ts"

/** The shares of the truth among the first ten and twenty, and one by the rank of the first hit. */
export type RankMeasures = {
  readonly recallAt10: number
  readonly recallAt20: number
  readonly mrr: number
}

export function measureRanking(
  ranked: readonly string[],
  truth: ReadonlySet<string>,
): RankMeasures {
  const first = ranked.findIndex((it) => truth.has(it))
  return {
    recallAt10: recallAt(ranked, truth, 10),
    recallAt20: recallAt(ranked, truth, 20),
    mrr: first < 0 ? 0 : 1 / (first + 1),
  }
}

function recallAt(ranked: readonly string[], truth: ReadonlySet<string>, most: number): number {
  return ranked.slice(0, most).filter((it) => truth.has(it)).length / truth.size
}

/** What a package has of files: the lines that are sent; none when a file is only named. */
export type PackedLines = ReadonlyMap<string, readonly LineRange[]>

export type EditedFile = { readonly path: string; readonly hunks: readonly LineRange[] }

/** The share of the hunks of which every line is in the package. */
export function hunkRecall(packed: PackedLines, edited: readonly EditedFile[]): number {
  const all = edited.flatMap(({ path, hunks }) => hunks.map((hunk) => ({ path, hunk })))
  const whole = all.filter(({ path, hunk }) => covers(packed.get(path) ?? [], hunk))
  return all.length === 0 ? 0 : whole.length / all.length
}

/** The share of the files that are in the package in any form. */
export function truthInPackage(packed: PackedLines, truth: ReadonlySet<string>): number {
  return [...truth].filter((it) => packed.has(it)).length / truth.size
}

/** Pieces may touch or overlap, in any order. */
function covers(pieces: readonly LineRange[], { fromLine, toLine }: LineRange): boolean {
  let next = fromLine
  for (const piece of pieces.toSorted((a, b) => a.fromLine - b.fromLine)) {
    if (piece.fromLine > next) break
    next = Math.max(next, piece.toLine + 1)
  }
  return next > toLine
}
