import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { type Clock, giveOthersATurn, type Log, once, type Random } from "#ground/base"
import type { WireName } from "#ground/contract"
import { ListenFailed, UpgradeRefused } from "../errors.ts"
import { answerOurselves } from "./error-response.ts"
import type { SessionPort } from "./exchange.ts"
import { digestOfToken, judge } from "./guard.ts"
import { pairsOf, valuesOf } from "./headers.ts"
import { type Relay, relay } from "./relay.ts"
import {
  createUpstream,
  LARGEST_HEADERS_BYTES,
  type ProxyEnvironment,
  type Upstream,
} from "./upstream.ts"

/** 192 bits. */
const TOKEN_BYTES = 24

const SESSION_ID_BYTES = 6

const CLOSE_GRACE_MS = 2_000

type ProxyDeps = {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly proxyEnvironment: ProxyEnvironment
}

export type OpenSession = {
  readonly id: string
  /** `http://127.0.0.1:PORT/t/TOKEN`: a secret, for one process. */
  readonly url: string
  /** Requests that were already sent are accepted; open exchanges get 2 s and are then aborted. */
  close(): Promise<void>
}

export function createProxy(deps: ProxyDeps) {
  const sessions = new Set<ProxiedSession>()
  const server = shared(() => listen((arrival) => meet(arrival, sessions, deps)))

  async function open(port: SessionPort): Promise<OpenSession> {
    const upstream = createUpstream(port.upstream, deps.proxyEnvironment)
    // The prefix lets `ground/secrets` recognize it.
    const token = `qmgw_${hex(deps.random, TOKEN_BYTES)}`
    const { port: number } = await server.take()
    const session: ProxiedSession = {
      id: hex(deps.random, SESSION_ID_BYTES),
      tokenDigest: digestOfToken(token),
      port,
      upstream,
      relays: new Set(),
      close: once(async () => {
        await acceptLastRequests()
        sessions.delete(session)
        await endAll(session.relays, deps.clock)
        upstream.close()
        await server.giveBack()
      }),
    }
    sessions.add(session)
    return { id: session.id, url: `http://127.0.0.1:${number}/t/${token}`, close: session.close }
  }

  return {
    open,
    async close(): Promise<void> {
      await Promise.all([...sessions].map((session) => session.close()))
    },
  }
}

type ProxiedSession = {
  readonly id: string
  readonly tokenDigest: Buffer
  readonly port: SessionPort
  readonly upstream: Upstream
  readonly relays: Set<Relay>
  close(): Promise<void>
}

function meet(arrival: Arrival, sessions: ReadonlySet<ProxiedSession>, deps: ProxyDeps): void {
  const { request, response, port } = arrival
  const headers = pairsOf(request.rawHeaders)
  const verdict = judge({ url: request.url ?? "", headers }, { port, sessions })
  if (verdict.kind === "refuse") {
    const { status, error } = verdict
    deps.log.warn("the gateway refused a request", { code: error.code })
    request.resume()
    return answerOurselves(response, { wire: oneWireOf(sessions), status, error })
  }
  const { session, path } = verdict
  // Hosts that try a web socket fall back to POST at 426; other upgrades may be ignored.
  const isSocket = valuesOf(headers, "upgrade").some((it) => it.toLowerCase() === "websocket")
  if (isSocket) {
    request.resume()
    const { wire } = session.port
    return answerOurselves(response, { wire, status: 426, error: UpgradeRefused({}) })
  }
  if (arrival.isWaiting) response.writeContinue()
  const started = relay({ session, request, response, path, headers }, deps)
  session.relays.add(started)
  void started.ended.then(() => session.relays.delete(started))
}

/** An unauthenticated request has no known wire format; use the only one in use, else Anthropic. */
function oneWireOf(sessions: ReadonlySet<ProxiedSession>): WireName {
  const wires = new Set([...sessions].map((session) => session.port.wire))
  const [first] = wires
  return wires.size === 1 && first !== undefined ? first : "anthropic"
}

