import type { PipelineEventBody } from "#ground/contract"
import { costOf, stageCost } from "../events/cost.ts"
import type { RunState } from "../events/state.ts"
import { BUDGET_WARNING_SHARE } from "../limits.ts"

/** A budget, and what was spent of it, repairs included. */
export type Spending = {
  readonly scope: string
  readonly spentUsd: number
  readonly budgetUsd: number
}

const RUN = "run"

/** The budget that leaves nothing for a further call; undefined when all have something left. */
export function exhausted(state: RunState, stage: number): Spending | undefined {
  return spendings(state, stage).find((it) => it.spentUsd >= it.budgetUsd)
}

/** Warnings that are due: once for each budget, at four fifths of it. */
export function dueWarnings(state: RunState, stage: number): readonly PipelineEventBody[] {
  return spendings(state, stage)
    .filter((it) => it.spentUsd > 0 && it.spentUsd >= it.budgetUsd * BUDGET_WARNING_SHARE)
    .filter((it) => !state.warned.includes(it.scope))
    .map((it) => ({ type: "budget_warned", ...it }))
}

/** How a run ends for want of money. */
export function overBudget(spending: Spending): readonly PipelineEventBody[] {
  const { scope, spentUsd, budgetUsd } = spending
  const whose = scope === RUN ? "the run" : scope
  const figures = `$${spentUsd.toFixed(2)} of $${budgetUsd.toFixed(2)}`
  return [
    { type: "budget_exceeded", ...spending },
    {
      type: "run_completed",
      status: "over-budget",
      reason: `The budget of ${whose} is spent (${figures}); the next call was not made`,
      isPartial: true,
    },
  ]
}

function spendings(state: RunState, stage: number): readonly Spending[] {
  const { config, budgetUsd } = state.start
  const ofRun = { scope: RUN, spentUsd: costOf(state).spentUsd, budgetUsd }
  const named = config.stages[stage]
  if (named?.budgetUsd === undefined) return [ofRun]
  const { spentUsd } = stageCost(state, stage)
  return [{ scope: named.name, spentUsd, budgetUsd: named.budgetUsd }, ofRun]
}
