import { BudgetTooSmall } from "../errors.ts"
import type { Selection } from "../fit.ts"

type BudgetSteps<Pack> = {
  readonly openingTokens: number
  fit(budgetTokens: number): Promise<Selection>
  assemble(selection: Selection, budget: number): Pack
  countTokens(pack: Pack): number
}

export async function fitWithinBudget<Pack>(
  budget: number,
  steps: BudgetSteps<Pack>,
): Promise<Pack> {
  try {
    return await fitAndAssemble(budget, steps)
  } catch (error) {
    if (!BudgetTooSmall.is(error)) throw error
    const needed = await leastBudget(steps, { above: budget, guess: error.data.needed })
    throw BudgetTooSmall({ ...error.data, budget, needed }, error)
  }
}

/** Bisection, because the tokens of the parts do not determine the tokens of the whole text. */
async function leastBudget<Pack>(
  steps: BudgetSteps<Pack>,
  { above, guess }: { readonly above: number; readonly guess: number },
): Promise<number> {
  const tryBudget = async (budget: number) => {
    try {
      await fitAndAssemble(budget, steps)
      return true
    } catch (error) {
      if (!BudgetTooSmall.is(error)) throw error
      return false
    }
  }
  let short = above
  let enough = Math.max(guess, short + 1)
  while (!(await tryBudget(enough))) {
    short = enough
    enough *= 2
  }
  while (enough - short > 1) {
    const middle = Math.floor((short + enough) / 2)
    if (await tryBudget(middle)) enough = middle
    else short = middle
  }
  return enough
}

const MOST_ATTEMPTS = 8
const SLACK_TOKENS = 4

/**
 * The whole text may have more tokens than the sum of its parts. Then the room shrinks by the
 * excess and everything is fitted again.
 */
async function fitAndAssemble<Pack>(budget: number, steps: BudgetSteps<Pack>): Promise<Pack> {
  const { openingTokens } = steps
  let room = budget - openingTokens
  for (let attempt = 1; ; attempt++) {
    const selection = await fitTargets(Math.max(0, room), { budget, steps })
    const { leastTokens } = selection
    if (room < 0) throw tooSmall(budget, openingTokens, leastTokens)
    const pack = steps.assemble(selection, budget)
    const over = steps.countTokens(pack) - budget
    if (over <= 0) return pack
    if (room <= leastTokens) throw tooSmall(budget, budget + over, leastTokens)
    // The last attempt uses the smallest possible room, so it succeeds if anything fits.
    const smaller = attempt < MOST_ATTEMPTS ? room - over - SLACK_TOKENS : leastTokens
    room = Math.max(leastTokens, smaller)
  }
}

async function fitTargets<Pack>(
  room: number,
  { budget, steps }: { readonly budget: number; readonly steps: BudgetSteps<Pack> },
): Promise<Selection> {
  try {
    return await steps.fit(room)
  } catch (error) {
    if (!BudgetTooSmall.is(error)) throw error
    const needed = error.data.needed + steps.openingTokens
    // Tokens of the parts may not sum to tokens of the whole: report at least budget + 1.
    throw BudgetTooSmall({ ...error.data, budget, needed: Math.max(needed, budget + 1) }, error)
  }
}

function tooSmall(budget: number, needed: number, leastTokens: number) {
  const what = leastTokens > 0 ? "The smallest form of the targets" : "The header of the package"
  return BudgetTooSmall({ budget, needed, what })
}
