import type { SessionPump } from "./session-pump.ts"
import type { Claim } from "./stores/run-store.ts"

export const RENEW_EVERY_MS = 5_000

type Deps = {
  readonly activeRuns: {
    claims(): readonly Claim[]
    find(runId: string): { readonly pump: Pick<SessionPump, "stop"> | undefined } | undefined
  }
  /** Returns the claims that another process has taken. */
  readonly runs: { renewLeases(claims: readonly Claim[]): Promise<readonly Claim[]> }
}

export function createLeaseRenewal({ activeRuns, runs }: Deps) {
  return async (): Promise<void> => {
    const lost = await runs.renewLeases(activeRuns.claims())
    // Two agents in one tree would be worse than none.
    for (const { runId } of lost) await activeRuns.find(runId)?.pump?.stop("interrupted")
  }
}
