import { KINDS } from "../../base/kinds.ts"
import type { ContextKind } from "../../contract.ts"
import { type KindTokens } from "../budget-bar/layout.ts"

export type AreaPoint = {
  readonly key: string
  readonly atMs: number
  readonly kinds: KindTokens
  readonly name: string
  readonly description: string
  /** A time to show instead of the time since the start. */
  readonly when?: string
}

export type AreaMark = {
  readonly key: string
  readonly atMs: number
  readonly label: string
  readonly title: string
  /** Drawn above a tall chart instead of the label, where there is room. */
  readonly note?: { readonly title: string; readonly detail: string }
}

/** A row below the time axis: what happened at or between moments. */
export type AreaLane = { readonly name: string; readonly spans: readonly AreaSpan[] }

export type AreaSpan = AreaMark & {
  readonly shape: "diamond" | "hatch"
  readonly toMs: number
  readonly tone?: "warn"
}

export type Area = { readonly kind: ContextKind; readonly path: string }

export const CANVAS = { width: 1_000, height: 100 } as const

const ROUND = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10] as const
const LEAST_TOP = 100

export function topFor(most: number): number {
  const least = Math.max(LEAST_TOP, most)
  const power = 10 ** Math.floor(Math.log10(least))
  return (ROUND.find((it) => it * power >= least) ?? 10) * power
}

/** The window, where the values fill at least a fifth of it; else a round number above them. */
export function topWithin(most: number, limit: number | undefined): number {
  const isUseful = limit !== undefined && most <= limit && most >= limit / 5
  return isUseful ? limit : topFor(most)
}

/** Height of a label beside the chart. */
const LABEL_PX = 15

type AreaLabel = {
  readonly kind: ContextKind
  readonly tokens: number
  /** Distance of its middle from the top of the chart. */
  readonly topPx: number
}

/** Labels at the middle of their bands; small bands push theirs up, a full column pushes down. */
export function placeLabels(
  kinds: KindTokens,
  { top, heightPx }: { readonly top: number; readonly heightPx: number },
): readonly AreaLabel[] {
  const used = KINDS.filter((kind) => (kinds[kind] ?? 0) > 0)
  let floor = 0
  let limitPx = heightPx + LABEL_PX / 2
  const placed = used.map((kind) => {
    const tokens = kinds[kind] ?? 0
    const middlePx = (1 - (floor + tokens / 2) / top) * heightPx
    floor += tokens
    limitPx = Math.min(middlePx, limitPx - LABEL_PX)
    return { kind, tokens, topPx: limitPx }
  })
  const overPx = Math.max(0, -(placed.at(-1)?.topPx ?? 0))
  return placed.map((it) => ({ ...it, topPx: it.topPx + overPx }))
}

export function totalOf(kinds: KindTokens): number {
  return KINDS.reduce((sum, kind) => sum + (kinds[kind] ?? 0), 0)
}

type Scale = { readonly wholeMs: number; readonly top: number }

/**
 * One area per kind, stacked. Values are constant between two points, so the line is a step, not a
 * slope.
 */
export function layoutAreas(points: readonly AreaPoint[], scale: Scale): readonly Area[] {
  const used = KINDS.filter((kind) => points.some((it) => (it.kinds[kind] ?? 0) > 0))
  return used.map((kind) => {
    const below = KINDS.slice(0, KINDS.indexOf(kind))
    const floors = points.map((it) => below.reduce((sum, one) => sum + (it.kinds[one] ?? 0), 0))
    const roofs = points.map((it, i) => (floors[i] ?? 0) + (it.kinds[kind] ?? 0))
    return { kind, path: pathBetween(points, { floors, roofs }, scale) }
  })
}

type Edges = { readonly floors: readonly number[]; readonly roofs: readonly number[] }

function pathBetween(points: readonly AreaPoint[], { floors, roofs }: Edges, scale: Scale): string {
  const x = (ms: number) => fixed((Math.min(ms, scale.wholeMs) / scale.wholeMs) * CANVAS.width)
  const y = (tokens: number) => fixed((1 - Math.min(1, tokens / scale.top)) * CANVAS.height)
  const endOf = (i: number) => x(points[i + 1]?.atMs ?? scale.wholeMs)
  const out = points.map(
    (it, i) => `${x(it.atMs)} ${y(roofs[i] ?? 0)}L${endOf(i)} ${y(roofs[i] ?? 0)}`,
  )
  const back = points.map(
    (it, i) => `${endOf(i)} ${y(floors[i] ?? 0)}L${x(it.atMs)} ${y(floors[i] ?? 0)}`,
  )
  return `M${[...out, ...back.toReversed()].join("L")}Z`
}

function fixed(value: number): string {
  return String(Math.round(value * 100) / 100)
}

export function pointAt(points: readonly AreaPoint[], ms: number): AreaPoint | undefined {
  return points.findLast((it) => it.atMs <= ms) ?? points[0]
}

/** Maximum width of a label character, and the space after a label. */
const CHARACTER_PX = 7
const GAP_PX = 8

export type PlacedMark = AreaMark & {
  readonly share: number
  readonly isNamed: boolean
  readonly isTurned: boolean
}

type MarkScale = {
  readonly wholeMs: number
  readonly widthPx: number
  /** Width at the left that another label takes. */
  readonly takenPx?: number
}

/** Every mark is a line; only labels that overlap no other are drawn. */
export function placeMarks(
  marks: readonly AreaMark[],
  { wholeMs, widthPx, takenPx = 0 }: MarkScale,
): readonly PlacedMark[] {
  let freeFromPx = takenPx
  return marks.map((mark) => {
    const share = Math.min(1, mark.atMs / Math.max(1, wholeMs))
    const labelPx = mark.label.length * CHARACTER_PX + GAP_PX
    const isTurned = share * widthPx + labelPx > widthPx
    const leftPx = share * widthPx - (isTurned ? labelPx : 0)
    const isNamed = leftPx >= freeFromPx
    if (isNamed) freeFromPx = leftPx + labelPx
    return { ...mark, share, isNamed, isTurned }
  })
}
