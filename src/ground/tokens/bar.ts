import { CONTEXT_KINDS, type ContextKind } from "#ground/contract"

const WIDEST_BAR_CELLS = 10_000

export type BarSegment = { readonly kind: ContextKind; readonly tokens: number }

export type BarLayout = {
  readonly cells: readonly { readonly kind: ContextKind; readonly cells: number }[]
  readonly free: number
}

/**
 * Distributes the cells of a bar among kinds of context. `scale` is the number of tokens of the
 * whole width; if the segments exceed it, the bar is full and their sum is the scale.
 *
 * Uses the largest remainder method. Then each kind with tokens gets at least one cell, taken from
 * the kind furthest above its true share. With more kinds than cells the largest are drawn.
 */
export function layoutBar(
  segments: readonly BarSegment[],
  options: { readonly width: number; readonly scale: number },
): BarLayout {
  const width = wholeCells(options.width)
  const parties = partiesOf(segments, options.scale)
  const total = parties.reduce((sum, it) => sum + it.tokens, 0)
  if (total === 0) return { cells: [], free: width }

  const seats = parties.map((it) => seatFor(it, (it.tokens / total) * width))
  giveRemainders(seats, width)
  giveAtLeastOne(seats, width)
  const cells = seats.flatMap((it) =>
    it.kind !== FREE && it.cells > 0 ? [{ kind: it.kind, cells: it.cells }] : [],
  )
  return { cells, free: width - cells.reduce((sum, it) => sum + it.cells, 0) }
}

const FREE = "free"
type BarShare = { readonly kind: ContextKind | typeof FREE; readonly tokens: number }
type BarQuota = { readonly kind: BarShare["kind"]; readonly quota: number; cells: number }

function wholeCells(width: number): number {
  return Number.isFinite(width) ? Math.min(Math.max(0, Math.floor(width)), WIDEST_BAR_CELLS) : 0
}

function partiesOf(segments: readonly BarSegment[], scale: number): readonly BarShare[] {
  const kinds: readonly BarShare[] = CONTEXT_KINDS.map((kind) => ({
    kind,
    tokens: segments.reduce((sum, it) => sum + (it.kind === kind ? atLeastZero(it.tokens) : 0), 0),
  }))
  const used = kinds.reduce((sum, it) => sum + it.tokens, 0)
  const left: BarShare = { kind: FREE, tokens: Math.max(0, atLeastZero(scale) - used) }
  return [...kinds, left].filter((it) => it.tokens > 0)
}

function atLeastZero(tokens: number): number {
  return Number.isFinite(tokens) ? Math.max(0, tokens) : 0
}

function seatFor(party: BarShare, quota: number): BarQuota {
  return { kind: party.kind, quota, cells: Math.floor(quota) }
}

function giveRemainders(seats: readonly BarQuota[], width: number): void {
  const byRemainder = seats.toSorted((a, b) => b.quota - b.cells - (a.quota - a.cells))
  const left = width - seats.reduce((sum, it) => sum + it.cells, 0)
  for (const seat of byRemainder.slice(0, left)) seat.cells++
}

function giveAtLeastOne(seats: readonly BarQuota[], width: number): void {
  const wanting = seats
    .filter((it) => it.kind !== FREE && it.cells === 0)
    .toSorted((a, b) => b.quota - a.quota)
  for (const seat of wanting.slice(0, width)) {
    const giver = mostAboveQuota(seats)
    if (giver === undefined) return
    giver.cells--
    seat.cells++
  }
}

/** All free cells can be taken; a kind keeps its last one. */
function mostAboveQuota(seats: readonly BarQuota[]): BarQuota | undefined {
  const givers = seats.filter((it) => it.cells > (it.kind === FREE ? 0 : 1))
  return givers.toSorted((a, b) => b.cells - b.quota - (a.cells - a.quota))[0]
}
