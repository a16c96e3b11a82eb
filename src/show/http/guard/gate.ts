import type { IncomingMessage, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { type Clock, invariant } from "#ground/base"
import { RequestUnreadable, TokenWrong, TooManyRequests } from "../errors.ts"
import { type GuardRules, judge, type Verdict } from "./guard.ts"
import { SECURITY_HEADERS } from "./headers.ts"

/** Requests a minute by one token before 429: fifty agents that each call a tool every 50 ms. */
const MOST_CALLS_A_MINUTE = 60_000

/** Requests a minute from one address before 429; a console with live data makes about ten. */
export const MOST_REQUESTS_A_MINUTE = 3_000

/** Wrong tokens a minute from one address before 429; guessing 256 bits is hopeless anyway. */
const MOST_REFUSALS_A_MINUTE = 60

/** Addresses remembered for the limits above; loopback has very few. */
const MOST_ADDRESSES_REMEMBERED = 1_000

export type Gate = ReturnType<typeof createGate>

/** The guard at the door: what it refuses never reaches a router or a socket. */
export function createGate(rules: GuardRules, deps: { clock: Clock }) {
  const admitted = new WeakMap<IncomingMessage, string>()
  const requests = createRate({ clock: deps.clock, most: MOST_REQUESTS_A_MINUTE })
  const calls = createRate({ clock: deps.clock, most: MOST_CALLS_A_MINUTE })
  const refusals = createRate({ clock: deps.clock, most: MOST_REFUSALS_A_MINUTE })

  function decide(request: IncomingMessage, isUpgrade: boolean): Verdict {
    const address = request.socket.remoteAddress ?? ""
    const verdict = judge(
      {
        method: request.method ?? "",
        url: request.url ?? "",
        headers: request.headers,
        rawHeaders: request.rawHeaders,
        isUpgrade,
      },
      rules,
    )
    // Agents at work call often, all from this machine: who has a token is counted by itself.
    const isKnown = verdict.kind === "pass" && verdict.by === "bearer"
    if (isKnown ? calls.countExceeds(verdict.who) : requests.countExceeds(address)) return TOO_MANY
    const isGuess = verdict.kind === "refuse" && TokenWrong.is(verdict.error)
    return isGuess && refusals.countExceeds(address) ? TOO_MANY : verdict
  }

  return {
    /** Whether a request may pass; otherwise it is answered here. */
    admit(request: IncomingMessage, response: ServerResponse): boolean {
      for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value)
      const verdict = decide(request, false)
      if (verdict.kind === "refuse") refuseRequest(verdict, response)
      else admitted.set(request, verdict.who)
      return verdict.kind === "pass"
    },
    /** Who sends a request that was admitted. */
    whoSends(request: IncomingMessage): string {
      const who = admitted.get(request)
      invariant(who !== undefined, "only what was admitted reaches a route")
      return who
    },
    /** Whether a socket may be opened; otherwise the connection is answered and ended. */
    admitUpgrade(request: IncomingMessage, socket: Duplex): boolean {
      const verdict = decide(request, true)
      if (verdict.kind === "refuse") answerRaw(verdict, socket)
      return verdict.kind === "pass"
    },
    /** What node could not read as a request: it has no response object to answer with. */
    refuseUnreadable(error: { readonly code?: string }, socket: Duplex): void {
      answerRaw(UNREADABLE_BY_CODE[error.code ?? ""] ?? UNREADABLE, socket)
    },
  }
}

const MINUTE_MS = 60_000

/** Counts calls of each address in the minute that runs; more than `most` are too many. */
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
    // What was refused is not read: a body of 100 MB must not be taken in first.
    connection: "close",
  })
  response.end(body)
}

function answerRaw(refusal: Refusal, socket: Duplex): void {
  // Nobody else listens on this socket any more, and a reset without a listener ends the process.
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
  // Ended and let go: a client that never closes its own half would hold the socket for good.
  socket.end(lines.join("\r\n"), () => socket.destroy())
}

type Refusal = Extract<Verdict, { kind: "refuse" }>

const TOO_MANY: Refusal = { kind: "refuse", status: 429, error: TooManyRequests({}) }

const UNREADABLE = unreadable(400, "this is not a request of HTTP/1.1")
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
