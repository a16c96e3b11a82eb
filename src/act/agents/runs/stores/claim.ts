import { type Sql, sql } from "#ground/store"

/** The right to write a run: a later claim has a higher fence and invalidates this one. */
export type Claim = { readonly runId: string; readonly fence: number }

/** True while this claim is the run's newest. */
export const isClaimed = ({ runId, fence }: Claim): Sql => sql`
  EXISTS (SELECT 1 FROM runs r WHERE r.id = ${runId} AND r.fence = ${fence})`
