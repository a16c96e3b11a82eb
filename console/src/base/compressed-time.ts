import { formatClock, formatDate } from "./format.ts"

/** A time axis on which each wait of more than five minutes has the same short length. */
type CompressedTime = {
  /** With a width for the value at the last moment. */
  readonly wholeMs: number
  readonly breaks: readonly TimeBreak[]
  readonly ticks: readonly { readonly ms: number; readonly text: string }[]
  positionOf(at: number): number
}

type TimeBreak = {
  readonly fromMs: number
  readonly toMs: number
  /** The moment after it. */
  readonly toAt: number
  readonly waitedMs: number
}

const LONGEST_MS = 5 * 60_000
/** Of the time without waits. */
const BREAK_SHARE = 0.04
const LEAST_BREAK_MS = 1_000
/** Of the time before it. */
const LAST_SHARE = 0.04

/** Moments are in ascending order. */
export function compressTime(moments: readonly number[]): CompressedTime {
  const gaps = moments.slice(1).map((at, i) => Math.max(0, at - (moments[i] ?? at)))
  const activeMs = gaps.reduce((sum, it) => sum + (it > LONGEST_MS ? 0 : it), 0)
  const breakMs = Math.max(LEAST_BREAK_MS, activeMs * BREAK_SHARE)
  const breaks: TimeBreak[] = []
  const positions = [0]
  for (const [i, gap] of gaps.entries()) {
    const fromMs = positions.at(-1) ?? 0
    const isWait = gap > LONGEST_MS
    const toMs = fromMs + (isWait ? breakMs : gap)
    if (isWait) breaks.push({ fromMs, toMs, toAt: moments[i + 1] ?? 0, waitedMs: gap })
    positions.push(toMs)
  }
  const lastMs = positions.at(-1) ?? 0
  // The last value is valid from its moment on, so it needs a width.
  const wholeMs = moments.length === 0 ? 0 : lastMs + Math.max(1, lastMs * LAST_SHARE)
  const positionOf = (at: number): number => {
    const index = lastAtMost(moments, at)
    const from = positions[index]
    if (from === undefined) return 0
    const next = positions[index + 1] ?? from
    const gap = gaps[index] ?? 0
    const share = gap === 0 ? 0 : Math.min(1, (at - (moments[index] ?? at)) / gap)
    return from + share * (next - from)
  }
  return { wholeMs, breaks, ticks: ticksOf(moments, positions), positionOf }
}

/** The position of the last moment that is not after `at`, or -1; by halves, for 2,000 calls. */
function lastAtMost(moments: readonly number[], at: number): number {
  let low = 0
  let high = moments.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((moments[middle] ?? 0) <= at) low = middle + 1
    else high = middle
  }
  return low - 1
}

const TICKS_OF_A_DAY = 5
const TICKS_OF_DAYS = 3

/** At moments, because between two of them may be a break. */
function ticksOf(moments: readonly number[], positions: readonly number[]) {
  const [first, last] = [moments[0], moments.at(-1)]
  if (first === undefined || last === undefined) return []
  const isOneDay = formatDate(first) === formatDate(last)
  const text = (at: number) => (isOneDay ? formatClock(at) : `${formatDate(at)} ${formatClock(at)}`)
  const count = isOneDay ? TICKS_OF_A_DAY : TICKS_OF_DAYS
  const wholeMs = positions.at(-1) ?? 0
  const ticks = [{ ms: 0, text: text(first) }]
  for (let i = 1; i <= count; i++) {
    const index = positions.findIndex((it) => it >= (wholeMs * i) / count)
    const [at, ms] = [moments[index], positions[index]]
    const before = ticks.at(-1)
    if (at === undefined || ms === undefined || before === undefined) continue
    const isApart = ms - before.ms >= wholeMs / (count + 1) && text(at) !== before.text
    if (isApart) ticks.push({ ms, text: text(at) })
  }
  return ticks
}
