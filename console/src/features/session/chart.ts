import { compressTime } from "../../base/compressed-time.ts"
import { formatClock } from "../../base/format.ts"
import {
  type Branch,
  formatCount,
  formatDuration,
  formatExact,
  plural,
  type SessionsContext,
} from "../../contract.ts"
import type { AreaAxis } from "../../ui/area-chart/area-chart.tsx"
import type { AreaMark, AreaPoint } from "../../ui/area-chart/layout.ts"

export type ContextPoint = SessionsContext["points"][number]

type ContextChart = {
  readonly points: readonly AreaPoint[]
  readonly marks: readonly AreaMark[]
  readonly axis: AreaAxis
  readonly wholeMs: number
}

/** The kinds of the estimate, in the words of this page. */
export const PART_NAMES = {
  system: "start",
  files: "files read",
  symbols: "tool results",
  history: "conversation",
} as const

/** One step per model call; compactions, folds and cache misses are marks. */
export function contextChart(
  { points, compactions }: Pick<SessionsContext, "points" | "compactions">,
  branches: readonly Branch[],
): ContextChart {
  const time = compressTime(points.map((it) => it.at))
  return {
    wholeMs: time.wholeMs,
    points: points.map((it, i) => ({
      key: String(i + 1),
      atMs: time.positionOf(it.at),
      kinds: {
        system: it.parts.start,
        files: it.parts.files,
        symbols: it.parts.results,
        history: it.parts.conversation,
      },
      name: `Call ${i + 1}, turn ${it.turn}`,
      when: formatClock(it.at),
      description: describeCall(it, points[i - 1]),
    })),
    marks: [
      ...compactions.map((compaction): AreaMark => {
        const sizes = `${sizeOf(compaction.tokensBefore)} → ${sizeOf(compaction.tokensAfter)}`
        const next = points.findIndex((one) => one.at >= compaction.at)
        return {
          key: String((next < 0 ? points.length - 1 : next) + 1),
          atMs: time.positionOf(compaction.at),
          label: sizes,
          title: `Compacted after turn ${compaction.turn}, ${sizes} (${compaction.cause})`,
        }
      }),
      ...branches.flatMap((branch): readonly AreaMark[] => {
        const at = branch.completedAt
        if (at === null || branch.tokensKeptOut === 0) return []
        const next = points.findIndex((one) => one.at >= at)
        return [
          {
            key: String((next < 0 ? points.length - 1 : next) + 1),
            atMs: time.positionOf(at),
            label: `−${formatCount(branch.tokensKeptOut)}`,
            title: `Folded: ${formatExact(branch.tokensKeptOut)} tokens kept out, ${branch.description}`,
          },
        ]
      }),
    ].toSorted((a, b) => a.atMs - b.atMs),
    axis: {
      ticks: time.ticks,
      breaks: time.breaks.map(({ fromMs, toMs, waitedMs }) => ({
        fromMs,
        toMs,
        label: `${formatDuration(waitedMs)} waiting, not to scale`,
      })),
    },
  }
}

function sizeOf(tokens: number | null): string {
  return tokens === null ? "unknown" : formatCount(tokens)
}

function describeCall(point: ContextPoint, before: ContextPoint | undefined): string {
  const added = point.added >= 0 ? `+${formatCount(point.added)}` : `−${formatCount(-point.added)}`
  const cached = point.tokens === 0 ? 0 : Math.round((point.cacheRead / point.tokens) * 100)
  const miss = isCacheMiss(point, before) ? ", cache miss" : ""
  return `tokens, ${added}, ${cached} % from the cache${miss}`
}

/** Less than half of what the call before left in the cache was read again. */
function isCacheMiss(point: ContextPoint, before: ContextPoint | undefined): boolean {
  if (before === undefined || before.tokens < LEAST_MISS_TOKENS) return false
  const isSmaller = point.tokens < before.tokens * 0.9
  return !isSmaller && point.cacheRead < before.tokens / 2
}

/** Smaller prompts are not cached by the providers. */
const LEAST_MISS_TOKENS = 4_096

export function countMisses(points: readonly ContextPoint[]): number {
  return points.filter((it, i) => isCacheMiss(it, points[i - 1])).length
}

export function describeSummary({
  points,
  compactions,
}: Pick<SessionsContext, "points" | "compactions">): string {
  const misses = countMisses(points)
  const parts = [
    plural(points.length, "model call"),
    compactions.length === 0 ? "" : plural(compactions.length, "compaction"),
    misses === 0 ? "" : plural(misses, "cache miss", "cache misses"),
  ]
  return parts.filter((it) => it !== "").join(", ")
}
