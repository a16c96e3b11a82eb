import { formatRunTime } from "../../base/format.ts"

const ROUND_MS = [
  10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000,
  600_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000, 43_200_000, 86_400_000,
] as const
const MOST_TICKS = 8
/** Maximum width of a digit in this font, and the space after a label. */
const CHARACTER_PX = 7
const GAP_PX = 10

export type Tick = { readonly ms: number; readonly text: string }

export function ticksFor(durationMs: number, widthPx: number): readonly Tick[] {
  const tick = (ms: number): Tick => ({ ms, text: formatTick(ms, durationMs) })
  const end = tick(durationMs)
  if (durationMs <= 0) return [end]
  const roomPx = widthOf(end) + GAP_PX
  const most = Math.min(MOST_TICKS, Math.floor(widthPx / roomPx))
  const stepMs = ROUND_MS.find((it) => durationMs / it <= most) ?? durationMs
  const moments = Array.from({ length: Math.ceil(durationMs / stepMs) }, (_, i) => tick(i * stepMs))
  const others = moments.filter((it) => it.text !== end.text)
  return clearOfLast([...others, end], { wholeMs: durationMs, widthPx })
}

type Axis = { readonly wholeMs: number; readonly widthPx: number }

/** The last tick is drawn at the right edge; ticks that would touch it are left out. */
export function clearOfLast(ticks: readonly Tick[], { wholeMs, widthPx }: Axis): readonly Tick[] {
  const end = ticks.at(-1)
  if (end === undefined || wholeMs <= 0) return ticks
  const roomPx = widthPx - widthOf(end) - GAP_PX
  return ticks.filter((it) => it === end || (it.ms / wholeMs) * widthPx + widthOf(it) <= roomPx)
}

function widthOf({ text }: Tick): number {
  return text.length * CHARACTER_PX
}

/** Runs of a few seconds show tenths, because two ticks 0:01 would be useless. */
function formatTick(ms: number, durationMs: number): string {
  if (durationMs < 1_000) return `${Math.round(ms)} ms`
  if (durationMs < 10_000) return `${(ms / 1_000).toFixed(1)} s`
  return ms === 0 ? "0:00" : formatRunTime(ms)
}
