import type { Clock, Log } from "#ground/base"
import type { Cursor, JournalEntry } from "#ground/contract"
import type { Signal } from "./driver.ts"

/** With signals between servers polling is only a fallback. */
export const LOOK_EVERY_MS_WITH_SIGNAL = 1_000

/** Poll interval for commits of other processes; one poll costs 50 µs. */
export const LOOK_EVERY_MS = 50

export type CommitListener = (entries: readonly JournalEntry[]) => void | Promise<void>

export function createListeners(log: Log) {
  const listeners = new Set<CommitListener>()
  return {
    add(listener: CommitListener): () => void {
      const added: CommitListener = (entries) => listener(entries)
      listeners.add(added)
      return () => void listeners.delete(added)
    },
    tell(entries: readonly JournalEntry[]): void {
      for (const listener of listeners) {
        // An exception in a listener must not affect the commit.
        void Promise.try(listener, entries).catch((error: unknown) =>
          log.error("listener failed after a commit", { error }),
        )
      }
    },
  }
}

export type AdvanceListener = () => void

/**
 * Calls listeners when the journal has grown: at once after commits of this process, for other
 * processes at their signal or the next poll. Listeners read the journal themselves, so an extra or
 * late call is harmless.
 */
export function createFollower(deps: {
  head(): Promise<Cursor>
  signal: Signal | undefined
  clock: Clock
  log: Log
}) {
  const listeners = new Set<AdvanceListener>()
  let following: AbortController | undefined

  const tell = (): void => {
    for (const listener of listeners) {
      // An exception in a listener must not look like a failed commit.
      try {
        listener()
      } catch (error) {
        deps.log.error("listener failed after the journal grew", { error })
      }
    }
  }
  function begin(): void {
    const ended = new AbortController()
    following = ended
    void look(deps, tell, ended.signal)
    deps.signal?.listen(tell, ended.signal)
  }
  return {
    committed(): void {
      tell()
      deps.signal?.send()
    },
    onAdvance(listener: AdvanceListener): () => void {
      const added: AdvanceListener = () => listener()
      listeners.add(added)
      if (following === undefined) begin()
      return () => {
        listeners.delete(added)
        if (listeners.size === 0) end()
      }
    },
    close: end,
  }

  function end(): void {
    following?.abort()
    following = undefined
  }
}

async function look(
  deps: { head(): Promise<Cursor>; signal: Signal | undefined; clock: Clock; log: Log },
  tell: () => void,
  ended: AbortSignal,
): Promise<void> {
  const pauseMs = deps.signal === undefined ? LOOK_EVERY_MS : LOOK_EVERY_MS_WITH_SIGNAL
  let lastHead = ""
  while (!ended.aborted) {
    try {
      const { epoch, seq } = await deps.head()
      const place = `${epoch} ${seq}`
      if (place !== lastHead) tell()
      lastHead = place
      await deps.clock.sleep(pauseMs, ended)
    } catch (error) {
      if (ended.aborted) return
      deps.log.warn("journal could not be polled", { error })
      await deps.clock.sleep(LOOK_EVERY_MS_WITH_SIGNAL, ended).catch(() => {})
    }
  }
}
