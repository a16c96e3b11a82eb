import type { RankerResult } from "#ground/contract"
import type { Contender, Outcome } from "./contender.ts"
import { hunkRecall, measureRanking, type RankMeasures, truthInPackage } from "./metrics.ts"
import { mean, pairedDifference } from "./paired.ts"
import type { SetTask } from "./tree.ts"

/** What one contender reached in one task; hunks by budget. */
export type TaskMeasures = RankMeasures & {
  readonly hunks: readonly number[]
  readonly truthInBudget: number
}

/** Packages of half the budget, the budget, and twice of it: how fast it pays. */
export function budgetsAround(budgetTokens: number): readonly number[] {
  return [Math.floor(budgetTokens / 2), budgetTokens, budgetTokens * 2]
}

export async function measureOutcome(
  { truth, edited }: SetTask,
  outcome: Outcome,
  budgetTokens: number,
): Promise<TaskMeasures> {
  const hunks: number[] = []
  let truthInBudget = 0
  for (const budget of budgetsAround(budgetTokens)) {
    const packed = await outcome.pack(budget)
    hunks.push(hunkRecall(packed, edited))
    if (budget === budgetTokens) truthInBudget = truthInPackage(packed, truth)
  }
  return { ...measureRanking(outcome.ranked, truth), hunks, truthInBudget }
}

type Column = {
  readonly contender: Pick<Contender, "name">
  readonly measured: readonly TaskMeasures[]
}

/** Means over all tasks, and the paired difference from BM25, which is the first of them. */
export function resultsOf(
  columns: readonly Column[],
  budgetTokens: number,
): readonly RankerResult[] {
  const base = columns[0]?.measured ?? []
  const budgets = budgetsAround(budgetTokens)
  return columns.map(({ contender, measured }, place) => {
    const column = (of: (it: TaskMeasures) => number) => mean(measured.map(of))
    const paired = (of: (it: TaskMeasures) => number) =>
      pairedDifference(measured.map(of), base.map(of))
    const hunksAt = (at: number) => (it: TaskMeasures) => it.hunks[at] ?? 0
    return {
      ranker: contender.name,
      recallAt10: column((it) => it.recallAt10),
      recallAt20: column((it) => it.recallAt20),
      mrr: column((it) => it.mrr),
      hunks: budgets.map((budget, at) => ({ budget, recall: column(hunksAt(at)) })),
      truthInBudget: column((it) => it.truthInBudget),
      overBm25:
        place === 0
          ? null
          : {
              recallAt10: paired((it) => it.recallAt10),
              recallAt20: paired((it) => it.recallAt20),
              mrr: paired((it) => it.mrr),
              hunks: budgets.map((budget, at) => ({ budget, difference: paired(hunksAt(at)) })),
            },
    }
  })
}
