import { once } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { Server as Engine } from "engine.io"
import { Server } from "socket.io"
import { type Clock, isRecord, type Log } from "#ground/base"
import { LIVE_PROTOCOL } from "#ground/contract"
import type { Store } from "#ground/store"
import { cut, type LiveClient, type LiveServer, type LiveSocket } from "./delivery.ts"
import {
  createJournalStream,
  createSharedPages,
  type JournalReply,
  type JournalStream,
  locateInJournal,
  type SharedPages,
} from "./journal-stream.ts"
import type { RunReply } from "./run-stream.ts"
import { createRunStreams, type LiveRuns, type RunStreams } from "./run-streams.ts"

const DEFAULT_PATH = `${LIVE_PROTOCOL.defaultPath}/`
const WEB_SOCKET_PATH = `${LIVE_PROTOCOL.webSocketPath}/`

/** A user has a few tabs and tools. */
export const MOST_LIVE_CLIENTS = 200

/** Shows proxies and users that the connection is alive. */
const HEARTBEAT_MS = 10_000

/** A subscription is the largest message of a client. */
const LARGEST_CLIENT_MESSAGE_BYTES = 16_000

/** For live clients to disconnect when the server stops. */
const SHUTDOWN_GRACE_MS = 3_000

/** The whole text so far that a stage's model is writing; empty when it is finished. */
type StageText = {
  readonly id: string
  readonly stage: number
  readonly activityId: string
  readonly text: string
}

export type LivePipelines = { onText(listener: (text: StageText) => void): () => void }

/**
 * The live stream. Each client is only a cursor in the store: one in the journal, one in each run
 * it follows. Pages are read from the store after the client has accepted the previous one. So
 * nothing is buffered for a slow client, a reconnect resumes where it was, and a second server
 * serves the same events.
 */
export function createLive(deps: {
  readonly store: Store
  readonly runs: LiveRuns
  readonly pipelines: LivePipelines
  readonly clock: Clock
  readonly log: Log
}) {
  const { engine, io, connections } = createSocketServer()
  const streams = new Map<LiveSocket, JournalStream>()
  const pages = createSharedPages(deps.store.journal)
  const runs = createRunStreams({ ...deps, io })
  io.on("connection", (socket) => {
    if (engine.clientsCount > MOST_LIVE_CLIENTS) {
      return cut(socket, { reason: `more than ${MOST_LIVE_CLIENTS} clients` })
    }
    const destroy = (): void => void connections.of(socket).destroy()
    return welcome({ ...deps, streams, pages, client: { socket, destroy } }, runs)
  })
  const heartbeat = startHeartbeat(io, deps.clock)
  const stops = [
    deps.store.onAdvance(() => {
      pages.forget()
      for (const stream of streams.values()) stream.wake()
    }),
    deps.pipelines.onText((text) => sendStageText(io, text)),
  ]

  return {
    clients: (): number => engine.clientsCount,
    /** Responds to a polling request that the guard admitted; false if the path is not ours. */
    tryHandle(request: IncomingMessage, response: ServerResponse): boolean {
      if (pathOf(request) !== DEFAULT_PATH) return false
      engine.handleRequest(request, response)
      return true
    },
    /** For an upgrade that the guard admitted; ends one that is for another path. */
    handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
      const path = pathOf(request)
      if (path !== WEB_SOCKET_PATH && path !== DEFAULT_PATH) return void socket.destroy()
      connections.add(request, socket)
      engine.handleUpgrade(request, socket, head)
    },
    async close(): Promise<void> {
      clearInterval(heartbeat)
      for (const stop of stops) stop()
      runs.close()
      for (const socket of streams.keys()) leave(streams, socket)
      io.disconnectSockets(true)
      engine.close()
      await endConnections(connections.open, deps.clock)
    },
  }
}

export type LiveUpdates = ReturnType<typeof createLive>

/**
 * socket.io on an engine that receives each request from us. Attached to an HTTP server, it would
 * respond before the guard.
 */
function createSocketServer() {
  const engine = new Engine({
    maxHttpBufferSize: LARGEST_CLIENT_MESSAGE_BYTES,
    perMessageDeflate: false,
    httpCompression: false,
  })
  const io: LiveServer = new Server({ serveClient: false })
  io.bind(engine)
  return { engine, io, connections: createConnections() }
}

