import type { Money, RunState } from "./state.ts"

/** Of the whole run, repairs and cut calls included, and what was said after its end. */
export function costOf(state: RunState): Money {
  return {
    spentUsd: rounded(sum(state.stages, "spentUsd") + state.said.spentUsd),
    unknownCalls: sum(state.stages, "unknownCalls") + state.said.unknownCalls,
  }
}

export function stageCost(state: RunState, stage: number): Money {
  const { spentUsd = 0, unknownCalls = 0 } = state.stages[stage] ?? {}
  return { spentUsd: rounded(spentUsd), unknownCalls }
}

function sum(all: readonly Money[], field: keyof Money): number {
  return all.reduce((total, it) => total + it[field], 0)
}

/** To a millionth of a cent: what adding up binary fractions leaves behind is nobody's money. */
function rounded(usd: number): number {
  return Math.round(usd * 1e8) / 1e8
}
