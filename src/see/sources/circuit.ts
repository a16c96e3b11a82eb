import type { Clock } from "#ground/base"
import { FAILURES_BEFORE_REST, REST_MS } from "./limits.ts"

export type Circuit = ReturnType<typeof createCircuit>

/** Leaves a source alone after failures in a row; measured by time nobody can set. */
export function createCircuit(clock: Pick<Clock, "monotonicMs">) {
  let failures = 0
  let restsUntilMs: number | undefined
  return {
    /** How long it still rests; 0 when it may be asked. */
    restMs: (): number =>
      restsUntilMs === undefined ? 0 : Math.max(0, restsUntilMs - clock.monotonicMs()),
    succeeded(): void {
      failures = 0
      restsUntilMs = undefined
    },
    /** After a rest one failure is enough for the next. */
    failed(): void {
      failures += 1
      if (failures >= FAILURES_BEFORE_REST) restsUntilMs = clock.monotonicMs() + REST_MS
    },
  }
}
