import type { Server, Socket } from "socket.io"
import type { Clock, Log } from "#ground/base"
import type { Store } from "#ground/store"
import { followJournal } from "./agent-journal.ts"
import { type FollowedRuns, findRun } from "./agent-place.ts"
import { type AgentStream, createAgentStream, type RunDelta } from "./agent-stream.ts"

/** The runs as this process hears of them; those of other processes come by the journal. */
export type HeardRuns = FollowedRuns & {
  onMessages(listener: (runId: string, lastSeq: number) => void): () => void
  onDelta(listener: (delta: RunDelta) => void): () => void
}

export type AgentStreams = ReturnType<typeof createAgentStreams>

/** Who follows which run, and the word that there is something to read. */
export function createAgentStreams(deps: {
  readonly io: Server
  readonly runs: HeardRuns
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
}) {
  const { io, runs } = deps
  const streams = new Map<Socket, AgentStream>()
  const wake = (runId: string): void => {
    for (const stream of streams.values()) stream.wake(runId)
  }
  const stops = [
    runs.onMessages(wake),
    runs.onDelta((delta) => {
      for (const stream of streams.values()) stream.tellDelta(delta)
    }),
    followJournal(deps, {
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
    join(socket: Socket): AgentStream {
      const stream = createAgentStream({ ...deps, socket })
      streams.set(socket, stream)
      return stream
    },
    leave(socket: Socket): void {
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
