import type { Log } from "#ground/base"
import type { PipelineEvent } from "#ground/contract"
import type { RunState } from "../events/state.ts"
import { createTranscript, type SessionMessage, type Transcript } from "../events/transcript.ts"
import type { EventStore } from "./store/event-store.ts"

/** A run that waits longer is shown again when it is answered. */
const SYNC_WITHIN_MS = 7 * 24 * 60 * 60 * 1_000
const SYNC_RUNS = 50

/**
 * Appends messages to a session, in order of `order`, each once: those that are stored already are
 * skipped.
 */
export type AppendToSession = (
  session: string,
  run: string,
  messages: readonly SessionMessage[],
) => Promise<void>

type Deps = {
  readonly eventStore: Pick<EventStore, "events" | "list">
  readonly log: Log
  readonly clock: { now(): number }
  readonly appendToSession?: AppendToSession | undefined
}

type FollowedRun = {
  readonly transcript: Transcript
  /** Not yet appended, because a write failed. */
  waiting: readonly SessionMessage[]
  work: Promise<void>
}

/**
 * Copies each run of a session into the session's transcript while it works. Events are stored
 * first, so after a crash the copy continues where it ended.
 */
export function createSessionTranscript({ eventStore, log, clock, appendToSession }: Deps) {
  const followed = new Map<string, FollowedRun>()

  async function append(
    run: { readonly id: string; readonly session: string },
    it: FollowedRun,
    events: readonly PipelineEvent[],
  ): Promise<void> {
    const isFirst = it.transcript.lastSeq() === 0
    const all = isFirst ? await eventStore.events(run.id) : events
    const fresh = all.filter((event) => event.seq > it.transcript.lastSeq())
    it.waiting = [...it.waiting, ...fresh.flatMap((event) => it.transcript.take(event))]
    if (it.waiting.length === 0) return
    await appendToSession?.(run.session, run.id, it.waiting)
    it.waiting = []
  }
  function follow(
    run: { readonly id: string; readonly session: string },
    events: readonly PipelineEvent[],
  ): Promise<void> {
    const it = followed.get(run.id) ?? {
      transcript: createTranscript(run.id),
      waiting: [],
      work: Promise.resolve(),
    }
    followed.set(run.id, it)
    it.work = it.work
      .then(() => append(run, it, events))
      .catch((error: unknown) =>
        log.warn("a pipeline run could not be copied into its session", {
          id: run.id,
          error: String(error),
        }),
      )
    return it.work
  }
  return {
    wrote(state: RunState, events: readonly PipelineEvent[]): void {
      const { session } = state.start
      if (session === null || appendToSession === undefined) return
      const work = follow({ id: state.id, session }, events)
      if (state.end === undefined) return
      void work.then(() => {
        if (followed.get(state.id)?.waiting.length === 0) followed.delete(state.id)
      })
    },
    /** Copies what an earlier process stored and did not copy. */
    async sync(): Promise<void> {
      if (appendToSession === undefined) return
      const since = clock.now() - SYNC_WITHIN_MS
      const rows = await eventStore.list({ limit: SYNC_RUNS })
      for (const { id, line } of rows) {
        const isDue = line.session !== null && line.updatedAt >= since && !followed.has(id)
        if (isDue && line.session !== null) await follow({ id, session: line.session }, [])
      }
    },
    async settled(id?: string): Promise<void> {
      const runs = [...followed].filter(([run]) => id === undefined || run === id)
      await Promise.all(runs.map(([, it]) => it.work))
    },
  }
}
