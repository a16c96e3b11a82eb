import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http"
import type { AppError, Clock, Log } from "#ground/base"
import type { WireOutcome } from "#ground/contract"
import { UpstreamUnreachable } from "../errors.ts"
import {
  type BodyRecorder,
  createBodyRecorder,
  createUpload,
  type Upload,
} from "./body-recorder.ts"
import { answerOurselves, isRefusal, readRefusal } from "./error-response.ts"
import type { Exchange, Header, HostRequest, PreparedRequest, SessionPort } from "./exchange.ts"
import { forwardedHeaders, has, pairsOf, returnedHeaders, trailersOf, valuesOf } from "./headers.ts"
import { problemOf, type Upstream } from "./upstream.ts"

/** A long answer of a model is below 1 MB. */
const LARGEST_KEPT_ANSWER_BYTES = 8 * 1024 * 1024

type RelayDeps = { readonly clock: Clock; readonly log: Log }

type RelayedRequest = {
  readonly session: { readonly id: string; readonly port: SessionPort; readonly upstream: Upstream }
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly path: string
  readonly headers: readonly Header[]
}

export type Relay = {
  /** Resolves after `done` was called. */
  readonly ended: Promise<void>
  cut(): void
}

export function relay(passing: RelayedRequest, deps: RelayDeps): Relay {
  const ended = Promise.withResolvers<void>()
  const state = setOut(passing, deps)
  const { request, response, session } = passing
  response.once("close", () => {
    settle(state)
    const exchange = { ...exchangeOf(state), durationMs: sinceStart(state) }
    setImmediate(() => {
      quietly(state, "could not record an exchange", () => session.port.done(exchange))
      ended.resolve()
    })
  })
  request.on("error", () => {})
  response.on("error", () => {})
  if (session.port.prepare === undefined) send(state, originalOf(state))
  else state.upload.onRead(() => sendPrepared(state))
  return { ended: ended.promise, cut: () => cut(state) }
}

type RelayState = RelayedRequest & {
  readonly deps: RelayDeps
  readonly upload: Upload
  readonly recorder: BodyRecorder
  readonly at: number
  readonly startedMs: number
  /** Taken before the body was sent, if it was whole then. */
  hostRequest: HostRequest | undefined
  prepared: PreparedRequest | undefined
  target: ClientRequest | undefined
  answer: IncomingMessage | undefined
  firstByteMs: number | null
  outcome: WireOutcome | undefined
  fallback: string | null
  isRetried: boolean
  /** While the refusal of a changed body is read; the original follows. */
  isRefused: boolean
  isOver: boolean
}

