import { io, type Socket } from "socket.io-client"
import type { Cursor, JournalEntry, Message, Run, RunStatus } from "../contract.ts"
import { BASE_PATH } from "../data/base-path.ts"
import type { Clock } from "../data/clock.ts"
import type { PipelineText, RunFollower, RunUpdate } from "../data/transcript/run-line.ts"
import { type LiveInput, type LiveState, startLive, stepLive } from "./live-cursor.ts"

type ServerSays = {
  events(message: { entries: readonly JournalEntry[]; head: Cursor }): void
  ephemeral(message: { name: string; body: unknown }): void
  cut(message: { cursor?: Cursor; reason: string }): void
}
type RunsSay = {
  "agent:message"(it: { agentId: string; message: Message }): void
  "agent:delta"(it: { agentId: string; parentId?: string; text: string }): void
  "agent:updated"(it: { agentId: string; run: Run }): void
  "agent:error"(it: { agentId: string; error: { message: string } }): void
  "agent:deleted"(it: { agentId: string }): void
}
type PipelinesSay = { "pipeline:text"(it: PipelineText): void }
type FollowAnswer =
  | { readonly kind: "subscribed"; readonly lastSeq: number; readonly status: RunStatus }
  | { readonly kind: "refused"; readonly reason: string }
type SubscribeAnswer =
  | { readonly kind: "subscribed"; readonly head: Cursor }
  | { readonly kind: "resync"; readonly head: Cursor; readonly reason: string }
  | { readonly kind: "refused"; readonly reason: string }
type ClientSays = {
  subscribe(from: { after: Cursor | null }, answer: (it: SubscribeAnswer) => void): void
}
type FollowersSay = {
  subscribe(
    from: { agentId: string; after: number; brief: true },
    answer: (it: FollowAnswer) => void,
  ): void
  unsubscribe(from: { agentId: string }): void
}

type Deps = {
  readonly clock: Clock
  /** Survives a reload if the browser allows storage. */
  readonly memory: { load(): Cursor | null; save(cursor: Cursor): void }
  onEvents(entries: readonly JournalEntry[]): void
  onRefetch(): void
  onLost(): void
}

const CAUGHT_UP_SHOWN_MS = 5_000

/** A local server answers in milliseconds; a longer wait means that none is running. */
const CONNECT_TIMEOUT_MS = 5_000

export type LiveConnection = ReturnType<typeof createLive>

/**
 * The only socket of the console: subscribes, resumes after a lost connection, and passes each
 * event on once.
 */
export function createLive({ clock, memory, onEvents, onRefetch, onLost }: Deps) {
  let state = startLive(memory.load())
  let callOff = () => {}
  const listeners = new Set<() => void>()
  const callLater = (ms: number, act: () => void) => {
    callOff()
    callOff = clock.after(ms, act)
  }
  const take = (input: LiveInput) => {
    const { state: next, fresh, mustRefetch } = stepLive(state, input)
    const { cursor, phase } = next
    if (cursor !== null && cursor !== state.cursor) memory.save(cursor)
    state = next
    if (fresh.length > 0) onEvents(fresh)
    if (mustRefetch) onRefetch()
    if (phase.kind === "caught-up") callLater(CAUGHT_UP_SHOWN_MS, () => take({ kind: "rested" }))
    for (const changed of listeners) changed()
  }
  const retry = () => {
    take({ kind: "lost", now: clock.now() })
    if (state.phase.kind !== "reconnecting") return
    onLost()
    callLater(state.phase.retryAt - clock.now(), () => socket.connect())
  }
  const socket = connectTo({ take, retry, cursor: () => state.cursor })
  const followAgent = followRuns(socket)
  const followPipeline = followPipelines(socket)

  return {
    followAgent,
    followPipeline,
    start: () => void socket.connect(),
    stop() {
      callOff()
      socket.disconnect()
    },
    retryNow() {
      callOff()
      socket.connect()
    },
    state: (): LiveState => state,
    listen(changed: () => void) {
      listeners.add(changed)
      return () => void listeners.delete(changed)
    },
  }
}

type LiveInputState = {
  take(input: LiveInput): void
  retry(): void
  cursor(): Cursor | null
}

function connectTo({ take, retry, cursor }: LiveInputState): Socket {
  const line: Socket = io({
    path: `${BASE_PATH}/live`,
    transports: ["websocket"],
    // We reconnect ourselves because the status bar shows the remaining time.
    reconnection: false,
    // Only this timeout reports a connection that is cut between opening and the first message.
    timeout: CONNECT_TIMEOUT_MS,
    autoConnect: false,
  })
  const socket: Socket<ServerSays, ClientSays> = line
  socket.on("connect", () => {
    socket.emit("subscribe", { after: cursor() }, (answer) => {
      take(answer)
      if (answer.kind === "refused") socket.disconnect().connect()
    })
  })
  socket.on("connect_error", retry)
  // Our own stop reports "io client disconnect"; every other reason is a lost connection.
  socket.on("disconnect", (reason) => {
    if (reason !== "io client disconnect") retry()
  })
  socket.on("events", ({ entries, head }) => take({ kind: "received", entries, head }))
  socket.on("cut", (message) => take({ kind: "cut", cursor: message.cursor }))
  return line
}

function followRuns(socket: Socket<RunsSay, FollowersSay>) {
  const followers = new Map<string, RunFollower>()
  const tell = (agentId: string, it: RunUpdate) => followers.get(agentId)?.receive(it)
  const subscribe = (agentId: string, follower: RunFollower) => {
    socket.emit("subscribe", { agentId, after: follower.after(), brief: true }, (answer) => {
      // The follower may have been removed in the meantime.
      if (followers.get(agentId) === follower) follower.receive(answer)
    })
  }
  socket.on("connect", () => {
    for (const [agentId, follower] of followers) subscribe(agentId, follower)
  })
  socket.on("disconnect", () => {
    for (const follower of followers.values()) follower.receive({ kind: "lost" })
  })
  socket.on("agent:message", ({ agentId, message }) => tell(agentId, { kind: "message", message }))
  socket.on("agent:delta", ({ agentId, ...it }) => tell(agentId, { kind: "delta", ...it }))
  socket.on("agent:updated", ({ agentId, run }) => tell(agentId, { kind: "updated", run }))
  socket.on("agent:error", ({ agentId, error }) =>
    tell(agentId, { kind: "error", message: error.message }),
  )
  socket.on("agent:deleted", ({ agentId }) => tell(agentId, { kind: "deleted" }))

  return (agentId: string, follower: RunFollower): (() => void) => {
    followers.set(agentId, follower)
    if (socket.connected) subscribe(agentId, follower)
    return () => {
      if (followers.get(agentId) !== follower) return
      followers.delete(agentId)
      if (socket.connected) socket.emit("unsubscribe", { agentId })
    }
  }
}

function followPipelines(socket: Socket<PipelinesSay, Record<string, never>>) {
  const followers = new Map<string, (it: PipelineText) => void>()
  socket.on("pipeline:text", (it) => followers.get(it.id)?.(it))
  return (id: string, receive: (it: PipelineText) => void): (() => void) => {
    followers.set(id, receive)
    return () => {
      if (followers.get(id) === receive) followers.delete(id)
    }
  }
}
