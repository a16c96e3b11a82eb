import type { PairedDifference } from "#ground/contract"
import { BOOTSTRAP_RESAMPLES } from "../limits.ts"

/**
 * How much better one is than the other, task by task, in points of 100, with the interval that 95 %
 * of resampled sets of tasks give. Task by task, since the tasks differ far more than the rankers.
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

/** Fixed: the same tasks give the same interval. */
const SEED = 20_260_915

/** Whole numbers below the one asked for; mulberry32, which is short and passes for this. */
function createChance(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}
