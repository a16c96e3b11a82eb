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
