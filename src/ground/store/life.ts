import type { Log } from "#ground/base"
import { StoreClosed, StoreStopped } from "./errors.ts"

export type Life = ReturnType<typeof createLife>

/**
 * Whether a driver still takes calls. Once it has stopped it takes no write until the process
 * starts anew: after a failed fsync nobody knows what the disk holds (promise D6).
 */
export function createLife(log: Log) {
  let stoppedBecause: string | undefined
  let isClosed = false

  function refuseIfClosed(): void {
    if (isClosed) throw StoreClosed({})
  }

  return {
    refuseIfClosed,
    refuseIfStopped(): void {
      refuseIfClosed()
      if (stoppedBecause !== undefined) throw StoreStopped({ reason: stoppedBecause })
    },
    stop(reason: string): void {
      if (stoppedBecause !== undefined) return
      stoppedBecause = reason
      log.error("store stopped: no more writes are taken", { reason })
    },
    stopped: () => stoppedBecause,
    close(): void {
      isClosed = true
    },
    isClosed: () => isClosed,
  }
}
