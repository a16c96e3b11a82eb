import type { IncomingMessage } from "node:http"

export type WireName = "anthropic" | "openai" | "azure" | "embeddings"

/** A call as a script sees it, the same whichever wire it came over. */
export type WireRequest = {
  readonly wire: WireName
  readonly url: URL
  readonly headers: IncomingMessage["headers"]
  readonly body: Readonly<Record<string, unknown>>
  /** The model, or Azure's deployment. */
  readonly model: string
  readonly instructions: string
  readonly prompt: string
  /** The schema the answer must have, wherever the wire puts it. */
  readonly schema: Readonly<Record<string, unknown>> | undefined
  /** Texts to embed. */
  readonly texts: readonly string[]
  /** Resolves with whether the asker left before the end. */
  readonly ended: Promise<"finished" | "left">
}

/** What happens to a call. Without a script every question is answered with "understood". */
export type WireAnswer =
  | {
      readonly text: string
      /** Text comes in so many pieces, three unless said. */
      readonly pieces?: number
      /** What the model thinks before it answers. */
      readonly thinking?: string
      readonly usage?: WireUsage | "none"
      readonly stop?: "complete" | "length" | "refused"
      /** Nothing more is sent after the first piece until this resolves. */
      readonly hold?: Promise<unknown>
    }
  | {
      readonly status: number
      readonly message: string
      readonly type?: string
      readonly headers?: Readonly<Record<string, string>>
    }
  /** The text, and then the connection is gone. */
  | { readonly cutAfter: string }
  /** An error as an event in the middle of the stream. */
  | { readonly failAfter: string; readonly message: string; readonly type: string }
  /** Sent as it is, with status 200. */
  | { readonly raw: string }
  /** Nothing is ever sent. */
  | { readonly silent: true }
  /** This text again and again, until the asker leaves. */
  | { readonly endless: string }
  /** Vectors as they are sent, places included. */
  | { readonly vectors: readonly { readonly index?: number; readonly embedding: unknown }[] }

export type WireUsage = {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
}

export type WireScript = (request: WireRequest) => WireAnswer | Promise<WireAnswer>

/** How one wire checks a call, reads it, and says what the script answers. */
export type Wire = {
  /** Why the real server would refuse it. */
  refusal(call: WireCall): WireRefusal | undefined
  read(call: WireCall): Pick<WireRequest, "model" | "instructions" | "prompt" | "schema" | "texts">
  refuse(refusal: WireRefusal): object
  events(request: WireRequest, answer: WireAnswer): WireEvents
}

export type WireCall = {
  readonly wire: WireName
  readonly url: URL
  readonly headers: IncomingMessage["headers"]
  readonly body: Readonly<Record<string, unknown>>
  readonly key: string
}

export type WireRefusal = {
  readonly status: number
  readonly message: string
  readonly type: string
}

/** The pieces of a stream, or one JSON body. */
export type WireEvents = {
  readonly before: readonly string[]
  readonly pieces: readonly string[]
  readonly after: readonly string[]
  readonly contentType: "text/event-stream" | "application/json"
}

/** The text of an answer as it is sent. */
export function piecesOf(answer: WireAnswer): readonly string[] {
  if ("endless" in answer) return [answer.endless]
  if ("cutAfter" in answer) return inPieces(answer.cutAfter)
  if ("failAfter" in answer) return inPieces(answer.failAfter)
  return "text" in answer ? inPieces(answer.text, answer.pieces) : []
}

/** Cuts a text into so many pieces, at least one. */
function inPieces(text: string, count = 3): readonly string[] {
  const size = Math.max(1, Math.ceil(text.length / count))
  const starts = Array.from({ length: Math.ceil(text.length / size) }, (_, at) => at * size)
  return starts.map((start) => text.slice(start, start + size))
}
