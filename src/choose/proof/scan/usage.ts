import type { Clock } from "#ground/base"
import { MEGABYTE } from "../limits.ts"

/** What this process has used so far, its threads included. */
export type Usage = { readonly atMs: number; readonly cpuSeconds: number }

export function usageSoFar(clock: Clock): Usage {
  return { atMs: clock.monotonicMs(), cpuSeconds: cpuSeconds() }
}

/** The peak of memory is that of the whole process: it is measured first, so that it is the scan's. */
export function usageSince(before: Usage, clock: Clock) {
  return {
    seconds: (clock.monotonicMs() - before.atMs) / 1_000,
    cpuSeconds: cpuSeconds() - before.cpuSeconds,
    peakMegabytes: (process.resourceUsage().maxRSS * 1_024) / MEGABYTE,
  }
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
