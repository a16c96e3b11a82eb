import { createThread, type ThreadAnswer, threadModule } from "#ground/base"
import type {
  CacheSettings,
  ContextKind,
  GatewayRequest,
  HostName,
  TokenEncoding,
  TokenUsage,
  WireFold,
  WireItem,
  WireName,
} from "#ground/contract"
import { LARGEST_BODY_BYTES } from "./formats/raw-item.ts"

/** Above this, requests are not read. */
const MOST_WAITING_BYTES = 256 * 1024 ** 2

const MOST_WAITING = 10_000

/** Strings of a 64 MB body take twice that, and objects more. */
const THREAD_HEAP_MB = 1_024

/** Ten times what an uncached body of 64 MB takes. */
const LONGEST_SILENCE_MS = 60_000

type ReadProblem = { readonly problem: string }

export type Reader = ReturnType<typeof createReader>

/**
 * Reads requests on one thread, in order. Never waits for capacity: when the queue is full it
 * reports a problem.
 */
export function createReader(
  options: {
    readonly heapMb?: number
    readonly longestSilenceMs?: number
    readonly mostWaitingBytes?: number
  } = {},
) {
  const thread = createThread<ReadQuestion, ReadAnswer>({
    entry: threadModule("act/gateway/read/thread/main"),
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
    async read(question: ReadQuestion): Promise<ReadAnswer | ReadProblem> {
      const bytes = sizeOf(question)
      if (isClosed) return { problem: "the reader is closed" }
      if (question.body.length > LARGEST_BODY_BYTES) {
        return { problem: `a body of ${question.body.length} bytes is too large to read` }
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
        // E.g. nested too deeply to be cloned.
        return { problem: `it could not be passed to the reader: ${String(error)}` }
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

/** Only these are read; credentials never reach the thread. */
const READ_HEADERS = new Set([
  "content-encoding",
  "session-id",
  "thread-id",
  "x-claude-code-agent-id",
  "x-claude-code-session-id",
])

/**
 * In shared memory: cloning 10 MB takes 40 ms, a copy a tenth, and large bodies are shared already.
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

function answerOf(reply: ThreadAnswer<ReadAnswer> | undefined): ReadAnswer | ReadProblem {
  switch (reply?.kind) {
    case "answered":
      return reply.answer
    case "silent":
      return { problem: "reading it took too long" }
    case undefined:
      return { problem: "the reader was closed before it was read" }
    default:
      return { problem: `it could not be read: ${reply?.reason ?? "the reader ended"}` }
  }
}

type Headers = readonly (readonly [name: string, value: string])[]

export type ReadQuestion = {
  readonly wire: WireName
  readonly path: string
  readonly headers: Headers
  readonly body: Uint8Array
  readonly answer: {
    readonly headers: Headers
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
  /** Of the previous request, if the thread has not seen the session. */
  readonly conversationBefore?: readonly Piece[] | undefined
  readonly wantsTexts: boolean
}

export type ReadPlace = {
  readonly host: HostName | undefined
  readonly workingDirectory: string
  readonly home: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

export type Piece = Pick<WireItem, "kind" | "name" | "sha256">

export type TrailStep = {
  readonly tool: string | null
  readonly text: string
  readonly tokens: number
}

/** Names and texts are raw: they may contain secrets. */
export type ReadAnswer = {
  readonly route: GatewayRequest["route"]
  readonly session: string | null
  readonly agent: string | null
  readonly model: string | null
  readonly items: readonly WireItem[]
  readonly kinds: readonly { readonly kind: ContextKind; readonly tokens: number }[]
  readonly tokens: number
  readonly added: readonly WireItem[]
  readonly gone: number
  /** Items at the start that the previous request has too. */
  readonly kept: number
  readonly usage: TokenUsage | null
  readonly cacheSettings: CacheSettings
  readonly stopReason?: string
  readonly folded: readonly WireFold[]
  readonly trails: readonly { readonly branchId: string; readonly steps: readonly TrailStep[] }[]
  readonly texts: readonly { readonly sha256: string; readonly text: string }[]
}
