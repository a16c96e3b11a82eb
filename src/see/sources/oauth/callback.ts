import { timingSafeEqual } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { TimeIsOver } from "../connections.ts"

/** A page that guesses the state gets this many tries; 256 random bits need more. */
const MOST_WRONG_REQUESTS = 20

const LARGEST_HEADERS_BYTES = 16_384

const CALLBACK_PATH = "/callback"

export type CallbackListener = AsyncDisposable & {
  readonly redirectUri: string
  /** The parameters of the one valid callback; rejects at the end of the time. */
  readonly arrived: Promise<URLSearchParams>
}

/**
 * Waits on a free port of this machine for the browser's return from the authorization server. Only
 * a request with the state of this sign-in counts, and only once.
 */
export async function listenForCallback(expected: {
  readonly state: string
  readonly host: "127.0.0.1" | "localhost"
  readonly signal: AbortSignal
}): Promise<CallbackListener> {
  const arrived = Promise.withResolvers<URLSearchParams>()
  // Observed later, after the browser was opened.
  arrived.promise.catch(() => {})
  let isUsed = false
  let wrongRequests = 0
  let port = 0

  function handle(request: IncomingMessage, response: ServerResponse): void {
    const params = readCallback(request, [`127.0.0.1:${port}`, `localhost:${port}`])
    if (params === undefined) return answer(response, 404, "Not found.")
    const isOwn = !isUsed && isSame(params.getAll("state"), expected.state)
    if (!isOwn) {
      wrongRequests += 1
      if (wrongRequests >= MOST_WRONG_REQUESTS) {
        arrived.reject(new Error("too many requests with a wrong state arrived"))
      }
      return answer(response, 400, "This is not the sign-in that was started. Start it again.")
    }
    isUsed = true
    const isDenied = params.has("error")
    answer(
      response,
      200,
      isDenied
        ? "Sign-in was refused. You can close this window."
        : "Quartermaster received the answer and completes the sign-in. You can close this window.",
    )
    arrived.resolve(params)
  }

  const server = createServer({ maxHeaderSize: LARGEST_HEADERS_BYTES }, handle)
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", resolve)
  })
  const address = server.address()
  port = typeof address === "object" && address !== null ? address.port : 0
  const stop = (): void => {
    const reason: unknown = expected.signal.reason
    arrived.reject(reason instanceof Error ? reason : new TimeIsOver("the sign-in was cancelled"))
  }
  expected.signal.addEventListener("abort", stop, { once: true })
  if (expected.signal.aborted) stop()
  return {
    redirectUri: `http://${expected.host}:${port}${CALLBACK_PATH}`,
    arrived: arrived.promise,
    async [Symbol.asyncDispose]() {
      expected.signal.removeEventListener("abort", stop)
      const closed = new Promise((resolve) => server.close(resolve))
      // The answer of the last request has been handed to the system.
      server.closeAllConnections()
      await closed
    },
  }
}

/** Undefined for any other request: another page must not learn that we listen. */
function readCallback(
  request: IncomingMessage,
  hosts: readonly string[],
): URLSearchParams | undefined {
  const host = request.headers.host ?? ""
  if (request.method !== "GET" || !hosts.includes(host)) return undefined
  const url = URL.parse(request.url ?? "", `http://${host}`)
  return url !== null && url.pathname === CALLBACK_PATH ? url.searchParams : undefined
}

function isSame(states: readonly string[], expected: string): boolean {
  const [state = ""] = states
  const [a, b] = [Buffer.from(state), Buffer.from(expected)]
  return states.length === 1 && a.length === b.length && timingSafeEqual(a, b)
}

function answer(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      connection: "close",
    })
    .end(`${text}\n`)
}
