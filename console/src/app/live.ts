import { io, type Socket } from "socket.io-client"
import type { Cursor, JournalEntry } from "../contract.ts"
import type { Clock } from "../data/clock.ts"
import { type LiveInput, type LiveState, startLive, stepLive } from "./live-cursor.ts"

type ServerSays = {
  events(message: { entries: readonly JournalEntry[]; head: Cursor }): void
  ephemeral(message: { name: string; body: unknown }): void
  cut(message: { cursor?: Cursor; reason: string }): void
}
type Subscribed =
  | { readonly kind: "subscribed"; readonly head: Cursor }
  | { readonly kind: "resync"; readonly head: Cursor; readonly reason: string }
  | { readonly kind: "refused"; readonly reason: string }
type ClientSays = {
  subscribe(from: { after: Cursor | null }, answer: (it: Subscribed) => void): void
}

type Deps = {
  readonly clock: Clock
  /** Survives a reload of the page, where the browser allows it. */
  readonly memory: { load(): Cursor | null; save(cursor: Cursor): void }
  onEvents(entries: readonly JournalEntry[]): void
  onRefetch(): void
  /** The server refused or does not answer; perhaps the session is over. */
  onLost(): void
}

/** "Caught up, 31 events" stays so long, then "Live". */
const CAUGHT_UP_SHOWN_MS = 5_000

/** On one machine an answer takes milliseconds; longer means that nobody is there. */
const CONNECT_TIMEOUT_MS = 5_000

export type Live = ReturnType<typeof createLive>

/** The one socket of the console: subscribes, resumes after breaks, hands events on once. */
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

  return {
    start: () => void socket.connect(),
    stop() {
      callOff()
      socket.disconnect()
    },
    /** Do not wait for the next attempt. */
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

type Heard = {
  take(input: LiveInput): void
  /** The line broke, or could not be made. */
  retry(): void
  cursor(): Cursor | null
}

function connectTo({ take, retry, cursor }: Heard): Socket<ServerSays, ClientSays> {
  const socket: Socket<ServerSays, ClientSays> = io({
    path: "/live",
    transports: ["websocket"],
    // We wait ourselves, because the status bar says for how long.
    reconnection: false,
    // A line cut between its opening and the first word is an error only by this.
    timeout: CONNECT_TIMEOUT_MS,
    autoConnect: false,
  })
  socket.on("connect", () => {
    socket.emit("subscribe", { after: cursor() }, (answer) => {
      take(answer)
      if (answer.kind === "refused") socket.disconnect().connect()
    })
  })
  socket.on("connect_error", retry)
  // Our own stop says "io client disconnect"; everything else is a break.
  socket.on("disconnect", (reason) => {
    if (reason !== "io client disconnect") retry()
  })
  socket.on("events", ({ entries, head }) => take({ kind: "received", entries, head }))
  socket.on("cut", (message) => take({ kind: "cut", cursor: message.cursor }))
  return socket
}
