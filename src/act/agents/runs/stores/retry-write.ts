import type { Clock } from "#ground/base"
import { isTransient } from "#ground/store"
import { LEASE_MS } from "./run-store.ts"

const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 1_000

/**
 * Repeats a write or read of a run's driver while the database is away, at most for one lease: then
 * another node may have the run. The first try may have been stored although its answer was lost,
 * so `work` gets `isRepeated` and must recognise its own rows.
 */
export async function retryWhileAway<Result>(
  clock: Pick<Clock, "monotonicMs" | "sleep">,
  work: (isRepeated: boolean) => Promise<Result>,
): Promise<Result> {
  const untilMs = clock.monotonicMs() + LEASE_MS
  for (let tries = 0; ; tries++) {
    try {
      return await work(tries > 0)
    } catch (error) {
      if (!isTransient(error) || clock.monotonicMs() >= untilMs) throw error
      await clock.sleep(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries))
    }
  }
}
