import type { JsonRecord } from "#ground/base"
import { type BodyReader, listName, readElements } from "../fold/body-reader.ts"
import type { Span } from "../fold/body-splice.ts"
import { recordOf } from "../read/json.ts"
import { readMessages } from "./messages-wire.ts"
import type { Changes } from "./rebuild.ts"
import { readItems } from "./responses-wire.ts"

export type ToolResult = {
  readonly callId: string
  readonly tool: string
  readonly input: JsonRecord
  readonly text: string
  readonly isError: boolean
  /** False when it has pictures or other parts that are not text. */
  readonly isText: boolean
  /** Position of the message or item with the result. */
  readonly at: number
  /** Number of model turns before it. */
  readonly turn: number
}

/** A block of signed thinking, or a sealed reasoning item. */
type Thinking = { readonly key: string; readonly at: number }

export type Latch = {
  /** The text that replaces the result of a call. */
  readonly masks: ReadonlyMap<string, { readonly text: string }>
  /** Keys of removed thinking. */
  readonly thinking: ReadonlySet<string>
}

/** A conversation of either wire, with everything that a decision about masks needs. */
export type Conversation = {
  readonly results: readonly ToolResult[]
  readonly thinking: readonly Thinking[]
  /** Texts of the user and of the model, in order. */
  readonly texts: readonly { readonly at: number; readonly text: string }[]
  readonly modelTurns: number
  /** The model's last turn has no call: no tool loop is open. */
  readonly isBetweenTurns: boolean
  readonly hasTools: boolean
  /** Whether a turn would be empty without its thinking. */
  isOnlyThinking(at: number): boolean
  changesOf(latch: Latch): Changes
  /** Marks the prefix before a position for the provider's cache, where a marker is free. */
  pinBefore(at: number, changes: Changes): Changes
}

export type ParsedBody = {
  readonly body: Buffer
  readonly spans: readonly Span[]
  readonly request: JsonRecord
  readonly elements: readonly JsonRecord[]
}

export type ReadBody = ParsedBody & { readonly conversation: Conversation }

export type MaskedWire = "anthropic" | "openai"

/** A string says why the body cannot be read. The reader knows the requests before. */
export function readBody(body: Buffer, wire: MaskedWire, reader?: BodyReader): ReadBody | string {
  const read = reader?.read(body) ?? readElements(body, listName(wire))
  if (typeof read === "string") return read
  const { request, spans } = read
  const parsed = { body, spans, request, elements: read.elements.map(recordOf) }
  const conversation = wire === "anthropic" ? readMessages(parsed) : readItems(parsed)
  return typeof conversation === "string" ? conversation : { ...parsed, conversation }
}

export function bytesBetween(spans: readonly Span[], from: number, to = spans.length): number {
  return spans.slice(from, to).reduce((sum, it) => sum + it.to - it.from, 0)
}
