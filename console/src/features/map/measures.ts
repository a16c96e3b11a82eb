import { formatAge, formatDate } from "../../base/format.ts"
import {
  formatCount,
  formatExact,
  type MapMeasures,
  type MapPeriod,
  type MapTreemap,
  plural,
} from "../../contract.ts"
import { MAP_COLORS, type MapColor } from "../../data/paths.ts"

type Measured = Pick<MapTreemap, "period" | "readsSince" | "ranked">
type Valued = Pick<MapMeasures, "changes" | "changedAt" | "reads"> & {
  readonly tokens: number
  readonly rank: number
}

export const COLOR_LABELS: Readonly<Record<MapColor, string>> = {
  size: "Size",
  changes: "Changes",
  rank: "Rank",
  reads: "Agent reads",
  age: "Age",
}

export function valueOf(color: MapColor, tile: Valued): number {
  switch (color) {
    case "size":
      return tile.tokens
    case "changes":
      return tile.changes ?? 0
    case "rank":
      return tile.rank
    case "reads":
      return tile.reads ?? 0
    case "age":
      return tile.changedAt ?? 0
    default:
      return color satisfies never
  }
}

export type Step = 1 | 2 | 3 | 4 | 5

/** Each step begins at half of the next one: of 48 at 3, 6, 12 and 24. */
export function stepOf(value: number, most: number): Step {
  if (value <= 0 || most <= 0) return 1
  const share = value / most
  if (share >= 0.5) return 5
  if (share >= 0.25) return 4
  if (share >= 0.125) return 3
  return share >= 0.0625 ? 2 : 1
}

const DAY_MS = 86_400_000
const AGES = [365, 90, 30, 7] as const

/** Newer is stronger. A file without a known change has the same step as the oldest. */
export function stepOfAge(changedAt: number, now: number): Step {
  const days = (now - changedAt) / DAY_MS
  const steps = [2, 3, 4, 5] as const
  return steps[AGES.findLastIndex((it) => days <= it)] ?? 1
}

/** The reason why a colour has no data, or undefined. */
export function colorProblem(color: MapColor, measured: Measured | undefined): string | undefined {
  if (measured === undefined) return undefined
  const needsHistory = color === "changes" || color === "age"
  if (needsHistory && measured.period === null) return "This folder has no git history"
  if (color === "rank" && measured.ranked === 0) return "No file imports another"
  if (color === "reads" && measured.readsSince === null) {
    return "No stored run has read a file of this repository in 90 days"
  }
  return undefined
}

/** The requested colour, or the size where it has no data. */
export function usableColor(color: MapColor, measured: Measured | undefined): MapColor {
  return colorProblem(color, measured) === undefined ? color : "size"
}

function periodText(period: MapPeriod, now: number): string {
  const isRecent = now - period.endsAt < 7 * 86_400_000
  const days = `in ${plural(period.days, "day")}`
  return isRecent ? days : `${days} before ${formatDate(period.endsAt)}`
}

export function describeMost(
  { color, most }: { readonly color: MapColor; readonly most: number },
  measured: Measured,
  now: number,
): string {
  switch (color) {
    case "size":
      return `${formatCount(most)} tokens`
    case "changes":
      return measured.period === null
        ? ""
        : `${plural(most, "change")} ${periodText(measured.period, now)}`
    case "rank":
      return "most imported"
    case "reads":
      return `${plural(most, "agent read")} in 90 days`
    case "age":
      return "changed in 7 days"
    default:
      return color satisfies never
  }
}

export type Fact = { readonly name: string; readonly value: string }

/** Each figure with its period; an unknown one is left out. */
export function factsOf(
  tile: MapMeasures & { readonly tokens: number },
  measured: Measured,
  now: number,
): readonly Fact[] {
  const { changes, changedAt, reads, place } = tile
  const { period, ranked } = measured
  return [
    { name: "Tokens", value: formatExact(tile.tokens) },
    ...(changes === null || period === null
      ? []
      : [{ name: "Changes", value: `${formatExact(changes)} ${periodText(period, now)}` }]),
    ...(changedAt === null ? [] : [{ name: "Last change", value: formatAge(changedAt, now) }]),
    ...(reads === null ? [] : [{ name: "Agent reads", value: `${formatExact(reads)} in 90 days` }]),
    {
      name: "Rank",
      value:
        place === null
          ? "no file imports it"
          : `${formatExact(place)} of ${formatExact(ranked)} imported files`,
    },
  ]
}

export const isMapColor = (value: string): value is MapColor =>
  MAP_COLORS.some((it) => it === value)
