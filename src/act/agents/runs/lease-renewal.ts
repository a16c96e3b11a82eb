import type { Clock } from "#ground/base"
import type { SessionPump } from "./session-pump.ts"
import type { Claim } from "./stores/claim.ts"
import { LEASE_MS } from "./stores/run-store.ts"

/** A node looks for lost runs as often, so those of a dead node end within LEASE_MS and this. */
export const RENEW_EVERY_MS = 4_000

/** How often a node checks that its leases were renewed. */
export const CHECK_EVERY_MS = 500

/** The rest of the lease is for ending the agent before another node may take the run. */
export const MAX_UNRENEWED_MS = LEASE_MS - 5_000

type Deps = {
  readonly clock: Pick<Clock, "monotonicMs">
  readonly activeRuns: {
    claims(): readonly Claim[]
    /** The time at which the last successful claim or renewal was requested. */
    leasedAtMs(runId: string): number | undefined
    noteRenewal(claims: readonly Claim[], atMs: number): void
    find(runId: string): { readonly pump: Pick<SessionPump, "stop"> | undefined } | undefined
  }
  readonly runs: {
    /** Returns the claims that another process has taken. */
    renewLeases(claims: readonly Claim[]): Promise<readonly Claim[]>
  }
}

export function createLeaseRenewal({ activeRuns, runs, clock }: Deps) {
  async function stop(claims: readonly Claim[]): Promise<void> {
    // Two agents in one tree would be worse than none.
    for (const { runId } of claims) await activeRuns.find(runId)?.pump?.stop("interrupted")
  }
  return {
    async renew(): Promise<void> {
      const claims = activeRuns.claims()
      // Measured before the request: the database's lease is never shorter than we assume.
      const requestedAtMs = clock.monotonicMs()
      const lost = await runs.renewLeases(claims)
      activeRuns.noteRenewal(
        claims.filter((it) => !lost.includes(it)),
        requestedAtMs,
      )
      await stop(lost)
    },
    /**
     * Stops agents of this node whose lease could not be renewed. It takes no run from anybody and
     * gives none away: that is decided by the database's clock only.
     */
    async stopUnrenewed(): Promise<void> {
      const oldest = clock.monotonicMs() - MAX_UNRENEWED_MS
      const isLate = ({ runId }: Claim): boolean =>
        (activeRuns.leasedAtMs(runId) ?? Number.POSITIVE_INFINITY) < oldest
      await stop(activeRuns.claims().filter(isLate))
    },
  }
}
