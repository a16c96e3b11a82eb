import type { PairedDifference } from "#ground/contract"
import type { LineRange } from "./hunks.ts"

/** The ends of an interval differ by less than 0.1 points between seeds. */
const BOOTSTRAP_RESAMPLES = 10_000

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

export type PackedLines = ReadonlyMap<string, readonly LineRange[]>

export type PackedText = { readonly lines: PackedLines; readonly tokens: number }

export type EditedFile = { readonly path: string; readonly hunks: readonly LineRange[] }

export function hunkRecall(packed: PackedLines, edited: readonly EditedFile[]): number {
  const all = edited.flatMap(({ path, hunks }) => hunks.map((hunk) => ({ path, hunk })))
  const whole = all.filter(({ path, hunk }) => covers(packed.get(path) ?? [], hunk))
  return all.length === 0 ? 0 : whole.length / all.length
}

export function truthInPackage(packed: PackedLines, truth: ReadonlySet<string>): number {
  return [...truth].filter((it) => packed.has(it)).length / truth.size
}

function covers(pieces: readonly LineRange[], { fromLine, toLine }: LineRange): boolean {
  let next = fromLine
  for (const piece of pieces.toSorted((a, b) => a.fromLine - b.fromLine)) {
    if (piece.fromLine > next) break
    next = Math.max(next, piece.toLine + 1)
  }
  return next > toLine
}

/**
 * Mean difference per task in percentage points, with the 95 % interval of resampled task sets.
 * Paired, because tasks differ far more than rankers.
 */
export function pairedDifference(
  values: readonly number[],
  over: readonly number[],
): PairedDifference {
  const differences = Float64Array.from(values, (it, at) => 100 * (it - (over[at] ?? 0)))
  const { length } = differences
  if (length === 0) return { mean: 0, low: 0, high: 0 }
  const chance = createChance(SEED)
  const means = new Float64Array(BOOTSTRAP_RESAMPLES)
  for (let sample = 0; sample < BOOTSTRAP_RESAMPLES; sample++) {
    let sum = 0
    for (let draw = 0; draw < length; draw++) sum += differences[chance(length)] ?? 0
    means[sample] = sum / length
  }
  means.sort()
  return {
    mean: mean([...differences]),
    low: means[Math.floor(0.025 * BOOTSTRAP_RESAMPLES)] ?? 0,
    high: means[Math.ceil(0.975 * BOOTSTRAP_RESAMPLES) - 1] ?? 0,
  }
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, it) => sum + it, 0) / values.length
}

/** Fixed, so that the same tasks give the same interval. */
const SEED = 20_260_915

/** mulberry32 */
function createChance(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}
