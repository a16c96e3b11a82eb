import type { Tx } from "#ground/store"
import { insertStep, type NewStep, setSteps } from "./queries.ts"
import { MOST_TRAIL_STEPS } from "./rows.ts"

/** Of one step in a trail; the whole of a large result is under its handle. */
const LONGEST_TRAIL_UNITS = 100_000

/**
 * Adds a step to the trail of a branch that was read in this transaction. How a branch ended is kept
 * however many steps there were. Gives the number of steps that there are now.
 */
export async function addStep(
  tx: Tx<"fold">,
  branch: { readonly id: string; readonly steps: number },
  step: NewStep,
): Promise<number> {
  const isEnd = step.kind === "result" || step.kind === "forced"
  if (branch.steps >= MOST_TRAIL_STEPS && !isEnd) return branch.steps
  const seq = branch.steps + 1
  await tx.run(insertStep(branch.id, seq, { ...step, text: shortened(step.text) }))
  await tx.run(setSteps(branch.id, seq))
  return seq
}

/** Puts steps where the end of a trail stood, which was moved behind them. */
export async function insertSteps(
  tx: Tx<"fold">,
  branch: { readonly id: string; readonly steps: number },
  steps: readonly NewStep[],
): Promise<void> {
  for (const [at, step] of steps.entries()) {
    const seq = branch.steps + at
    await tx.run(insertStep(branch.id, seq, { ...step, text: shortened(step.text) }))
  }
  await tx.run(setSteps(branch.id, branch.steps + steps.length))
}

/** Done after scrubbing: half a secret is not known for one. */
function shortened(text: string): string {
  if (text.length <= LONGEST_TRAIL_UNITS) return text
  const left = text.length - LONGEST_TRAIL_UNITS
  return `${text.slice(0, LONGEST_TRAIL_UNITS)}\n[${left} characters more are not kept]`
}
