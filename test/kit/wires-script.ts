import type { IncomingMessage } from "node:http"

export type WireName = "anthropic" | "openai" | "azure" | "embeddings"

export type WireRequest = {
  readonly wire: WireName
  readonly url: URL
  readonly headers: IncomingMessage["headers"]
  readonly body: Readonly<Record<string, unknown>>
  readonly model: string
  readonly instructions: string
  readonly prompt: string
  /** The schema of the answer, wherever the wire format has it. */
  readonly schema: Readonly<Record<string, unknown>> | undefined
  readonly texts: readonly string[]
  readonly ended: Promise<"finished" | "left">
}

/** The outcome of a call. Without a script every prompt is answered with "understood". */
export type WireAnswer =
  | {
      readonly text: string
      /** Number of stream pieces (default: 3). */
      readonly pieces?: number
      readonly thinking?: string
      readonly usage?: WireUsage | "none"
      readonly stop?: "complete" | "length" | "refused"
      /** After the first piece, nothing is sent until this resolves. */
      readonly hold?: Promise<unknown>
    }
  | {
      readonly status: number
      readonly message: string
      readonly type?: string
      readonly headers?: Readonly<Record<string, string>>
    }
  /** Sends the text and then closes the connection. */
  | { readonly cutAfter: string }
  | { readonly failAfter: string; readonly message: string; readonly type: string }
  /** Sent unchanged with status 200. */
  | { readonly raw: string }
  | { readonly silent: true }
  /** Repeats the text until the client disconnects. */
  | { readonly endless: string }
  /** Vectors as sent, including their indexes. */
  | { readonly vectors: readonly { readonly index?: number; readonly embedding: unknown }[] }

export type WireUsage = {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
}

export type WireScript = (request: WireRequest) => WireAnswer | Promise<WireAnswer>

export type Wire = {
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

export type WireEvents = {
  readonly before: readonly string[]
  readonly pieces: readonly string[]
  readonly after: readonly string[]
  readonly contentType: "text/event-stream" | "application/json"
}

export function piecesOf(answer: WireAnswer): readonly string[] {
  if ("endless" in answer) return [answer.endless]
  if ("cutAfter" in answer) return inPieces(answer.cutAfter)
  if ("failAfter" in answer) return inPieces(answer.failAfter)
  return "text" in answer ? inPieces(answer.text, answer.pieces) : []
}

function inPieces(text: string, count = 3): readonly string[] {
  const size = Math.max(1, Math.ceil(text.length / count))
  const starts = Array.from({ length: Math.ceil(text.length / size) }, (_, at) => at * size)
  return starts.map((start) => text.slice(start, start + size))
}
