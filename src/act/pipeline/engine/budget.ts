import type { PipelineEventBody } from "#ground/contract"
import { costOf, type RunState, stageCost } from "../events/state.ts"
import { hasNoPrice } from "../events/work.ts"

const BUDGET_WARNING_SHARE = 0.8

export type BudgetUse = {
  readonly scope: string
  readonly spentUsd: number
  readonly budgetUsd: number
}

const RUN = "run"

/** The budget without a remainder for another call; undefined if all have one. */
export function exhausted(state: RunState, stage: number): BudgetUse | undefined {
  return spendings(state, stage).find((it) => it.spentUsd >= it.budgetUsd)
}

export function leftUsd(state: RunState, stage: number): number {
  const left = spendings(state, stage).map((it) => it.budgetUsd - it.spentUsd)
  return Math.max(0, Math.min(...left))
}

export function dueWarnings(state: RunState, stage: number): readonly PipelineEventBody[] {
  return spendings(state, stage)
    .filter((it) => it.spentUsd > 0 && it.spentUsd >= it.budgetUsd * BUDGET_WARNING_SHARE)
    .filter((it) => !state.warned.includes(it.scope))
    .map((it) => ({ type: "budget_warned", ...it }))
}

/**
 * Reported once, at the first call without a known price: from then on the budget cannot be
 * enforced. The run continues and tokens are counted.
 */
export function priceNotes(
  before: RunState,
  bodies: readonly PipelineEventBody[],
): readonly PipelineEventBody[] {
  if (before.hasUnpriced) return []
  const unpriced = bodies.find((it) => hasNoPrice(it))
  if (unpriced === undefined) return []
  const owner = unpriced.type === "llm_called" ? unpriced.model : "the agent"
  const budget = `$${before.start.budgetUsd.toFixed(2)}`
  const title = `The price of ${owner} is unknown: the budget of ${budget} cannot be enforced; tokens are counted`
  const { stage, attempt } = unpriced
  return [
    {
      type: "substep",
      stage,
      attempt,
      title,
      key: "price",
      phase: "ended",
      activityId: `orch-step-${before.activities + 1}`,
      kind: "other",
      tool: "Budget",
      outcome: "noted",
    },
  ]
}

export function overBudget(spending: BudgetUse): readonly PipelineEventBody[] {
  const { scope, spentUsd, budgetUsd } = spending
  const owner = scope === RUN ? "the run" : scope
  const figures = `$${spentUsd.toFixed(2)} of $${budgetUsd.toFixed(2)}`
  return [
    { type: "budget_exceeded", ...spending },
    {
      type: "run_completed",
      status: "over-budget",
      reason: `The budget of ${owner} is spent (${figures}); the next call was not made`,
      isPartial: true,
    },
  ]
}

function spendings(state: RunState, stage: number): readonly BudgetUse[] {
  const { config, budgetUsd } = state.start
  const ofRun = { scope: RUN, spentUsd: costOf(state).spentUsd, budgetUsd }
  const named = config.stages[stage]
  if (named?.budgetUsd === undefined) return [ofRun]
  const { spentUsd } = stageCost(state, stage)
  return [{ scope: named.name, spentUsd, budgetUsd: named.budgetUsd }, ofRun]
}
