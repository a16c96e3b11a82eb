import { setTimeout as sleepFor } from "node:timers/promises"

/**
 * Time, handed in. `now` is the wall clock and may jump; `monotonicMs` never goes back, so deadlines
 * and ages are measured with it.
 */
export type Clock = {
  now(): number
  monotonicMs(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/**
 * What this thread has computed so far. Budgets for computing are measured with it, so that a busy
 * machine does not spend them.
 */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  async sleep(ms, signal) {
    await sleepFor(ms, undefined, signal === undefined ? {} : { signal })
  },
}

/** Lets everything else that waits have its turn; for long work in small steps. */
export function giveOthersATurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
