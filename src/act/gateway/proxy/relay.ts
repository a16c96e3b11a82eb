import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http"
import type { Clock, Log } from "#ground/base"
import type { WireOutcome } from "#ground/contract"
import { UpstreamUnreachable } from "./errors.ts"
import { forwardedHeaders, has, pairsOf, returnedHeaders, trailersOf } from "./headers.ts"
import { LARGEST_KEPT_ANSWER_BYTES } from "./limits.ts"
import { answerOurselves } from "./own-answer.ts"
import type { Asked, CarryPort, Exchange, Header, Prepared } from "./port.ts"
import { isRefusal, readRefusal } from "./refusal.ts"
import { createTap, type Tap } from "./tap.ts"
import { createUpload, type Upload } from "./upload.ts"
import { problemOf, type Upstream } from "./upstream.ts"

type RelayDeps = { readonly clock: Clock; readonly log: Log }

/** A request that passed the guard, and whose it is. */
type Passing = {
  readonly carry: { readonly id: string; readonly port: CarryPort; readonly upstream: Upstream }
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Without the token. */
  readonly path: string
  readonly headers: readonly Header[]
}

export type Relay = {
  /** After `done` was called. */
  readonly ended: Promise<void>
  cut(): void
}

/** Carries one request to the provider and its answer back, and tells of it when it is over. */
export function relay(passing: Passing, deps: RelayDeps): Relay {
  const ended = Promise.withResolvers<void>()
  const way = setOut(passing, deps)
  const { request, response, carry } = passing
  response.once("close", () => {
    settle(way)
    const exchange = { ...exchangeOf(way), durationMs: sinceStart(way) }
    setImmediate(() => {
      quietly(way, "an exchange could not be recorded", () => carry.port.done(exchange))
      ended.resolve()
    })
  })
  request.on("error", () => {})
  response.on("error", () => {})
  if (carry.port.prepare === undefined) send(way, originalOf(way))
  else way.upload.onRead(() => sendPrepared(way))
  return { ended: ended.promise, cut: () => cut(way) }
}

type Way = Passing & {
  readonly deps: RelayDeps
  readonly upload: Upload
  readonly tap: Tap
  readonly at: number
  readonly startedMs: number
  /** Before the body was sent, when it was whole then. */
  asked: Asked | undefined
  prepared: Prepared | undefined
  target: ClientRequest | undefined
  /** The one that the host gets. */
  answer: IncomingMessage | undefined
  firstByteMs: number | null
  outcome: WireOutcome | undefined
  fallback: string | null
  isRetried: boolean
  /** While a refusal of a changed body is read: however that ends, the original follows. */
  isRefused: boolean
  isOver: boolean
}

function setOut(passing: Passing, deps: RelayDeps): Way {
  return {
    ...passing,
    deps,
    upload: createUpload(passing.request),
    tap: createTap(LARGEST_KEPT_ANSWER_BYTES),
    at: deps.clock.now(),
    startedMs: deps.clock.monotonicMs(),
    asked: undefined,
    prepared: undefined,
    target: undefined,
    answer: undefined,
    firstByteMs: null,
    outcome: undefined,
    fallback: null,
    isRetried: false,
    isRefused: false,
    isOver: false,
  }
}

/** A body and its header lines, ready to go. */
type Load = {
  readonly isChanged: boolean
  readonly headers: readonly string[]
  pour(target: ClientRequest): void
}

function originalOf({ upload, carry, request, headers }: Way): Load {
  const asked = { method: request.method ?? "GET", headers }
  return {
    isChanged: false,
    headers: forwardedHeaders(asked, carry.upstream.host),
    pour: (target) => upload.pourInto(target),
  }
}

function sendPrepared(way: Way): void {
  if (way.isOver) return
  const { carry, upload } = way
  if (upload.isWhole()) {
    const asked = askedOf(way)
    way.asked = asked
    quietly(way, "a request could not be prepared, its original was sent", () => {
      way.prepared = carry.port.prepare?.(asked)
    })
  }
  const { asked, prepared } = way
  if (asked === undefined || prepared?.isChanged !== true) return send(way, originalOf(way))
  send(way, {
    isChanged: true,
    headers: forwardedHeaders(asked, carry.upstream.host, prepared.body.length),
    pour: (target) => void target.end(prepared.body),
  })
}

function send(way: Way, load: Load): void {
  const { carry, request, path } = way
  try {
    const method = request.method ?? "GET"
    const target = carry.upstream.start({ method, path, headers: load.headers })
    way.target = target
    target.on("response", (answer) => receive(way, load, answer))
    target.on("error", (error) => {
      // One that was given up still fails, and nobody waits for it.
      if (way.target === target && !way.isOver) lose(way, load, error)
    })
    load.pour(target)
  } catch (error) {
    fail(way, error)
  }
}

function receive(way: Way, load: Load, answer: IncomingMessage): void {
  if (way.isOver) return
  if (load.isChanged && isRefusal(answer)) {
    way.isRefused = true
    return readRefusal(answer, (words) => fallBack(way, answer.statusCode ?? 400, words))
  }
  try {
    passOn(way, answer)
  } catch (error) {
    way.deps.log.error("an answer could not be passed on", { carry: way.carry.id, ...named(error) })
    cut(way)
  }
}

