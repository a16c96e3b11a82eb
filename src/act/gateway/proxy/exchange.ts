import type { AppError } from "#ground/base"
import type { WireName, WireOutcome } from "#ground/contract"
import type { ResponseRestorer } from "../secrets/restore.ts"

export type Header = readonly [name: string, value: string]

export type HostRequest = {
  readonly method: string
  readonly path: string
  readonly headers: readonly Header[]
  /** Empty unless `isWhole`. */
  readonly body: Buffer
  /** False when too large to store, or aborted. */
  readonly isWhole: boolean
  /** Size of the body as received, even when it is not stored. */
  readonly sizeBytes: number
}

export type PreparedRequest = {
  /** The same object as `asked.body` when unchanged. */
  readonly body: Buffer
  readonly isChanged: boolean
  readonly note: unknown
  /** Answered in place of the provider; nothing is sent. */
  readonly refusal?: AppError
  /**
   * Sent when the provider refuses the changed body; null: the refusal is passed on. Without it, the
   * original is sent.
   */
  readonly fallbackBody?: (() => Buffer) | null
  /** For a response in plain bytes, which the request asks for. */
  restorer?(options: { readonly isStream: boolean }): ResponseRestorer
}

/** Headers and bodies contain secrets: memory only. */
export type Exchange = {
  readonly request: HostRequest
  readonly prepared: PreparedRequest | undefined
  readonly at: number
  readonly status: number | null
  readonly outcome: WireOutcome
  readonly firstByteMs: number | null
  readonly durationMs: number
  readonly answer: {
    readonly headers: readonly Header[]
    readonly body: readonly Buffer[]
    /** False when larger than the cap, or aborted. */
    readonly isWhole: boolean
  }
  /** Why the original was sent after the changed body was refused. */
  readonly fallback: string | null
}

export type SessionPort = {
  /** Its path is a prefix. */
  readonly upstream: URL
  readonly wire: WireName
  /** Fold mode only: reads the whole body first. If it throws, the original bytes are sent. */
  prepare?(asked: HostRequest): PreparedRequest | Promise<PreparedRequest>
  /** A request that `prepare` cannot read or that it throws for is refused with this error. */
  unprepared?(): AppError
  /** Called after `prepare`, when the answer begins. */
  began?(asked: HostRequest, prepared: PreparedRequest | undefined): void
  /** Called once for each request that passed the guard, after the answer. */
  done(exchange: Exchange): void
}
