import { formatExact } from "#ground/base"
import { type RunCost } from "#ground/contract"
import { BUDGET_WARNING_SHARE } from "../../limits.ts"

export type RunBudget = { readonly usd: number | null; readonly tokens: number | null }

/** Where a run stands against what it may cost. */
export type BudgetState =
  | { readonly kind: "free" }
  | { readonly kind: "warned" | "spent"; readonly says: string }

/** The dearer of the two figures counts: a budget that trusts the cheaper one is none. */
export function budgetState(cost: RunCost, budget: RunBudget): BudgetState {
  const usd = Math.max(cost.reportedUsd ?? 0, cost.computedUsd ?? 0)
  const { input, output, cacheRead, cacheWrite } = cost.usage
  const tokens = input + output + cacheRead + cacheWrite
  const shares = [
    ...(budget.usd === null ? [] : [{ share: usd / budget.usd, says: sayUsd(usd, budget.usd) }]),
    ...(budget.tokens === null
      ? []
      : [{ share: tokens / budget.tokens, says: sayTokens(tokens, budget.tokens) }]),
  ]
  const [highest] = shares.toSorted((a, b) => b.share - a.share)
  if (highest === undefined || highest.share < BUDGET_WARNING_SHARE) return { kind: "free" }
  return { kind: highest.share >= 1 ? "spent" : "warned", says: highest.says }
}

function sayUsd(used: number, budget: number): string {
  return `$${used.toFixed(2)} of $${budget.toFixed(2)}`
}

function sayTokens(used: number, budget: number): string {
  return `${formatExact(used)} of ${formatExact(budget)} tokens`
}

/** One run's budget, as long as a process works on it. */
export function createBudgetWatch(budget: RunBudget) {
  let isWarned = false
  let isBlindTold = false
  return {
    /** What it has to say now: the warning once, and the end. */
    look(cost: RunCost): BudgetState {
      const found = budgetState(cost, budget)
      if (found.kind === "warned" && isWarned) return { kind: "free" }
      if (found.kind === "warned") isWarned = true
      return found
    },
    /** True once: a budget in dollars where nobody knows what anything costs. */
    markBlind({ reportedUsd, computedUsd }: RunCost): boolean {
      const isBlind = budget.usd !== null && reportedUsd === null && computedUsd === null
      const isNews = isBlind && !isBlindTold
      isBlindTold ||= isBlind
      return isNews
    },
  }
}
