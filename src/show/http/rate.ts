import type { Clock } from "#ground/base"
import { MOST_ADDRESSES_REMEMBERED } from "./limits.ts"

const MINUTE_MS = 60_000

/** Counts calls of each address in the minute that runs; more than `most` are too many. */
export function createRate(deps: { clock: Clock; most: number }) {
  let minute = 0
  const counts = new Map<string, number>()
  return {
    countExceeds(address: string): boolean {
      const now = Math.floor(deps.clock.monotonicMs() / MINUTE_MS)
      if (now !== minute) {
        minute = now
        counts.clear()
      }
      const count = (counts.get(address) ?? 0) + 1
      if (counts.size < MOST_ADDRESSES_REMEMBERED || counts.has(address)) counts.set(address, count)
      return count > deps.most
    },
  }
}
