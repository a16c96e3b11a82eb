import type { Log } from "#ground/base"

/** Text as it is being written: the whole of it so far, with its secrets replaced. */
export type LiveText = {
  readonly runId: string
  readonly parentId?: string | undefined
  readonly text: string
}

type Advanced = (runId: string, lastSeq: number) => void
type Written = (it: LiveText) => void

export type Hub = ReturnType<typeof createHub>

/** Who in this process wants to hear at once; what another process writes, the journal tells. */
export function createHub(log: Log) {
  const advanced = new Set<Advanced>()
  const written = new Set<Written>()
  const each = <Listener>(all: ReadonlySet<Listener>, tell: (it: Listener) => void): void => {
    for (const listener of all) {
      try {
        tell(listener)
      } catch (error) {
        // What was said is stored; what a listener makes of it is not the agent's failure.
        log.error("listener failed after a message", { error: String(error) })
      }
    }
  }
  return {
    onMessages(listener: Advanced): () => void {
      advanced.add(listener)
      return () => void advanced.delete(listener)
    },
    onDelta(listener: Written): () => void {
      written.add(listener)
      return () => void written.delete(listener)
    },
    advanced: (runId: string, lastSeq: number) => each(advanced, (tell) => tell(runId, lastSeq)),
    written: (it: LiveText) => each(written, (tell) => tell(it)),
  }
}
