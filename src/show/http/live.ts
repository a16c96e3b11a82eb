import { once } from "node:events"
import type { Server as HttpServer } from "node:http"
import type { Duplex } from "node:stream"
import { Server, type Socket } from "socket.io"
import { z } from "zod"
import type { Clock, Log } from "#ground/base"
import { Cursor } from "#ground/contract"
import type { Journal, Store } from "#ground/store"
import type { Followed } from "./agent-stream.ts"
import { type AgentStreams, createAgentStreams, type HeardRuns } from "./agent-streams.ts"
import type { Gate } from "./gate.ts"
import {
  LARGEST_LIVE_MESSAGE_BYTES,
  LIVE_HEARTBEAT_MS,
  MOST_LIVE_CLIENTS,
  SHUTDOWN_GRACE_MS,
} from "./limits.ts"
import { createStream, cut, type Stream } from "./stream.ts"

const LIVE_PATH = "/live"

/** Text that a stage's model is writing: the whole of it so far; empty when it is done. */
type StageText = {
  readonly id: string
  readonly stage: number
  readonly activityId: string
  readonly text: string
}

export type HeardPipelines = { onText(listener: (text: StageText) => void): () => void }

/**
 * The live stream. The store is the truth, and every client is only a cursor in it: one in the
 * journal, one in each run it follows. What is sent is read from there after the client has taken
 * what came before. So nothing is kept for a slow client, a reconnect goes on where it was, and a
 * second server serves the same events.
 */
export function createLive(deps: {
  readonly server: HttpServer
  readonly gate: Gate
  readonly store: Store
  readonly runs: HeardRuns
  readonly pipelines: HeardPipelines
  readonly clock: Clock
  readonly log: Log
}) {
  const io = new Server({
    path: LIVE_PATH,
    transports: ["websocket"],
    serveClient: false,
    maxHttpBufferSize: LARGEST_LIVE_MESSAGE_BYTES,
    perMessageDeflate: false,
    destroyUpgrade: false,
  })
  attachBehindGuard(io, deps.server)
  const upgraded = guardUpgrades(deps.server, deps.gate)

  const streams = new Map<Socket, Stream>()
  const stopFollowing = deps.store.onAdvance(() => {
    for (const stream of streams.values()) stream.wake()
  })
  const agents = createAgentStreams({ ...deps, io })
  io.on("connection", (socket) => {
    if (io.engine.clientsCount <= MOST_LIVE_CLIENTS)
      return welcome({ ...deps, streams, socket }, agents)
    return cut(socket, { reason: `more than ${MOST_LIVE_CLIENTS} clients` })
  })
  const heartbeat = startHeartbeat(io, deps.clock)
  const stopHearing = deps.pipelines.onText((text) => tellText(io, text))

  return {
    clients: (): number => io.engine.clientsCount,
    async close(): Promise<void> {
      clearInterval(heartbeat)
      stopFollowing()
      stopHearing()
      agents.close()
      for (const socket of streams.keys()) leave(streams, socket)
      io.disconnectSockets(true)
      io.engine.close()
      await letGo(upgraded, deps.clock)
    },
  }
}

function startHeartbeat(io: Server, clock: Clock): NodeJS.Timeout {
  return setInterval(() => {
    const body = { at: clock.now(), clients: io.engine.clientsCount }
    // Without a sequence number, and dropped for who cannot take it: it is news only now.
    io.volatile.emit("ephemeral", { name: "live.heartbeat", body })
  }, LIVE_HEARTBEAT_MS)
}

/** Dropped for who cannot take it: the next holds it too. An end is told to everybody. */
function tellText(io: Server, text: StageText): void {
  const to = text.text === "" ? io : io.volatile
  to.emit("pipeline:text", text)
}

function leave(streams: Map<Socket, Stream>, socket: Socket): void {
  streams.get(socket)?.stop()
  streams.delete(socket)
}

