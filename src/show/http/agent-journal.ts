import { z } from "zod"
import type { Clock, Log } from "#ground/base"
import type { Cursor, JournalEntry } from "#ground/contract"
import type { Store } from "#ground/store"
import { LIVE_PAGE_EVENTS, LOOK_AGAIN_MS } from "./limits.ts"
import { keepRunning } from "./stream.ts"

type Listener = {
  changed(runId: string): void
  created(runId: string, at: number): Promise<void>
  /** The store was restored: what was read before may be of another history. */
  lost(): void
}

type Deps = { readonly store: Store; readonly clock: Clock; readonly log: Log }

/** What the journal says of runs from now on, whoever wrote it. Gives the way to end it. */
export function followJournal(deps: Deps, listener: Listener): () => void {
  const { journal, onAdvance } = deps.store
  const over = new AbortController()
  const again = createLookingAgain(deps.clock, listener.changed, over.signal)
  let cursor: Cursor | undefined

  async function take({ name, at, body }: JournalEntry): Promise<void> {
    const { id } = About.parse(body)
    listener.changed(id)
    if (name === "agents.advanced") void again(id)
    if (name === "agents.created") await listener.created(id, at)
  }
  async function pump(): Promise<void> {
    cursor ??= await journal.head()
    for (;;) {
      const question = { after: cursor, limit: LIVE_PAGE_EVENTS, namePrefix: "agents." }
      const page = await journal.read(question)
      if (over.signal.aborted) return
      if (page.kind !== "entries") {
        cursor = page.head
        return listener.lost()
      }
      for (const entry of page.entries) await take(entry)
      cursor = page.next
      if (page.entries.length < LIVE_PAGE_EVENTS) return
    }
  }
  const running = keepRunning(pump, (error) => deps.log.error("runs are not followed", { error }))
  const stop = onAdvance(running.wake)
  running.wake()
  return () => {
    over.abort()
    stop()
  }
}

const About = z.object({ id: z.string() })

/** The last messages of a burst in another process are not announced by themselves. */
function createLookingAgain(clock: Clock, look: (runId: string) => void, signal: AbortSignal) {
  const waiting = new Set<string>()
  return async (runId: string): Promise<void> => {
    if (waiting.has(runId)) return
    waiting.add(runId)
    await clock.sleep(LOOK_AGAIN_MS, signal).catch(() => {})
    waiting.delete(runId)
    if (!signal.aborted) look(runId)
  }
}
