import { StoreBusy } from "./errors.ts"
import { MAX_WAITING_WRITES } from "./limits.ts"

/** One at a time, first come first served. A failure does not hold up the next. */
export function createQueue() {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0

  return {
    async run<Result>(work: () => Promise<Result>): Promise<Result> {
      if (waiting >= MAX_WAITING_WRITES) throw StoreBusy({ waitedMs: 0 })
      waiting++
      const turn = last.then(work)
      last = turn.catch(() => {})
      try {
        return await turn
      } finally {
        waiting--
      }
    },
    /** Resolves when everything that waits now has ended. */
    async drained(): Promise<void> {
      await last
    },
  }
}