function setOut(passing: RelayedRequest, deps: RelayDeps): RelayState {
  return {
    ...passing,
    deps,
    upload: createUpload(passing.request, expectedBytes(passing)),
    recorder: createBodyRecorder(LARGEST_KEPT_ANSWER_BYTES),
    at: deps.clock.now(),
    startedMs: deps.clock.monotonicMs(),
    hostRequest: undefined,
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

/** Only of a request that is read whole before it is sent. */
function expectedBytes({ session, headers }: RelayedRequest): number {
  if (session.port.prepare === undefined) return 0
  const length = Number(valuesOf(headers, "content-length")[0] ?? 0)
  return Number.isSafeInteger(length) ? length : 0
}

type Load = {
  readonly isChanged: boolean
  /** Whether a refusal by the provider is answered with another body. */
  readonly canFallBack: boolean
  readonly headers: readonly string[]
  pour(target: ClientRequest): void
}

function originalOf({ upload, session, request, headers }: RelayState): Load {
  const head = { method: request.method ?? "GET", headers }
  return {
    isChanged: false,
    canFallBack: false,
    headers: forwardedHeaders(head, session.upstream.host),
    pour: (target) => upload.pourInto(target),
  }
}

function changedLoad(state: RelayState, body: Buffer, canFallBack: boolean): Load {
  const { request, headers, session, prepared } = state
  const head = { method: request.method ?? "GET", headers: plainAccepting(headers, prepared) }
  return {
    isChanged: true,
    canFallBack,
    headers: forwardedHeaders(head, session.upstream.host, body.length),
    pour: (target) => void target.end(body),
  }
}

/** A compressed response cannot be restored as it streams. */
function plainAccepting(
  headers: readonly Header[],
  prepared: PreparedRequest | undefined,
): readonly Header[] {
  if (prepared?.restorer === undefined) return headers
  const others = headers.filter(([name]) => name.toLowerCase() !== "accept-encoding")
  return [...others, ["accept-encoding", "identity"]]
}

function sendPrepared(state: RelayState): void {
  if (state.isOver) return
  const { session, upload } = state
  if (upload.isWhole()) {
    const hostRequest = askedOf(state)
    state.hostRequest = hostRequest
    let preparing: Promise<PreparedRequest> | undefined
    quietly(state, "could not prepare a request", () => {
      const prepared = session.port.prepare?.(hostRequest)
      if (prepared instanceof Promise) preparing = prepared
      else state.prepared = prepared
    })
    if (preparing !== undefined) return void sendLater(state, preparing)
  }
  sendNow(state)
}

async function sendLater(state: RelayState, preparing: Promise<PreparedRequest>): Promise<void> {
  try {
    state.prepared = await preparing
  } catch (error) {
    const { deps, session } = state
    deps.log.error("could not prepare a request", { session: session.id, ...named(error) })
  }
  if (!state.isOver) sendNow(state)
}

function sendNow(state: RelayState): void {
  const { session, prepared } = state
  const refusal =
    prepared?.refusal ?? (prepared === undefined ? session.port.unprepared?.() : undefined)
  if (refusal !== undefined) return refuse(state, refusal)
  if (prepared?.isChanged !== true) return send(state, originalOf(state))
  send(state, changedLoad(state, prepared.body, prepared.fallbackBody !== null))
}

/** Nothing of the request leaves. */
function refuse(state: RelayState, error: AppError): void {
  const { session, response, upload } = state
  state.outcome = "refused"
  upload.discard()
  answerOurselves(response, { wire: session.port.wire, status: 403, error })
}

function send(state: RelayState, load: Load): void {
  const { session, request, path } = state
  try {
    const method = request.method ?? "GET"
    const target = session.upstream.start({ method, path, headers: load.headers })
    state.target = target
    target.on("response", (answer) => receive(state, load, answer))
    target.on("upgrade", (_, socket) => {
      socket.destroy()
      if (state.target === target && !state.isOver) lose(state, load, new UnwantedUpgrade())
    })
    target.on("error", (error) => {
      // An abandoned request still fails.
      if (state.target === target && !state.isOver) lose(state, load, error)
    })
    load.pour(target)
  } catch (error) {
    fail(state, error)
  }
}

/** The provider answered 101 although the request has no Upgrade header: there is no response to forward. */
class UnwantedUpgrade extends Error {
  readonly code = "UNWANTED_UPGRADE"
}

function receive(state: RelayState, load: Load, answer: IncomingMessage): void {
  if (state.isOver) return
  if (load.canFallBack && isRefusal(answer)) {
    state.isRefused = true
    return readRefusal(answer, (words) => fallBack(state, answer.statusCode ?? 400, words))
  }
  try {
    passOn(state, answer)
  } catch (error) {
    state.deps.log.error("could not return a response", {
      session: state.session.id,
      ...named(error),
    })
    cut(state)
  }
}

function passOn(state: RelayState, answer: IncomingMessage): void {
  const { request, response, recorder } = state
  state.answer = answer
  state.firstByteMs = sinceStart(state)
  const isChunked = has(pairsOf(answer.rawHeaders), "transfer-encoding")
  const canHaveTrailers = isChunked && request.httpVersion === "1.1"
  const restorer = restorerOf(state, answer)
  const returned = returnedHeaders(answer.rawHeaders, canHaveTrailers)
  const headers = restorer === undefined ? returned : withoutLength(returned)
  response.sendDate = false
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? "", headers)
  response.flushHeaders()
  answer.on("data", (chunk: Buffer) => {
    recorder.keep(chunk)
    const bytes = restorer === undefined ? chunk : restorer.push(chunk)
    if (bytes.length > 0 && !response.write(bytes)) answer.pause()
  })
  answer.once("data", () => setImmediate(() => notifyBegan(state)))
  response.on("drain", () => answer.resume())
  answer.on("end", () => {
    const rest = restorer?.end()
    if (rest !== undefined && rest.length > 0) response.write(rest)
    if (answer.rawTrailers.length > 0) response.addTrailers(trailersOf(answer.rawTrailers))
    response.end()
  })
  answer.on("error", () => {})
  // A clean end would tell the host that the answer is complete.
  answer.on("close", () => {
    if (!answer.complete) cut(state)
  })
}

/** Only of the changed body: the fallback contains the same placeholders. */
function restorerOf({ prepared }: RelayState, answer: IncomingMessage) {
  if (prepared?.restorer === undefined) return undefined
  const headers = pairsOf(answer.rawHeaders)
  const encoding = valuesOf(headers, "content-encoding").join() || "identity"
  if (encoding.toLowerCase() !== "identity") return undefined
  const isStream = valuesOf(headers, "content-type").some((it) => /event-stream/i.test(it))
  return prepared.restorer({ isStream })
}

function withoutLength(flat: readonly string[]): string[] {
  return pairsOf(flat)
    .filter(([name]) => name.toLowerCase() !== "content-length")
    .flat()
}

/** After the first bytes have gone to the host. */
function notifyBegan(state: RelayState): void {
  const { hostRequest, prepared, session } = state
  quietly(state, "could not inspect a request", () => {
    if (hostRequest !== undefined) session.port.began?.(hostRequest, prepared)
  })
}

/** The host never sees a refusal that we caused. */
function fallBack(state: RelayState, status: number, words: string): void {
  if (state.isOver) return
  state.fallback = `The provider refused the folded request with ${status}: ${words}`
  state.isRetried = false
  state.isRefused = false
  const { prepared } = state
  const body = prepared?.fallbackBody?.()
  send(state, body === undefined ? originalOf(state) : changedLoad(state, body, false))
}

const RESETS: ReadonlySet<unknown> = new Set(["ECONNRESET", "EPIPE"])

/**
 * The provider may close an idle connection just as we use it; then the request is sent once more
 * on a new one.
 */
function lose(state: RelayState, load: Load, error: Error): void {
  // The end of a started answer is handled there.
  if (state.answer !== undefined || state.isRefused) return
  const isReset = "code" in error && RESETS.has(error.code)
  const canRepeat = !state.isRetried && (load.isChanged || state.upload.isKept())
  if (!isReset || !canRepeat || state.target?.reusedSocket !== true) return fail(state, error)
  state.isRetried = true
  state.session.upstream.dropIdle()
  send(state, load)
}

function fail(state: RelayState, cause: unknown): void {
  const { session, response, deps } = state
  state.outcome = "unreachable"
  state.upload.discard()
  const problem = problemOf(cause)
  deps.log.warn("the provider did not respond", { session: session.id, problem })
  const error = UpstreamUnreachable({ host: session.upstream.host, problem }, cause)
  answerOurselves(response, { wire: session.port.wire, status: 502, error })
}

function cut(state: RelayState): void {
  state.outcome ??= "cut"
  state.response.destroy()
  state.target?.destroy()
}

function settle(state: RelayState): void {
  const { answer, target, response, upload } = state
  state.isOver = true
  const isRefused = (answer?.statusCode ?? 0) >= 400
  const ofWhole = isRefused ? "refused" : "answered"
  state.outcome ??= response.writableFinished ? ofWhole : "aborted"
  // A finished request has released its connection, which stays open.
  target?.destroy()
  upload.discard()
}

function exchangeOf(state: RelayState): Omit<Exchange, "durationMs"> {
  const { answer, recorder } = state
  return {
    request: state.hostRequest ?? askedOf(state),
    prepared: state.prepared,
    at: state.at,
    status: answer?.statusCode ?? null,
    outcome: state.outcome ?? "aborted",
    firstByteMs: state.firstByteMs,
    answer: {
      headers: pairsOf(answer?.rawHeaders ?? []),
      body: recorder.chunks(),
      isWhole: recorder.isWhole() && answer?.complete === true,
    },
    fallback: state.fallback,
  }
}

function askedOf({ request, path, headers, upload }: RelayState): HostRequest {
  return {
    method: request.method ?? "GET",
    path,
    headers,
    body: upload.body(),
    isWhole: upload.isWhole(),
    sizeBytes: upload.sizeBytes(),
  }
}

function sinceStart({ deps, startedMs }: RelayState): number {
  return deps.clock.monotonicMs() - startedMs
}

function quietly(state: RelayState, sentence: string, act: () => void): void {
  try {
    act()
  } catch (error) {
    state.deps.log.error(sentence, { session: state.session.id, ...named(error) })
  }
}

/** Without the message: parsers quote their input. */
function named(error: unknown): { readonly error: string } {
  return { error: error instanceof Error ? error.name : typeof error }
}