function pathOf({ url }: IncomingMessage): string | undefined {
  return url?.split("?")[0]
}

function createConnections() {
  const open = new Set<Duplex>()
  const bySession = new Map<string, Duplex>()
  return {
    open,
    add({ url }: IncomingMessage, socket: Duplex): void {
      // A client that started with polling names its session when it opens the web socket.
      const session = new URLSearchParams(url?.split("?")[1]).get("sid")
      open.add(socket)
      if (session !== null) bySession.set(session, socket)
      socket.on("close", () => {
        open.delete(socket)
        if (session !== null) bySession.delete(session)
      })
    },
    of: ({ conn, request }: LiveSocket): Duplex =>
      bySession.get(conn.transport.sid) ?? request.socket,
  }
}

function startHeartbeat(io: LiveServer, clock: Clock): NodeJS.Timeout {
  return setInterval(() => {
    const body = { at: clock.now(), clients: io.engine.clientsCount }
    // Without a sequence number, and dropped for a client that cannot accept it.
    io.volatile.emit("ephemeral", { name: "live.heartbeat", body })
  }, HEARTBEAT_MS)
}

/**
 * Dropped for a client that cannot accept it, because the next one contains it. An end is sent to
 * all.
 */
function sendStageText(io: LiveServer, text: StageText): void {
  const to = text.text === "" ? io : io.volatile
  to.emit("pipeline:text", text)
}

function leave(streams: Map<LiveSocket, JournalStream>, socket: LiveSocket): void {
  streams.get(socket)?.stop()
  streams.delete(socket)
}

function welcome(deps: SubscriptionDeps, runStreams: RunStreams): void {
  const { streams, client } = deps
  const { socket } = client
  const runs = runStreams.join(client)
  socket.on("disconnect", () => {
    leave(streams, socket)
    runStreams.leave(socket)
  })
  const inTurn = createTurns(socket, deps.log)
  socket.on("subscribe", (input: unknown, answer: unknown) => {
    const reply = replyTo(answer)
    inTurn(() =>
      isAboutRun(input) ? runs.follow(input, reply) : answerSubscription(deps, input, reply),
    )
  })
  socket.on("unsubscribe", (input: unknown, answer: unknown) => {
    inTurn(async () => runs.unfollow(input, replyTo(answer)))
  })
}

type SubscriptionDeps = {
  readonly streams: Map<LiveSocket, JournalStream>
  readonly pages: SharedPages
  readonly client: LiveClient
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
}

/** One after the other: an earlier subscription must not replace a later one. */
function createTurns(socket: LiveSocket, log: Log): (work: () => Promise<void>) => void {
  let turn = Promise.resolve()
  return (work) => {
    turn = turn.then(work).catch((error: unknown) => {
      log.error("live subscription failed", { error })
      socket.disconnect(true)
    })
  }
}

/** A client has one journal subscription; a second replaces the first. */
async function answerSubscription(
  deps: SubscriptionDeps,
  input: unknown,
  answer: (reply: JournalReply) => void,
): Promise<void> {
  const { streams, client } = deps
  const { socket } = client
  const { journal } = deps.store
  const { reply, from } = await locateInJournal(input, journal)
  answer(reply)
  if (from === undefined || !socket.connected) return
  leave(streams, socket)
  const stream = createJournalStream({ ...deps, from })
  streams.set(socket, stream)
  stream.wake()
}

function isAboutRun(input: unknown): boolean {
  return isRecord(input) && "agentId" in input
}

/** The last argument is the client's callback, if there is one. */
function replyTo(answer: unknown): (reply: JournalReply | RunReply) => void {
  return isCallBack(answer) ? answer : () => {}
}

function isCallBack(value: unknown): value is (reply: JournalReply | RunReply) => void {
  return typeof value === "function"
}

/** A client that does not read must not delay the end of the server. */
async function endConnections(sockets: ReadonlySet<Duplex>, clock: Clock): Promise<void> {
  const over = new AbortController()
  const gone = [...sockets].map((socket) => once(socket, "close", { signal: over.signal }))
  await Promise.race([Promise.allSettled(gone), clock.sleep(SHUTDOWN_GRACE_MS, over.signal)])
  over.abort()
  for (const socket of sockets) socket.destroy()
}
