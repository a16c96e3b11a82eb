import { createThread, type ThreadAnswer } from "#ground/base"
import type {
  ContextKind,
  GatewayRequest,
  HostName,
  TokenEncoding,
  TokenUsage,
  WireFold,
  WireItem,
  WireName,
} from "#ground/contract"
import { LARGEST_BODY_BYTES } from "./raw-item.ts"

/** Bodies and answers that wait for the thread; beyond it a request is not looked into. */
const MOST_WAITING_BYTES = 256 * 1024 ** 2

/** Requests that wait, however small. A host has some tens open at once. */
const MOST_WAITING = 10_000

/** A body of 64 MB becomes strings of twice that, and objects beside them. */
const THREAD_HEAP_MB = 1_024

/** A body of 64 MB that was never counted takes 6 s here; ten times that. */
const LONGEST_SILENCE_MS = 60_000

/** Why a request was not looked into. */
type Unread = { readonly problem: string }

export type Reader = ReturnType<typeof createReader>

/**
 * Reads requests on a thread of its own, one after the other. It takes what it is given at once
 * and never keeps anybody waiting: when too much waits for it, it says so instead.
 */
export function createReader(
  options: {
    readonly heapMb?: number
    readonly longestSilenceMs?: number
    readonly mostWaitingBytes?: number
  } = {},
) {
  const thread = createThread<ReadQuestion, ReadAnswer>({
    entry: new URL("./thread/main.ts", import.meta.url),
    heapMb: options.heapMb ?? THREAD_HEAP_MB,
    longestSilenceMs: options.longestSilenceMs ?? LONGEST_SILENCE_MS,
  })
  const mostBytes = options.mostWaitingBytes ?? MOST_WAITING_BYTES
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  let waitingBytes = 0
  let isClosed = false
  const close = async (): Promise<void> => {
    isClosed = true
    await thread.end()
  }
  return {
    async read(question: ReadQuestion): Promise<ReadAnswer | Unread> {
      const bytes = sizeOf(question)
      if (isClosed) return { problem: "the reader is closed" }
      if (question.body.length > LARGEST_BODY_BYTES) {
        return { problem: `a body of ${question.body.length} bytes is too large to look into` }
      }
      const isTooMuch = waitingBytes > 0 && waitingBytes + bytes > mostBytes
      if (isTooMuch || waiting >= MOST_WAITING) return { problem: "the recorder is too busy" }
      waiting += 1
      waitingBytes += bytes
      try {
        const mine = last.then(() => (isClosed ? undefined : thread.ask(handedOver(question))))
        last = mine.catch(() => {})
        return answerOf(await mine)
      } catch (error) {
        // What cannot be handed over, for instance because it is nested without end.
        return { problem: `it could not be handed over: ${String(error)}` }
      } finally {
        waiting -= 1
        waitingBytes -= bytes
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

function sizeOf({ body, answer }: ReadQuestion): number {
  return answer.body.reduce((total, it) => total + it.length, body.length)
}

/** What of the headers is read; credentials are beside them, and go nowhere. */
const READ_HEADERS = new Set([
  "content-encoding",
  "session-id",
  "thread-id",
  "x-claude-code-agent-id",
  "x-claude-code-session-id",
])

/**
 * Handed over in memory that both sides see: cloning 10 MB takes this thread 40 ms, of which a copy
 * here is a tenth, and a large body lies in such memory already.
 */
export function handedOver(question: ReadQuestion): ReadQuestion {
  const { answer } = question
  const isRead = ([name]: readonly [string, string]) => READ_HEADERS.has(name.toLowerCase())
  return {
    ...question,
    headers: question.headers.filter(isRead),
    body: shared([question.body]),
    answer: {
      headers: answer.headers.filter(isRead),
      body: [shared(answer.body)],
      isWhole: answer.isWhole,
    },
  }
}

function shared(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts
  if (parts.length === 1 && only?.buffer instanceof SharedArrayBuffer) return only
  const sizeBytes = parts.reduce((total, it) => total + it.length, 0)
  const bytes = new Uint8Array(new SharedArrayBuffer(sizeBytes))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

function answerOf(said: ThreadAnswer<ReadAnswer> | undefined): ReadAnswer | Unread {
  switch (said?.kind) {
    case "answered":
      return said.answer
    case "silent":
      return { problem: "it took too long to look into" }
    case undefined:
      return { problem: "the reader was closed before its turn" }
    default:
      return { problem: `it could not be looked into: ${said?.reason ?? "the reader ended"}` }
  }
}

type Headers = readonly (readonly [name: string, value: string])[]

/** One request and its answer, as bytes, and where the host stood that sent it. */
export type ReadQuestion = {
  readonly wire: WireName
  /** With its query. */
  readonly path: string
  readonly headers: Headers
  /** As it was forwarded. */
  readonly body: Uint8Array
  readonly answer: {
    readonly headers: Headers
    /** As received, maybe compressed. */
    readonly body: readonly Uint8Array[]
    /** False when it was cut. */
    readonly isWhole: boolean
  }
  readonly folded: readonly {
    readonly branchId: string
    readonly bytes: number
    readonly removed: readonly unknown[]
  }[]
  readonly place: ReadPlace
  readonly encoding: TokenEncoding
  /** The pieces of the request before, for a conversation that the thread has not seen. */
  readonly conversationBefore?: readonly Piece[] | undefined
  readonly wantsTexts: boolean
}

export type ReadPlace = {
  readonly host: HostName | undefined
  readonly workingDirectory: string
  readonly home: string
  /** Only what the host's own walk needs. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** By what a piece is known again in the next request. */
export type Piece = Pick<WireItem, "kind" | "name" | "sha256">

export type TrailStep = {
  /** Null for what the assistant said. */
  readonly tool: string | null
  readonly text: string
  readonly tokens: number
}

/** What was read. Names and texts are raw: they may hold secrets. */
export type ReadAnswer = {
  readonly route: GatewayRequest["route"]
  readonly session: string | null
  readonly agent: string | null
  readonly model: string | null
  readonly items: readonly WireItem[]
  readonly kinds: readonly { readonly kind: ContextKind; readonly tokens: number }[]
  readonly tokens: number
  /** What the conversation had not said before, in order. */
  readonly added: readonly WireItem[]
  readonly gone: number
  /** Pieces at the front that the request before has as well. */
  readonly kept: number
  readonly usage: TokenUsage | null
  readonly stopReason?: string
  readonly folded: readonly WireFold[]
  readonly trails: readonly { readonly branchId: string; readonly steps: readonly TrailStep[] }[]
  /** Of pieces that are new, when they are wanted. */
  readonly texts: readonly { readonly sha256: string; readonly text: string }[]
}
