import { once } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { Server as Engine } from "engine.io"
import { Server } from "socket.io"
import { type Clock, isRecord, type Log } from "#ground/base"
import { LIVE_PROTOCOL } from "#ground/contract"
import type { Store } from "#ground/store"
import type { Gate } from "../guard/gate.ts"
import { cut, type LiveClient, type LiveServer, type LiveSocket } from "./delivery.ts"
import {
  createJournalStream,
  type JournalReply,
  type JournalStream,
  locateInJournal,
} from "./journal-stream.ts"
import type { RunReply } from "./run-stream.ts"
import { createRunStreams, type LiveRuns, type RunStreams } from "./run-streams.ts"

const DEFAULT_PATH = `${LIVE_PROTOCOL.defaultPath}/`
const WEB_SOCKET_PATH = `${LIVE_PROTOCOL.webSocketPath}/`

/** Live clients at once; a person has a few tabs and a few tools. */
export const MOST_LIVE_CLIENTS = 200

/** Sent to every client, so that proxies and people see that the connection is alive. */
const HEARTBEAT_MS = 10_000

/** The largest message a client may send: a cursor. */
const LARGEST_CLIENT_MESSAGE_BYTES = 16_000

/** How long live clients may take to disconnect when the server is told to stop. */
const SHUTDOWN_GRACE_MS = 3_000

/** Text that a stage's model is writing: the whole of it so far; empty when it is done. */
type StageText = {
  readonly id: string
  readonly stage: number
  readonly activityId: string
  readonly text: string
}

export type LivePipelines = { onText(listener: (text: StageText) => void): () => void }

/**
 * The live stream. The store is the truth, and every client is only a cursor in it: one in the
 * journal, one in each run it follows. What is sent is read from there after the client has taken
 * what came before. So nothing is kept for a slow client, a reconnect goes on where it was, and a
 * second server serves the same events.
 */
export function createLive(deps: {
  readonly gate: Gate
  readonly store: Store
  readonly runs: LiveRuns
  readonly pipelines: LivePipelines
  readonly clock: Clock
  readonly log: Log
}) {
  const { engine, io, connections } = createSocketServer()
  const streams = new Map<LiveSocket, JournalStream>()
  const runs = createRunStreams({ ...deps, io })
  io.on("connection", (socket) => {
    if (engine.clientsCount > MOST_LIVE_CLIENTS) {
      return cut(socket, { reason: `more than ${MOST_LIVE_CLIENTS} clients` })
    }
    const destroy = (): void => void connections.of(socket).destroy()
    return welcome({ ...deps, streams, client: { socket, destroy } }, runs)
  })
  const heartbeat = startHeartbeat(io, deps.clock)
  const stops = [
    deps.store.onAdvance(() => {
      for (const stream of streams.values()) stream.wake()
    }),
    deps.pipelines.onText((text) => sendStageText(io, text)),
  ]

  return {
    clients: (): number => engine.clientsCount,
    /** Answers a polling request that the guard admitted; false when it is for somebody else. */
    tryHandle(request: IncomingMessage, response: ServerResponse): boolean {
      if (pathOf(request) !== DEFAULT_PATH) return false
      engine.handleRequest(request, response)
      return true
    },
    /** Every upgrade: one that the guard refuses, or that is for no path of ours, is ended. */
    handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
      if (!deps.gate.admitUpgrade(request, socket)) return
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
 * socket.io on an engine that is handed each request. Attached to an HTTP server, it would answer
 * before the guard.
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

/** The TCP connections of web sockets. */
function createConnections() {
  const open = new Set<Duplex>()
  const bySession = new Map<string, Duplex>()
  return {
    open,
    add({ url }: IncomingMessage, socket: Duplex): void {
      // A client that began by polling names its session when it opens the web socket.
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
    // Without a sequence number, and dropped for a client that cannot take it.
    io.volatile.emit("ephemeral", { name: "live.heartbeat", body })
  }, HEARTBEAT_MS)
}

/** Dropped for a client that cannot take it: the next one contains it. An end is sent to everybody. */
function sendStageText(io: LiveServer, text: StageText): void {
  const to = text.text === "" ? io : io.volatile
  to.emit("pipeline:text", text)
}

function leave(streams: Map<LiveSocket, JournalStream>, socket: LiveSocket): void {
  streams.get(socket)?.stop()
  streams.delete(socket)
}

/** What a client may send: which events and which runs it wants to follow. */
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
  readonly client: LiveClient
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
}

/** One after the other: an earlier subscription must not take the place of a later one. */
function createTurns(socket: LiveSocket, log: Log): (work: () => Promise<void>) => void {
  let turn = Promise.resolve()
  return (work) => {
    turn = turn.then(work).catch((error: unknown) => {
      log.error("live subscription failed", { error })
      socket.disconnect(true)
    })
  }
}

/** A client has one subscription to the journal; a second one takes the place of the first. */
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
  const stream = createJournalStream({ ...deps, journal, from })
  streams.set(socket, stream)
  stream.wake()
}

function isAboutRun(input: unknown): boolean {
  return isRecord(input) && "agentId" in input
}

/** The last argument of a message is the client's call-back, when it asked for one. */
function replyTo(answer: unknown): (reply: JournalReply | RunReply) => void {
  return isCallBack(answer) ? answer : () => {}
}

function isCallBack(value: unknown): value is (reply: JournalReply | RunReply) => void {
  return typeof value === "function"
}

/** A client that reads disconnects; one that does not must not delay the end of the server. */
async function endConnections(sockets: ReadonlySet<Duplex>, clock: Clock): Promise<void> {
  const over = new AbortController()
  const gone = [...sockets].map((socket) => once(socket, "close", { signal: over.signal }))
  await Promise.race([Promise.allSettled(gone), clock.sleep(SHUTDOWN_GRACE_MS, over.signal)])
  over.abort()
  for (const socket of sockets) socket.destroy()
}
