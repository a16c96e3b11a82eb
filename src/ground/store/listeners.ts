import type { Log } from "#ground/base"
import type { JournalEntry } from "#ground/contract"

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
