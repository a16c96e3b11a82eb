import type { WireName, WireOutcome } from "#ground/contract"

/** As received: order and case. */
export type Header = readonly [name: string, value: string]

/** What a host asked. */
export type HostRequest = {
  readonly method: string
  /** Without the token, with the query. */
  readonly path: string
  readonly headers: readonly Header[]
  /** Empty when it is not whole. */
  readonly body: Buffer
  /** False for a body that is too large to be kept, or that never came to its end. */
  readonly isWhole: boolean
  /** Of the body as it came, also when it is not kept. */
  readonly sizeBytes: number
}

/** What goes to the provider instead. */
export type PreparedRequest = {
  /** The same object as `asked.body` when unchanged. */
  readonly body: Buffer
  readonly isChanged: boolean
  /** Handed back in the exchange. */
  readonly note: unknown
}

/** One request and what came of it. Headers and bodies hold secrets: they are for memory only. */
export type Exchange = {
  readonly asked: HostRequest
  readonly prepared: PreparedRequest | undefined
  readonly at: number
  /** Of the provider's answer; null when there was none. */
  readonly status: number | null
  readonly outcome: WireOutcome
  readonly firstByteMs: number | null
  readonly durationMs: number
  readonly answer: {
    readonly headers: readonly Header[]
    /** As received, maybe compressed. */
    readonly body: readonly Buffer[]
    /** False when it was larger than what is kept, or never came to its end. */
    readonly isWhole: boolean
  }
  /** Why the original was sent after a changed body had been refused. */
  readonly fallback: string | null
}

/** One carry as the proxy sees it. */
export type SessionPort = {
  /** Fixed; its path is a prefix. */
  readonly upstream: URL
  /** The shape of our own errors. */
  readonly wire: WireName
  /** Fold mode only: the whole body is read before anything is sent. A throw: original bytes. */
  prepare?(asked: HostRequest): PreparedRequest
  /** Of a request that was offered to `prepare`: the first words of its answer are on their way. */
  began?(asked: HostRequest, prepared: PreparedRequest | undefined): void
  /** Once for each request that passed the guard, off the way of the answer. */
  done(exchange: Exchange): void
}