/** One to accept a connection, one to read it, one to parse it, and some more. */
const TURNS_FOR_LAST_REQUESTS = 8

/** A host may exit right after it sent a request, which the kernel still holds for us. */
async function acceptLastRequests(): Promise<void> {
  for (let turn = 0; turn < TURNS_FOR_LAST_REQUESTS; turn++) await giveOthersATurn()
}

/** Waits briefly for open exchanges, then aborts them. */
async function endAll(relays: ReadonlySet<Relay>, clock: Clock): Promise<void> {
  const open = [...relays]
  if (open.length === 0) return
  const allEnded = Promise.all(open.map((it) => it.ended))
  const timer = new AbortController()
  const late = clock.sleep(CLOSE_GRACE_MS, timer.signal).catch(() => {})
  await Promise.race([allEnded, late])
  timer.abort()
  for (const it of open) it.cut()
  await allEnded
}

function shared(start: () => Promise<Listener>) {
  let listener: Promise<Listener> | undefined
  let users = 0
  const giveBack = async () => {
    users--
    if (users > 0) return
    const last = listener
    listener = undefined
    await (await last?.catch(() => undefined))?.close()
  }
  return {
    async take(): Promise<Listener> {
      users++
      listener ??= start()
      try {
        return await listener
      } catch (error) {
        await giveBack()
        throw error
      }
    },
    giveBack,
  }
}

function hex(random: Random, bytes: number): string {
  return Buffer.from(random.bytes(bytes)).toString("hex")
}

/** A local host sends its headers immediately. */
const HEADERS_WITHIN_MS = 30_000

/** 64 MB at 0.3 Mbit/s: the body waits for the provider. */
const BODY_WITHIN_MS = 30 * 60_000

const LATE_CHECK_MS = 5_000

/** Longer than an agent thinks or runs tools between two requests. */
const IDLE_CONNECTION_MS = 5 * 60_000

/** Forty agents with parallel requests. */
const MOST_CONNECTIONS = 512

type Arrival = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly port: number
  /** The host waits for 100 Continue. */
  readonly isWaiting: boolean
}

type Listener = { readonly port: number; close(): Promise<void> }

type ListenOptions = {
  readonly headersWithinMs: number
  readonly lateCheckMs: number
  readonly address: string
}

/** Only tests change them. */
export const USUAL: ListenOptions = {
  headersWithinMs: HEADERS_WITHIN_MS,
  lateCheckMs: LATE_CHECK_MS,
  address: "127.0.0.1",
}

/** No timeout ends an answer that takes long. */
export async function listen(
  meet: (arrival: Arrival) => void,
  { headersWithinMs, lateCheckMs, address }: ListenOptions = USUAL,
): Promise<Listener> {
  const server = createServer({
    // The guard answers for a wrong Host, in the wire's format.
    requireHostHeader: false,
    maxHeaderSize: LARGEST_HEADERS_BYTES,
    headersTimeout: headersWithinMs,
    requestTimeout: BODY_WITHIN_MS,
    connectionsCheckingInterval: lateCheckMs,
    keepAliveTimeout: IDLE_CONNECTION_MS,
    noDelay: true,
  })
  // The size is bounded; a count limit would drop lines silently.
  server.maxHeadersCount = 0
  server.maxConnections = MOST_CONNECTIONS
  let port = 0
  const onRequest =
    (isWaiting: boolean) =>
    (request: IncomingMessage, response: ServerResponse): void =>
      meet({ request, response, port, isWaiting })
  server.on("request", onRequest(false))
  server.on("checkContinue", onRequest(true))
  const listening = Promise.withResolvers<void>()
  server.once("error", listening.reject)
  server.listen({ host: address, port: 0, exclusive: true }, listening.resolve)
  try {
    await listening.promise
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : "unknown"
    throw ListenFailed({ reason }, error)
  } finally {
    server.off("error", listening.reject)
  }
  const bound = server.address()
  port = bound === null || typeof bound === "string" ? 0 : bound.port
  return {
    port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}
