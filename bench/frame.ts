import { type Clock, invariant } from "#ground/base"

/** One benchmark: a file in this folder that exports one of these as `bench`. */
export type Bench = {
  readonly name: string
  readonly about: string
  run(context: BenchContext): Promise<readonly Row[]>
}

export type BenchContext = {
  readonly root: string
  readonly clock: Clock
  /** Rounds of the command line; without them a benchmark uses its own number. */
  readonly rounds: number | undefined
  /** Duration of `load`. */
  readonly minutes: number | undefined
  /** File of `secrets`, folder of repositories of `edges`. */
  readonly data: string | undefined
  /** Prints progress to stderr, because stdout is the table. */
  note(sentence: string): void
}

export type Row = {
  readonly what: string
  readonly measured: number
  readonly unit: string
  readonly against: string
  readonly floor: number
  readonly ratio: number
  readonly bar: string
  /** Null without a bar. */
  readonly holds: boolean | null
}

export type Bar = { readonly words: string; holds(measured: number, floor: number): boolean }

export function makeRow(figures: {
  what: string
  measured: number
  unit: string
  against: string
  floor: number
  bar?: Bar
}): Row {
  const { bar, ...rest } = figures
  return {
    ...rest,
    ratio: rest.floor === 0 ? Number.NaN : rest.measured / rest.floor,
    bar: bar?.words ?? "",
    holds: bar === undefined ? null : bar.holds(rest.measured, rest.floor),
  }
}

export function atMostTimes(times: number): Bar {
  return { words: `at most ${times} ×`, holds: (measured, floor) => measured <= floor * times }
}

export function atLeastTimes(times: number): Bar {
  return { words: `at least ${times} ×`, holds: (measured, floor) => measured >= floor * times }
}

export function within(distance: number, unit: string): Bar {
  return {
    words: `within ${distance} ${unit}`,
    holds: (measured, floor) => measured - floor <= distance,
  }
}

/** An absolute bar. It depends on the machine: use it beside a ratio, never instead of one. */
export function atMost(limit: number, unit: string): Bar {
  return { words: `at most ${limit} ${unit}`, holds: (measured) => measured <= limit }
}

export type Contestant<Name extends string> = { readonly name: Name; run(): unknown }

/**
 * Times each contestant once per round, so that a slow minute of the machine affects all. The first
 * one changes with the round, so that none always follows the same neighbour. Returns a function
 * from a contestant's name to its times in milliseconds.
 */
export async function interleave<const Name extends string>(
  contestants: readonly Contestant<Name>[],
  options: { clock: Clock; rounds: number; warmUpRounds?: number },
): Promise<(name: Name) => Samples> {
  const { clock, rounds, warmUpRounds = 2 } = options
  const timesByName = new Map<Name, number[]>(contestants.map((it) => [it.name, []]))
  for (let round = 0; round < warmUpRounds + rounds; round++) {
    for (const contestant of rotate(contestants, round)) {
      const startedAt = clock.monotonicMs()
      await contestant.run()
      const tookMs = clock.monotonicMs() - startedAt
      if (round >= warmUpRounds) timesByName.get(contestant.name)?.push(tookMs)
    }
  }
  return (name) => createSamples(timesByName.get(name) ?? [])
}

export type Samples = ReturnType<typeof createSamples>

export function createSamples(values: readonly number[]) {
  invariant(values.length > 0, "a benchmark takes at least one sample")
  const sorted = values.toSorted((a, b) => a - b)
  return {
    count: sorted.length,
    min: quantile(sorted, 0),
    median: quantile(sorted, 0.5),
    p95: quantile(sorted, 0.95),
    p99: quantile(sorted, 0.99),
    max: quantile(sorted, 1),
  }
}

/** Nearest rank: a measured value, never an interpolated one. */
function quantile(sorted: readonly number[], share: number): number {
  const rank = Math.max(1, Math.ceil(share * sorted.length))
  return sorted[rank - 1] ?? Number.NaN
}

function rotate<Item>(items: readonly Item[], by: number): readonly Item[] {
  const start = by % Math.max(1, items.length)
  return [...items.slice(start), ...items.slice(0, start)]
}
