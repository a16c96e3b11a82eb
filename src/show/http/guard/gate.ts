import type { IncomingMessage, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { type Clock, invariant, isAppError, type Log } from "#ground/base"
import type { Caller } from "#ground/contract"
import type { People, PersonKey } from "#ground/people"
import {
  PeopleUnavailable,
  RequestUnreadable,
  TlsRequired,
  TokenWrong,
  TooManyRequests,
} from "../errors.ts"
import {
  type Approach,
  type GuardRules,
  isFromElsewhere,
  judge,
  personSecrets,
  refuse,
  type Verdict,
} from "./guard.ts"
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

/** The same for people, whose keys another server may end; one query for all connections. */
const RECHECK_PEOPLE_MS = 400

export type Gate = ReturnType<typeof createGate>

/** The principal of an admitted request and, for a person, the key. */
export type Sender = { readonly principal: string; readonly key: PersonKey | undefined }

/** A caller over HTTP has no session besides this one. */
export function callerOf({ principal, key }: Sender): Caller {
  const caller = { principal, session: `${principal}/http` }
  return key === undefined ? caller : { ...caller, person: key.person }
}

type GateDeps = {
  readonly clock: Clock
  readonly log: Log
  people(): Promise<Pick<People, "findKey" | "findValid">>
  /** Requests of one person a minute; 0 is no limit of its own. */
  requestsPerMinute(): number
}

/** Refused requests reach neither the router nor a socket. */
export function createGate(rules: GuardRules, deps: GateDeps) {
  const admitted = new WeakMap<IncomingMessage, Sender>()
  const requests = createRate({ clock: deps.clock, most: MOST_REQUESTS_A_MINUTE })
  const calls = createRate({ clock: deps.clock, most: MOST_CALLS_A_MINUTE })
  const refusals = createRate({ clock: deps.clock, most: MOST_REFUSALS_A_MINUTE })
  const connections = createConnections(deps)

  /** `next` is called at once unless the store must verify the key of a person. */
  function decide(request: IncomingMessage, isUpgrade: boolean, next: (v: Verdict) => void): void {
    const { method = "", url = "", headers, rawHeaders } = request
    const approach = { method, url, headers, rawHeaders, isUpgrade }
    const secrets = personSecrets(approach, rules)
    if (secrets.length === 0) return next(settle(request, approach, judge(approach, rules)))
    const address = addressOf(request)
    if (requests.isExceeded(`refused ${address}`)) return next(TOO_MANY)
    findKey(secrets).then(
      (key) => next(settle(request, approach, judgePerson(request, approach, key))),
      (error: unknown) => next(unverified(error)),
    )
  }

  async function findKey(secrets: readonly string[]): Promise<PersonKey | undefined> {
    const people = await deps.people()
    for (const secret of secrets) {
      const key = await people.findKey(secret)
      if (key !== undefined) return key
    }
    return undefined
  }

  function judgePerson(
    request: IncomingMessage,
    approach: Approach,
    key: PersonKey | undefined,
  ): Verdict {
    return key !== undefined && !isPrivate(request)
      ? refuse(403, TlsRequired({}))
      : judge(approach, rules, key)
  }

  /** Refuses the request: the store did not verify its key. */
  function unverified(error: unknown): Verdict {
    deps.log.warn("a person's key could not be verified", { error })
    return refuse(503, isAppError(error) ? error : PeopleUnavailable({}, error))
  }

  function settle(request: IncomingMessage, approach: Approach, verdict: Verdict): Verdict {
    const { headers, socket } = request
    const address = addressOf(request)
    if (isAboveRate(verdict, headers, address)) return TOO_MANY
    const isGuess = verdict.kind === "refuse" && TokenWrong.is(verdict.error)
    if (isGuess && refusals.countExceeds(address)) return TOO_MANY
    if (verdict.kind === "pass" && verdict.by !== "public") {
      const keyId = verdict.key?.id
      if (keyId !== undefined) connections.add(socket, keyId)
      else connections.add(socket, () => judge(approach, rules).kind === "pass")
    }
    return verdict
  }

  /** Agents call often and share one address, so requests with a token are counted by token. */
  function isAboveRate(
    verdict: Verdict,
    headers: IncomingMessage["headers"],
    address: string,
  ): boolean {
    const isPass = verdict.kind === "pass"
    if (isPass && verdict.key !== undefined) {
      const most = deps.requestsPerMinute()
      return calls.countExceeds(verdict.who, most === 0 ? MOST_CALLS_A_MINUTE : most)
    }
    if (isPass && verdict.by === "bearer") return calls.countExceeds(verdict.who)
    return requests.countExceeds(`${kindOf(verdict, headers)} ${address}`)
  }

  return {
    /** Responds itself if the request is refused; otherwise calls `next`. */
    admit(request: IncomingMessage, response: ServerResponse, next: () => void): void {
      for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value)
      decide(request, false, (verdict) => {
        if (verdict.kind === "refuse") return refuseRequest(verdict, response)
        admitted.set(request, { principal: verdict.who, key: verdict.key })
        return next()
      })
    },
    senderOf(request: IncomingMessage): Sender {
      const sender = admitted.get(request)
      invariant(sender !== undefined, "the guard admits a request before its route runs")
      return sender
    },
    /** Whether the connection is encrypted or from this machine. */
    isPrivate,
    /** Responds itself and ends the connection if the socket is refused. */
    admitUpgrade(request: IncomingMessage, socket: Duplex, next: () => void): void {
      // Without a listener, a reset while the store verifies a key would end the process.
      socket.on("error", () => socket.destroy())
      decide(request, true, (verdict) => {
        if (verdict.kind === "refuse") return answerRaw(verdict, socket)
        admitted.set(request, { principal: verdict.who, key: verdict.key })
        return next()
      })
    },
    /** For an upgrade that was admitted and has no site. */
    refuseUpgrade: (error: Refusal["error"], socket: Duplex): void =>
      answerRaw(refuse(403, error), socket),
    /** Ends every connection whose token or cookie has ended, except the one of this request. */
    endInvalid({ socket }: IncomingMessage): void {
      connections.endInvalid(socket)
      void connections.endRevoked(socket)
    },
    close: (): void => connections.close(),
    /** For requests that Node could not parse; there is no response object. */
    refuseUnreadable(error: { readonly code?: string }, socket: Duplex): void {
      answerRaw(UNREADABLE_BY_CODE[error.code ?? ""] ?? UNREADABLE, socket)
    },
  }
}

