import type { PackedLines } from "./metrics.ts"
import type { SetTask } from "./tree.ts"

/** One way to find the files of a task, measured beside the others on the same tree. */
export type Contender = {
  readonly name: string
  run(set: SetTask): Promise<Outcome>
}

export type Outcome = {
  /** Paths, best first. */
  readonly ranked: readonly string[]
  /** What would be sent within a budget. */
  pack(budgetTokens: number): Promise<PackedLines>
}
