import { setTimeout as sleepFor } from "node:timers/promises"

/**
 * `now` is the wall clock and may jump; `monotonicMs` never goes back, so measure deadlines and
 * ages with it.
 */
export type Clock = {
  now(): number
  monotonicMs(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** CPU time of this thread. Compute budgets use it, so a busy machine does not spend them. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

export const systemClock: Clock = {
  now: () => Date.now(),
  // `performance` would load a module of the runtime: one millisecond.
  monotonicMs: () => Number(process.hrtime.bigint()) / 1_000_000,
  async sleep(ms, signal) {
    await sleepFor(ms, undefined, signal === undefined ? {} : { signal })
  },
}

export function giveOthersATurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** A request that arrives meanwhile waits at most this long, plus one step of the loop. */
const LONGEST_TURN_MS = 10

/** `await pause()` after each step of a long loop gives others a turn when 10 ms have passed. */
export function createPause(): () => Promise<void> {
  let startedMs = systemClock.monotonicMs()
  return async () => {
    if (systemClock.monotonicMs() - startedMs < LONGEST_TURN_MS) return
    await giveOthersATurn()
    startedMs = systemClock.monotonicMs()
  }
}