/** Each chunk goes out when it comes; the provider is held back while the host is slow. */
function passOn(way: Way, answer: IncomingMessage): void {
  const { request, response, tap } = way
  way.answer = answer
  way.firstByteMs = sinceStart(way)
  const isChunked = has(pairsOf(answer.rawHeaders), "transfer-encoding")
  const canHaveTrailers = isChunked && request.httpVersion === "1.1"
  const headers = returnedHeaders(answer.rawHeaders, canHaveTrailers)
  response.sendDate = false
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? "", headers)
  response.flushHeaders()
  answer.on("data", (chunk: Buffer) => {
    tap.keep(chunk)
    if (!response.write(chunk)) answer.pause()
  })
  answer.once("data", () => setImmediate(() => tellBegun(way)))
  response.on("drain", () => answer.resume())
  answer.on("end", () => {
    if (answer.rawTrailers.length > 0) response.addTrailers(trailersOf(answer.rawTrailers))
    response.end()
  })
  answer.on("error", () => {})
  // A clean end would tell the host that it has everything.
  answer.on("close", () => {
    if (!answer.complete) cut(way)
  })
}

/** Now there is time to look at what was asked: the host has the first words. */
function tellBegun(way: Way): void {
  const { asked, prepared, carry } = way
  quietly(way, "a request could not be looked at", () => {
    if (asked !== undefined) carry.port.began?.(asked, prepared)
  })
}

/** The host never hears of a refusal that we caused: it gets the answer to its own words. */
function fallBack(way: Way, status: number, words: string): void {
  if (way.isOver) return
  way.fallback = `The provider refused the folded request with ${status}: ${words}`
  way.isRetried = false
  way.isRefused = false
  send(way, originalOf(way))
}

const RESETS: ReadonlySet<unknown> = new Set(["ECONNRESET", "EPIPE"])

/**
 * A connection that stayed open may have been closed by the provider just as we used it. That is no
 * answer to the request, so it is sent once more on a new one.
 */
function lose(way: Way, load: Load, error: Error): void {
  // What became of an answer that has begun is told by its own end.
  if (way.answer !== undefined || way.isRefused) return
  const isReset = "code" in error && RESETS.has(error.code)
  const canRepeat = !way.isRetried && (load.isChanged || way.upload.isKept())
  if (!isReset || !canRepeat || way.target?.reusedSocket !== true) return fail(way, error)
  way.isRetried = true
  way.carry.upstream.dropIdle()
  send(way, load)
}

function fail(way: Way, cause: unknown): void {
  const { carry, response, deps } = way
  way.outcome = "unreachable"
  way.upload.discard()
  const problem = problemOf(cause)
  deps.log.warn("the provider gave no answer", { carry: carry.id, problem })
  const error = UpstreamUnreachable({ host: carry.upstream.host, problem }, cause)
  answerOurselves(response, { wire: carry.port.wire, status: 502, error })
}

function cut(way: Way): void {
  way.outcome ??= "cut"
  way.response.destroy()
  way.target?.destroy()
}

/** The end for the host, one way or another; whatever still runs for it is ended too. */
function settle(way: Way): void {
  const { answer, target, response, upload } = way
  way.isOver = true
  const isRefused = (answer?.statusCode ?? 0) >= 400
  const ofWhole = isRefused ? "refused" : "answered"
  way.outcome ??= response.writableFinished ? ofWhole : "aborted"
  // One that came to its end has let go of its connection, which stays.
  target?.destroy()
  upload.discard()
}

function exchangeOf(way: Way): Omit<Exchange, "durationMs"> {
  const { answer, tap } = way
  return {
    asked: way.asked ?? askedOf(way),
    prepared: way.prepared,
    at: way.at,
    status: answer?.statusCode ?? null,
    outcome: way.outcome ?? "aborted",
    firstByteMs: way.firstByteMs,
    answer: {
      headers: pairsOf(answer?.rawHeaders ?? []),
      body: tap.chunks(),
      isWhole: tap.isWhole() && answer?.complete === true,
    },
    fallback: way.fallback,
  }
}

function askedOf({ request, path, headers, upload }: Way): Asked {
  return {
    method: request.method ?? "GET",
    path,
    headers,
    body: upload.body(),
    isWhole: upload.isWhole(),
    sizeBytes: upload.sizeBytes(),
  }
}

function sinceStart({ deps, startedMs }: Way): number {
  return deps.clock.monotonicMs() - startedMs
}

/** What others do with a request costs a line in the log at most. */
function quietly(way: Way, sentence: string, act: () => void): void {
  try {
    act()
  } catch (error) {
    way.deps.log.error(sentence, { carry: way.carry.id, ...named(error) })
  }
}

/** Without its words: those of a parser quote what it was given. */
function named(error: unknown): { readonly error: string } {
  return { error: error instanceof Error ? error.name : typeof error }
}
