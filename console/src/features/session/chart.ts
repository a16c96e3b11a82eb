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
import type { AreaLane, AreaMark, AreaPoint, AreaSpan } from "../../ui/area-chart/layout.ts"

export type ContextPoint = SessionsContext["points"][number]

type ContextChart = {
  readonly points: readonly AreaPoint[]
  readonly marks: readonly AreaMark[]
  /** Folds, cache misses and waits. */
  readonly lanes: readonly AreaLane[]
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

/** One step per model call; compactions are marks, folds, cache misses and waits are lanes. */
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
    marks: compactions.map((compaction): AreaMark => {
      const sizes = `${sizeOf(compaction.tokensBefore)} → ${sizeOf(compaction.tokensAfter)}`
      const title = `Compacted after turn ${compaction.turn}, ${sizes}`
      const next = nextPoint(points, compaction.at)
      return {
        key: String(next + 1),
        // At the call that shows its effect, where the area drops.
        atMs: time.positionOf(points[next]?.at ?? compaction.at),
        label: sizes,
        title: `${title} (${compaction.cause})`,
        note: { title, detail: describeLoss(points[next - 1], points[next]) },
      }
    }),
    lanes: [
      { name: "Folds", spans: foldSpans(points, branches, time.positionOf) },
      {
        name: "Cache misses",
        spans: points.flatMap((it, i): readonly AreaSpan[] => {
          if (!isCacheMiss(it, points[i - 1])) return []
          const atMs = time.positionOf(it.at)
          const label = formatCount(it.cacheWrite + it.input)
          const title = `Cache miss at call ${i + 1}: ${label} tokens not read from the cache`
          return [{ key: String(i + 1), atMs, toMs: atMs, label, title, shape: "diamond" }]
        }),
      },
      {
        name: "Waiting",
        spans: time.breaks.map(({ fromMs, toMs, toAt, waitedMs }): AreaSpan => {
          const label = `${formatDuration(waitedMs)}, not to scale`
          const title = `${formatDuration(waitedMs)} without a call`
          const next = points.findIndex((it) => it.at >= toAt)
          return {
            key: String((next < 0 ? points.length - 1 : next) + 1),
            atMs: fromMs,
            toMs,
            label,
            title,
            shape: "hatch",
            tone: "warn",
          }
        }),
      },
    ],
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

function nextPoint(points: readonly ContextPoint[], at: number): number {
  const next = points.findIndex((it) => it.at >= at)
  return next < 0 ? points.length - 1 : next
}

function foldSpans(
  points: readonly ContextPoint[],
  branches: readonly Branch[],
  positionOf: (at: number) => number,
): readonly AreaSpan[] {
  return branches
    .flatMap((branch): readonly AreaSpan[] => {
      const at = branch.completedAt
      if (at === null || branch.tokensKeptOut === 0) return []
      return [
        {
          key: String(nextPoint(points, at) + 1),
          atMs: positionOf(branch.createdAt),
          toMs: positionOf(at),
          label: `${formatCount(branch.tokensKeptOut)} kept out`,
          title: `Folded: ${formatExact(branch.tokensKeptOut)} tokens kept out, ${branch.description}`,
          shape: "hatch",
        },
      ]
    })
    .toSorted((a, b) => a.atMs - b.atMs)
}

const PARTS = { results: "tool results", files: "files", conversation: "conversation" } as const

function describeLoss(before: ContextPoint | undefined, after: ContextPoint | undefined): string {
  const lost = (["results", "files", "conversation"] as const).flatMap((part) => {
    const tokens = (before?.parts[part] ?? 0) - (after?.parts[part] ?? 0)
    return tokens > 0 ? [`${PARTS[part]} ${formatCount(tokens)}`] : []
  })
  return lost.length === 0 ? "" : `Removed ${lost.join(", ")}`
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