/** What a client may say: which events and which runs it wants to follow. */
function welcome(deps: SubscriptionDeps, agents: AgentStreams): void {
  const { streams, socket } = deps
  const runs = agents.join(socket)
  socket.on("disconnect", () => {
    leave(streams, socket)
    agents.leave(socket)
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
  readonly streams: Map<Socket, Stream>
  readonly socket: Socket
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
}

/** One after the other: an earlier subscription must not take the place of a later one. */
function createTurns(socket: Socket, log: Log): (work: () => Promise<void>) => void {
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
  answer: (reply: Subscribed) => void,
): Promise<void> {
  const { streams, socket } = deps
  const { journal } = deps.store
  const { reply, from } = await locate(input, journal)
  answer(reply)
  if (from === undefined || !socket.connected) return
  leave(streams, socket)
  const stream = createStream({ ...deps, journal, from })
  streams.set(socket, stream)
  stream.wake()
}

function isAboutRun(input: unknown): boolean {
  return typeof input === "object" && input !== null && "agentId" in input
}

/** The last argument of a message is the client's call-back, when it asked for one. */
function replyTo(answer: unknown): (reply: Subscribed | Followed) => void {
  return isCallBack(answer) ? answer : () => {}
}

function isCallBack(value: unknown): value is (reply: Subscribed | Followed) => void {
  return typeof value === "function"
}

/** What a client asks for: everything after its cursor, or from now on. */
const Subscribe = z.object({ after: Cursor.nullable() })

/** The answer. `resync` means: your cursor is of another history; fetch afresh, then go on. */
export type Subscribed =
  | { kind: "subscribed"; head: Cursor }
  | { kind: "resync"; head: Cursor; reason: "foreign-cursor" | "future-cursor" }
  | { kind: "refused"; reason: string }

async function locate(
  input: unknown,
  journal: Journal,
): Promise<{ reply: Subscribed; from: Cursor | undefined }> {
  const asked = Subscribe.safeParse(input)
  if (!asked.success) {
    return { reply: { kind: "refused", reason: "the cursor is malformed" }, from: undefined }
  }
  const { after } = asked.data
  const page = after === null ? undefined : await journal.read({ after, limit: 1 })
  const head = page?.head ?? (await journal.head())
  if (page?.kind === "foreign-cursor" || page?.kind === "future-cursor") {
    return { reply: { kind: "resync", head, reason: page.kind }, from: head }
  }
  return { reply: { kind: "subscribed", head }, from: after ?? head }
}

/** Attaching puts socket.io before the guard; only upgrades are its business, so that is undone. */
function attachBehindGuard(io: Server, server: HttpServer): void {
  const guarded = server.listeners("request")
  io.attach(server)
  server.removeAllListeners("request")
  for (const listener of guarded) {
    server.on("request", (request, response) => listener.call(server, request, response))
  }
}

/**
 * The guard stands before whoever answers upgrades. What is not for the live stream is ended: an
 * upgrade that nobody answers would stay open for good. Gives the sockets that are open.
 */
function guardUpgrades(server: HttpServer, gate: Gate): ReadonlySet<Duplex> {
  const open = new Set<Duplex>()
  const answering = server.listeners("upgrade")
  server.removeAllListeners("upgrade")
  server.on("upgrade", (request, socket, head) => {
    if (!gate.admitUpgrade(request, socket)) return
    if (request.url?.split("?")[0] !== `${LIVE_PATH}/`) {
      socket.destroy()
      return
    }
    open.add(socket)
    socket.on("close", () => open.delete(socket))
    for (const listener of answering) listener.call(server, request, socket, head)
  })
  return open
}

/** A client that reads goes by itself; one that does not must not hold up the server's end. */
async function letGo(sockets: ReadonlySet<Duplex>, clock: Clock): Promise<void> {
  const over = new AbortController()
  const gone = [...sockets].map((socket) => once(socket, "close", { signal: over.signal }))
  await Promise.race([Promise.allSettled(gone), clock.sleep(SHUTDOWN_GRACE_MS, over.signal)])
  over.abort()
  for (const socket of sockets) socket.destroy()
}
