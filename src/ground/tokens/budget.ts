import { CONTEXT_KINDS, type ContextKind } from "#ground/contract"
import { AmountInvalid, BudgetInvalid, BudgetSpent } from "./errors.ts"

/** So many tokens, and what has been taken of them for each kind of context. A value, not a thing. */
export type Budget = {
  readonly limit: number
  readonly takenByKind: Readonly<Record<ContextKind, number>>
}

export type TakeOutcome =
  | { readonly kind: "taken"; readonly budget: Budget }
  | { readonly kind: "too-big"; readonly missing: number }

export type BudgetShare = {
  readonly kind: ContextKind
  readonly tokens: number
  /** Of the limit, from 0 to 1. */
  readonly share: number
}

export function createBudget(limit: number): Budget {
  if (!isCount(limit)) throw BudgetInvalid({ limit })
  return {
    limit,
    takenByKind: {
      instructions: 0,
      files: 0,
      symbols: 0,
      knowledge: 0,
      memory: 0,
      tools: 0,
      history: 0,
    },
  }
}

/** Takes the tokens if they fit, and says how many are missing if they do not. */
export function tryTake(budget: Budget, kind: ContextKind, tokens: number): TakeOutcome {
  if (!isCount(tokens)) throw AmountInvalid({ tokens })
  const missing = tokens - remaining(budget)
  if (missing > 0) return { kind: "too-big", missing }
  const takenByKind = { ...budget.takenByKind, [kind]: budget.takenByKind[kind] + tokens }
  return { kind: "taken", budget: { ...budget, takenByKind } }
}

/** For what must fit: the failure says what to do. */
export function take(budget: Budget, kind: ContextKind, tokens: number): Budget {
  const outcome = tryTake(budget, kind, tokens)
  if (outcome.kind === "taken") return outcome.budget
  throw BudgetSpent({ limit: budget.limit, remaining: remaining(budget), needed: tokens })
}

export function taken(budget: Budget): number {
  return CONTEXT_KINDS.reduce((sum, kind) => sum + budget.takenByKind[kind], 0)
}

export function remaining(budget: Budget): number {
  return budget.limit - taken(budget)
}

/** Every kind in the order of the bar, also those of which nothing was taken. */
export function shares(budget: Budget): readonly BudgetShare[] {
  return CONTEXT_KINDS.map((kind) => {
    const tokens = budget.takenByKind[kind]
    return { kind, tokens, share: budget.limit === 0 ? 0 : tokens / budget.limit }
  })
}

function isCount(tokens: number): boolean {
  return Number.isSafeInteger(tokens) && tokens >= 0
}
