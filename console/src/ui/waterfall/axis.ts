export type Axis = { readonly max: number; readonly ticks: readonly number[] }

const LEAST_STEP = 25
const ROUND = [1, 2, 2.5, 5, 10] as const

export function axisFor(total: number): Axis {
  const quarter = Math.max(LEAST_STEP, total / 4)
  const power = 10 ** Math.floor(Math.log10(quarter))
  const round = ROUND.find((it) => it * power >= quarter) ?? 10
  const step = round * power
  return { max: step * 4, ticks: [0, step, step * 2, step * 3] }
}

export function formatTick(tokens: number): string {
  if (tokens < 1_000) return String(tokens)
  return tokens < 1_000_000 ? `${tokens / 1_000}k` : `${tokens / 1_000_000}M`
}
