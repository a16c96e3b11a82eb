import { z } from "zod"
import type { Clock, Log } from "#ground/base"
import type { Cursor, JournalEntry } from "#ground/contract"
import type { Store } from "#ground/store"
import { keepRunning, type LiveClient, type LiveServer, type LiveSocket } from "./delivery.ts"
import { LIVE_PAGE_EVENTS } from "./journal-stream.ts"
import {
  createRunStream,
  findRun,
  type RunDelta,
  type RunReader,
  type RunStream,
} from "./run-stream.ts"

/**
 * Delay after a notice of another process: messages that follow within 250 ms have no notice of
 * their own.
 */
const REREAD_DELAY_MS = 500

/** Runs of this process by listener; those of other processes by the journal. */
export type LiveRuns = RunReader & {
  onMessages(listener: (runId: string, lastSeq: number) => void): () => void
  onDelta(listener: (delta: RunDelta) => void): () => void
}

export type RunStreams = ReturnType<typeof createRunStreams>

/** Wakes the streams of the clients that follow a run when it has new messages. */
export function createRunStreams(deps: {
  readonly io: LiveServer
  readonly runs: LiveRuns
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
}) {
  const { io, runs } = deps
  const streams = new Map<LiveSocket, RunStream>()
  const wake = (runId: string): void => {
    for (const stream of streams.values()) stream.wake(runId)
  }
  const stops = [
    runs.onMessages(wake),
    runs.onDelta((delta) => {
      for (const stream of streams.values()) stream.tellDelta(delta)
    }),
    followRunEvents(deps, {
      changed: wake,
      async created(agentId, timestamp) {
        const run = await findRun(runs, agentId)
        if (run !== undefined) io.emit("agent:created", { agentId, run, timestamp })
      },
      lost() {
        for (const stream of streams.values()) for (const id of stream.follows()) stream.wake(id)
      },
    }),
  ]
  return {
    join(client: LiveClient): RunStream {
      const stream = createRunStream({ ...deps, client })
      streams.set(client.socket, stream)
      return stream
    },
    leave(socket: LiveSocket): void {
      streams.get(socket)?.stop()
      streams.delete(socket)
    },
    close(): void {
      for (const stop of stops) stop()
      for (const stream of streams.values()) stream.stop()
      streams.clear()
    },
  }
}

type RunEventListener = {
  changed(runId: string): void
  created(runId: string, at: number): Promise<void>
  /** The store was restored: earlier data may belong to another history. */
  lost(): void
}

type Deps = { readonly store: Store; readonly clock: Clock; readonly log: Log }

/** Follows run events in the journal, of all processes. Returns a function that stops it. */
function followRunEvents(deps: Deps, listener: RunEventListener): () => void {
  const { journal, onAdvance } = deps.store
  const over = new AbortController()
  const again = createDelayedReread(deps.clock, listener.changed, over.signal)
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
  const running = keepRunning(pump, (error) => deps.log.error("run events not followed", { error }))
  const stop = onAdvance(running.wake)
  running.wake()
  return () => {
    over.abort()
    stop()
  }
}

const About = z.object({ id: z.string() })

/** The last messages of a burst in another process have no notice of their own. */
function createDelayedReread(clock: Clock, look: (runId: string) => void, signal: AbortSignal) {
  const waiting = new Set<string>()
  return async (runId: string): Promise<void> => {
    if (waiting.has(runId)) return
    waiting.add(runId)
    await clock.sleep(REREAD_DELAY_MS, signal).catch(() => {})
    waiting.delete(runId)
    if (!signal.aborted) look(runId)
  }
}
