import { KINDS } from "../../base/kinds.ts"
import type { ContextKind } from "../../contract.ts"

export type KindTokens = Partial<Readonly<Record<ContextKind, number>>>

export type BarSegment = {
  readonly kind: ContextKind
  readonly tokens: number
  readonly isCut: boolean
  readonly share: number
}

export type BarLayout = {
  readonly segments: readonly BarSegment[]
  readonly notch: number | null
  readonly total: number
}

export type BarContent = {
  readonly tokens: KindTokens
  readonly cut?: KindTokens
  readonly budget?: number
  /** A window bar ranges from 0 to the window; a budget bar extends past its budget. */
  readonly window?: number
}

/** The bar extends past the budget, so that content after the notch is visible. */
const ROOM_BEYOND_BUDGET = 1.2

export function layoutBar({ tokens, cut = {}, budget, window }: BarContent): BarLayout {
  const total = sumOf(tokens)
  const scale = window ?? Math.max((budget ?? 0) * ROOM_BEYOND_BUDGET, total + sumOf(cut), 1)
  // If the content exceeds the window, the content is the scale.
  const full = Math.max(scale, total + sumOf(cut))
  const segmentsOf = (amounts: KindTokens, isCut: boolean) =>
    KINDS.flatMap((kind) => {
      const amount = amounts[kind] ?? 0
      return amount > 0 ? [{ kind, tokens: amount, isCut, share: amount / full }] : []
    })
  return {
    segments: [...segmentsOf(tokens, false), ...segmentsOf(cut, true)],
    notch: budget === undefined ? null : Math.min(1, budget / full),
    total,
  }
}

function sumOf(tokens: KindTokens): number {
  return KINDS.reduce((sum, kind) => sum + (tokens[kind] ?? 0), 0)
}