function addressOf({ socket }: IncomingMessage): string {
  return socket.remoteAddress ?? ""
}

function isPrivate(request: IncomingMessage): boolean {
  const isLoopback = /^(?:127\.|::1$|::ffff:127\.)/.test(addressOf(request))
  return isLoopback || "encrypted" in request.socket
}

/** Counted apart, so that a foreign page cannot use up the requests of the user's own pages. */
function kindOf(verdict: Verdict, headers: IncomingMessage["headers"]): string {
  if (verdict.kind === "refuse") return "refused"
  return isFromElsewhere(headers) ? "foreign" : verdict.by
}

/**
 * Open connections that a token or cookie admitted, each with its check: a function, or the key of a
 * person, which the store verifies for all at once.
 */
function createConnections(deps: Pick<GateDeps, "log" | "people">) {
  const open = new Map<Duplex, (() => boolean) | string>()
  const endInvalid = (except?: Duplex): void => {
    for (const [socket, check] of open) {
      if (socket !== except && typeof check === "function" && !check()) socket.destroy()
    }
  }
  const keys = () => [...new Set(open.values())].filter((it) => typeof it === "string")
  async function endRevoked(except?: Duplex): Promise<void> {
    const asked = keys()
    if (asked.length === 0) return
    try {
      const valid = await (await deps.people()).findValid(asked)
      for (const [socket, key] of open) {
        const isEnded = typeof key === "string" && asked.includes(key) && !valid.has(key)
        if (isEnded && socket !== except) socket.destroy()
      }
    } catch (error) {
      // Without the store these connections show nothing new; the next check ends them.
      deps.log.warn("keys of open connections could not be verified", { error })
    }
  }
  let isChecking = false
  const checkPeople = async (): Promise<void> => {
    if (isChecking) return
    isChecking = true
    await endRevoked()
    isChecking = false
  }
  const timers = [
    setInterval(endInvalid, RECHECK_MS),
    setInterval(() => void checkPeople(), RECHECK_PEOPLE_MS),
  ]
  for (const it of timers) it.unref()
  return {
    add(socket: Duplex, check: (() => boolean) | string): void {
      if (!open.has(socket)) socket.once("close", () => open.delete(socket))
      open.set(socket, check)
    },
    endInvalid,
    endRevoked,
    close: (): void => timers.forEach((it) => clearInterval(it)),
  }
}

const MINUTE_MS = 60_000

/** Counts per address or principal in the current minute. */
function createRate(deps: { clock: Clock; most: number }) {
  let minute = 0
  const counts = new Map<string, number>()
  const countOf = (address: string): number => {
    const now = Math.floor(deps.clock.monotonicMs() / MINUTE_MS)
    if (now !== minute) {
      minute = now
      counts.clear()
    }
    return counts.get(address) ?? 0
  }
  return {
    countExceeds(address: string, most = deps.most): boolean {
      const count = countOf(address) + 1
      if (counts.size < MOST_ADDRESSES_REMEMBERED || counts.has(address)) counts.set(address, count)
      return count > most
    },
    isExceeded: (address: string): boolean => countOf(address) >= deps.most,
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
