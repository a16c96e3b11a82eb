import { sliceText } from "#ground/base"
import type { Tx } from "#ground/store"
import { insertStep, type NewStep, setSteps } from "../queries.ts"
import { MOST_TRAIL_STEPS } from "../rows.ts"

const LONGEST_TRAIL_UNITS = 100_000

/**
 * The branch must have been read in this transaction. The end of a branch is stored even when the
 * trail is full. Returns the number of steps.
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

function shortened(text: string): string {
  if (text.length <= LONGEST_TRAIL_UNITS) return text
  const left = text.length - LONGEST_TRAIL_UNITS
  return `${sliceText(text, LONGEST_TRAIL_UNITS)}\n[${left} more characters are not stored]`
}
