import type { Machine } from "#ground/base"
import type { ClaimRecord } from "./claim-file.ts"
import { CLOCK_MARGIN_MS } from "./limits.ts"

export type LeaseWorld = {
  readonly now: number
  readonly machine: Machine
}

/**
 * Whether a claim has run out, so that another may take its path. A heartbeat within the lease keeps
 * it, and a process that is alive and renews has one. Wall clocks jump; on the same machine they are
 * not asked as long as it has not been restarted.
 */
export function hasRunOut(claim: ClaimRecord, { now, machine }: LeaseWorld): boolean {
  const isHere = claim.machine === machine.name
  if (isHere && claim.boot === machine.boot)
    return machine.uptimeMs() - claim.heartbeatUptimeMs > claim.leaseMs
  // Of a machine that was restarted nobody is left who could renew: a heartbeat that the clock has
  // not reached means that the clock was set back, and would block the path for as long.
  const isImpossible = isHere && claim.heartbeatAt > now + claim.leaseMs
  // Elsewhere only the clocks can be compared, and they differ.
  const marginMs = isHere ? 0 : CLOCK_MARGIN_MS
  return isImpossible || now > claim.expiresAt + marginMs
}
