import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { ListenFailed } from "./errors.ts"
import {
  BODY_WITHIN_MS,
  HEADERS_WITHIN_MS,
  IDLE_CONNECTION_MS,
  LARGEST_HEADERS_BYTES,
  LATE_CHECK_MS,
  MOST_CONNECTIONS,
} from "./limits.ts"

export type Arrival = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** The one we listen on. */
  readonly port: number
  /** The host waits for a word before it sends the body. */
  readonly isWaiting: boolean
}

export type Listener = { readonly port: number; close(): Promise<void> }

type ListenOptions = {
  readonly headersWithinMs: number
  readonly lateCheckMs: number
  readonly address: string
}

/** Tests of what goes wrong have other ones; nobody else. */
export const USUAL: ListenOptions = {
  headersWithinMs: HEADERS_WITHIN_MS,
  lateCheckMs: LATE_CHECK_MS,
  address: "127.0.0.1",
}

/** A server on 127.0.0.1 and a free port. Nothing in it ends an answer that takes its time. */
export async function listen(
  meet: (arrival: Arrival) => void,
  { headersWithinMs, lateCheckMs, address }: ListenOptions = USUAL,
): Promise<Listener> {
  const server = createServer({
    // The guard says what is wrong with a Host, in words that a host of ours understands.
    requireHostHeader: false,
    maxHeaderSize: LARGEST_HEADERS_BYTES,
    headersTimeout: headersWithinMs,
    requestTimeout: BODY_WITHIN_MS,
    connectionsCheckingInterval: lateCheckMs,
    keepAliveTimeout: IDLE_CONNECTION_MS,
    noDelay: true,
  })
  // Their size is bounded; a count would drop lines without a word.
  server.maxHeadersCount = 0
  server.maxConnections = MOST_CONNECTIONS
  let port = 0
  const onRequest =
    (isWaiting: boolean) =>
    (request: IncomingMessage, response: ServerResponse): void =>
      meet({ request, response, port, isWaiting })
  server.on("request", onRequest(false))
  server.on("checkContinue", onRequest(true))
  const heard = Promise.withResolvers<void>()
  server.once("error", heard.reject)
  server.listen({ host: address, port: 0, exclusive: true }, heard.resolve)
  try {
    await heard.promise
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : "unknown"
    throw ListenFailed({ reason }, error)
  } finally {
    server.off("error", heard.reject)
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
