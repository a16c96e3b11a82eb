import type { Clock, Log } from "#ground/base"
import type { Cursor, JournalEntry } from "#ground/contract"
import type { Signal } from "./driver.ts"

/** With signals between servers the look is only a safety net. */
export const LOOK_EVERY_MS_WITH_SIGNAL = 1_000

/** How often the head is read to see what other processes wrote: 50 µs of work each time. */
export const LOOK_EVERY_MS = 50

export type CommitListener = (entries: readonly JournalEntry[]) => void | Promise<void>

/** Who is told of each commit of this process, with its events and in order. */
export function createListeners(log: Log) {
  const listeners = new Set<CommitListener>()
  return {
    add(listener: CommitListener): () => void {
      // Wrapped, so that the same function given twice is two listeners.
      const added: CommitListener = (entries) => listener(entries)
      listeners.add(added)
      return () => void listeners.delete(added)
    },
    tell(entries: readonly JournalEntry[]): void {
      for (const listener of listeners) {
        // What was committed stays committed, whatever a listener makes of it.
        void Promise.try(listener, entries).catch((error: unknown) =>
          log.error("listener failed after a commit", { error }),
        )
      }
    },
  }
}

export type AdvanceListener = () => void

/**
 * Tells listeners that the journal has grown, whoever wrote: this process at once, another one as
 * soon as its signal comes, or at the next look. It says only that there is something to read;
 * what it is, a listener reads from the journal, so a word too many or too late does no harm.
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
      // A commit has happened; what a listener makes of it must not look like its failure.
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
    /** After a commit of this process that had events. */
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

/** Asks for the head again and again; a store that does not answer now is asked again later. */
async function look(
  deps: { head(): Promise<Cursor>; signal: Signal | undefined; clock: Clock; log: Log },
  tell: () => void,
  ended: AbortSignal,
): Promise<void> {
  const pauseMs = deps.signal === undefined ? LOOK_EVERY_MS : LOOK_EVERY_MS_WITH_SIGNAL
  let seen = ""
  while (!ended.aborted) {
    try {
      const { epoch, seq } = await deps.head()
      const place = `${epoch} ${seq}`
      if (place !== seen) tell()
      seen = place
      await deps.clock.sleep(pauseMs, ended)
    } catch (error) {
      if (ended.aborted) return
      deps.log.warn("the journal could not be looked at", { error })
      await deps.clock.sleep(LOOK_EVERY_MS_WITH_SIGNAL, ended).catch(() => {})
    }
  }
}
