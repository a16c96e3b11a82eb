import type { ActiveRuns } from "./active-runs.ts"
import type { Stores } from "./stores.ts"

export const RENEW_EVERY_MS = 5_000

export function createLeaseRenewal(activeRuns: ActiveRuns, { runs }: Stores) {
  return async (): Promise<void> => {
    const lost = await runs.renewLeases(activeRuns.claims())
    // Another process has claimed these runs. Stop: two agents in one tree would be worse than
    // none.
    for (const { runId } of lost) await activeRuns.find(runId)?.pump?.stop("interrupted")
  }
}
