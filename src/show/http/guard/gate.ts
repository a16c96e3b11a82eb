import type { IncomingMessage, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { type Clock, invariant } from "#ground/base"
import { RequestUnreadable, TokenWrong, TooManyRequests } from "../errors.ts"
import { type GuardRules, isFromElsewhere, judge, type Verdict } from "./guard.ts"
import { SECURITY_HEADERS } from "./headers.ts"

/** Per token, before 429: fifty agents that each call a tool every 50 ms. */
const MOST_CALLS_A_MINUTE = 60_000

/** Per address and kind of request, before 429; a console with live data makes about ten. */
export const MOST_REQUESTS_A_MINUTE = 3_000

/** Wrong tokens per address, before 429. */
const MOST_REFUSALS_A_MINUTE = 60

const MOST_ADDRESSES_REMEMBERED = 1_000

/** How long a connection may stay open after its token or cookie ended in another process. */
const RECHECK_MS = 1_000

export type Gate = ReturnType<typeof createGate>

/** Refused requests reach neither the router nor a socket. */
export function createGate(rules: GuardRules, deps: { clock: Clock }) {
  const admitted = new WeakMap<IncomingMessage, string>()
  const requests = createRate({ clock: deps.clock, most: MOST_REQUESTS_A_MINUTE })
  const calls = createRate({ clock: deps.clock, most: MOST_CALLS_A_MINUTE })
  const refusals = createRate({ clock: deps.clock, most: MOST_REFUSALS_A_MINUTE })
  const connections = createConnections()

  function decide(request: IncomingMessage, isUpgrade: boolean): Verdict {
    const { method = "", url = "", headers, rawHeaders, socket } = request
    const address = socket.remoteAddress ?? ""
    const approach = { method, url, headers, rawHeaders, isUpgrade }
    const verdict = judge(approach, rules)
    // Agents call often and share one address, so requests with a token are counted by token.
    const isKnown = verdict.kind === "pass" && verdict.by === "bearer"
    const isExceeded = isKnown
      ? calls.countExceeds(verdict.who)
      : requests.countExceeds(`${kindOf(verdict, headers)} ${address}`)
    if (isExceeded) return TOO_MANY
    const isGuess = verdict.kind === "refuse" && TokenWrong.is(verdict.error)
    if (isGuess && refusals.countExceeds(address)) return TOO_MANY
    if (verdict.kind === "pass" && verdict.by !== "public") {
      connections.add(socket, () => judge(approach, rules).kind === "pass")
    }
    return verdict
  }

  return {
    /** Responds itself if the request is refused. */
    admit(request: IncomingMessage, response: ServerResponse): boolean {
      for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value)
      const verdict = decide(request, false)
      if (verdict.kind === "refuse") refuseRequest(verdict, response)
      else admitted.set(request, verdict.who)
      return verdict.kind === "pass"
    },
    whoSends(request: IncomingMessage): string {
      const who = admitted.get(request)
      invariant(who !== undefined, "the guard admits a request before its route runs")
      return who
    },
    /** Responds itself and ends the connection if the socket is refused. */
    admitUpgrade(request: IncomingMessage, socket: Duplex): boolean {
      const verdict = decide(request, true)
      if (verdict.kind === "refuse") answerRaw(verdict, socket)
      return verdict.kind === "pass"
    },
    /** Ends every connection whose token or cookie has ended, except the one of this request. */
    endInvalid: ({ socket }: IncomingMessage): void => connections.endInvalid(socket),
    close: (): void => connections.close(),
    /** For requests that Node could not parse; there is no response object. */
    refuseUnreadable(error: { readonly code?: string }, socket: Duplex): void {
      answerRaw(UNREADABLE_BY_CODE[error.code ?? ""] ?? UNREADABLE, socket)
    },
  }
}

/** Counted apart, so that a foreign page cannot use up the requests of the user's own pages. */
function kindOf(verdict: Verdict, headers: IncomingMessage["headers"]): string {
  if (verdict.kind === "refuse") return "refused"
  return isFromElsewhere(headers) ? "foreign" : verdict.by
}

/** Open connections that a token or cookie admitted, each with its check. */
function createConnections() {
  const open = new Map<Duplex, () => boolean>()
  const endInvalid = (except?: Duplex): void => {
    for (const [socket, isValid] of open) if (socket !== except && !isValid()) socket.destroy()
  }
  const timer = setInterval(endInvalid, RECHECK_MS)
  timer.unref()
  return {
    add(socket: Duplex, isValid: () => boolean): void {
      if (!open.has(socket)) socket.once("close", () => open.delete(socket))
      open.set(socket, isValid)
    },
    endInvalid,
    close: (): void => clearInterval(timer),
  }
}

const MINUTE_MS = 60_000

/** Counts per address or principal in the current minute. */
function createRate(deps: { clock: Clock; most: number }) {
  let minute = 0
  const counts = new Map<string, number>()
  return {
    countExceeds(address: string): boolean {
      const now = Math.floor(deps.clock.monotonicMs() / MINUTE_MS)
      if (now !== minute) {
        minute = now
        counts.clear()
      }
      const count = (counts.get(address) ?? 0) + 1
      if (counts.size < MOST_ADDRESSES_REMEMBERED || counts.has(address)) counts.set(address, count)
      return count > deps.most
    },
  }
}

function refuseRequest(refusal: Refusal, response: ServerResponse): void {
  const body = JSON.stringify(wire(refusal))
  response.writeHead(refusal.status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
    // The body of a refused request is not read: it may have 100 MB.
    connection: "close",
  })
  response.end(body)
}

function answerRaw(refusal: Refusal, socket: Duplex): void {
  // Without a listener, a connection reset would end the process.
  socket.on("error", () => socket.destroy())
  if (!socket.writable) return void socket.destroy()
  const body = JSON.stringify(wire(refusal))
  const lines = [
    `HTTP/1.1 ${refusal.status} Refused`,
    ...Object.entries(SECURITY_HEADERS).map(([name, value]) => `${name}: ${value}`),
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
    "",
    body,
  ]
  // Destroyed, because a client that never closes its half would keep the socket open.
  socket.end(lines.join("\r\n"), () => socket.destroy())
}

type Refusal = Extract<Verdict, { kind: "refuse" }>

const TOO_MANY: Refusal = { kind: "refuse", status: 429, error: TooManyRequests({}) }

const UNREADABLE = unreadable(400, "it is not an HTTP/1.1 request")
const UNREADABLE_BY_CODE: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: unreadable(431, "the headers are too large"),
  ERR_HTTP_REQUEST_TIMEOUT: unreadable(408, "the request took too long"),
}

function unreadable(status: number, why: string): Refusal {
  return { kind: "refuse", status, error: RequestUnreadable({ why }) }
}

function wire({ error: { code, message, hint } }: Refusal) {
  return { code, message, hint, data: null }
}
