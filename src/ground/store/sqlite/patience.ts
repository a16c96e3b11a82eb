import type { Clock, Random } from "#ground/base"
import { StoreBusy } from "../errors.ts"
import { LONGEST_RETRY_MS, SHORTEST_RETRY_MS } from "../limits.ts"
import { judgeSqlite } from "./failures.ts"

/**
 * Waiting for another process without blocking the event loop: SQLite itself waits only for a
 * moment (BLOCKING_WAIT_MS), the rest is slept, by chance longer or shorter so that waiting
 * processes do not march in step.
 */
export function createPatience(deps: { busyTimeoutMs: number; clock: Clock; random: Random }) {
  const { clock, random, busyTimeoutMs } = deps

  return {
    async until<Result>(attempt: () => Result): Promise<Result> {
      const startedAt = clock.monotonicMs()
      for (;;) {
        try {
          return attempt()
        } catch (error) {
          if (!isBusy(error)) throw error
          const waitedMs = Math.round(clock.monotonicMs() - startedAt)
          if (waitedMs >= busyTimeoutMs) throw StoreBusy({ waitedMs }, error)
        }
        await clock.sleep(pause(random))
      }
    },
  }
}

export function isBusy(error: unknown): boolean {
  return judgeSqlite(error, { file: "", isWrite: false }).kind === "busy"
}

function pause(random: Random): number {
  const chance = (random.bytes(1)[0] ?? 0) / 256
  return SHORTEST_RETRY_MS + chance * (LONGEST_RETRY_MS - SHORTEST_RETRY_MS)
}
