import { isUtf8 } from "node:buffer"
import { isRecord, type JsonRecord, parseJson } from "#ground/base"
import { listOf } from "../read/json.ts"
import { commonPrefixBytes } from "./body-prefix.ts"
import { elementSpans, type Span } from "./body-splice.ts"

/** Parsing a larger body takes seconds; providers refuse at 32 MB. */
const LARGEST_BODY_BYTES = 64 * 1024 * 1024

/** A conversation and its sub-agents; the oldest is dropped first. */
const MOST_REMEMBERED = 4

/** Parsed, a body takes several times its bytes. */
const LARGEST_REMEMBERED_BYTES = 8 * 1024 * 1024

const COMMA = 0x2c
const CLOSE_BRACKET = 0x5d

type ElementList = "input" | "messages"

export function listName(wire: "anthropic" | "openai"): ElementList {
  return wire === "anthropic" ? "messages" : "input"
}

export type BodyElements = {
  readonly request: JsonRecord
  readonly elements: readonly unknown[]
  readonly spans: readonly Span[]
}

/** A string says why the body cannot be read. */
export function readElements(body: Buffer, name: ElementList): BodyElements | string {
  if (body.length > LARGEST_BODY_BYTES) return "the body is too large to read"
  const request = isUtf8(body) ? parseJson(body.toString("utf8")) : undefined
  if (!isRecord(request)) return "the body is not a JSON object"
  const elements = listOf(request[name])
  const spans = elementSpans(body, name)
  if (spans === undefined || spans.length !== elements.length) {
    return `its ${name} are not one list, or it has a duplicate field`
  }
  return { request, elements, spans }
}

type Remembered = BodyElements & { readonly body: Buffer }

export type BodyReader = ReturnType<typeof createBodyReader>

/**
 * Reads bodies as `readElements` does. A request repeats the elements of the one before, so elements
 * in a prefix of equal bytes are taken from there and only the rest is parsed. Callers must not change
 * what they get.
 */
export function createBodyReader(name: ElementList) {
  let remembered: readonly Remembered[] = []
  const remember = (read: Remembered, previous: Remembered | undefined): void => {
    if (read.body.length > LARGEST_REMEMBERED_BYTES) return
    const others = remembered.filter((it) => it !== previous)
    remembered = [read, ...others].slice(0, MOST_REMEMBERED)
  }
  return {
    read(body: Buffer): BodyElements | string {
      const previous = nearest(body, remembered)
      const read = (previous && readAfter(body, previous, name)) ?? readElements(body, name)
      if (typeof read !== "string") remember({ ...read, body }, previous?.of)
      return read
    },
  }
}

type EqualStart = { readonly of: Remembered; readonly count: number }

/** The remembered body that shares most elements, and how many. */
function nearest(body: Buffer, remembered: readonly Remembered[]): EqualStart | undefined {
  let best: EqualStart | undefined
  for (const of of remembered) {
    const equalBytes = commonPrefixBytes(body, of.body)
    // The byte after an element must be equal too: a number could go on.
    const count = of.spans.findLastIndex((it) => it.to < equalBytes) + 1
    if (count > (best?.count ?? 0)) best = { of, count }
  }
  return best
}

/** Undefined when the rest cannot be read on its own. */
function readAfter(
  body: Buffer,
  { of, count }: EqualStart,
  name: ElementList,
): BodyElements | undefined {
  const [first, last] = [of.spans[0], of.spans[count - 1]]
  if (first === undefined || last === undefined) return undefined
  const from = afterComma(body, last.to)
  if (from === undefined) return undefined
  const rest = readElements(
    Buffer.concat([body.subarray(0, first.from), body.subarray(from)]),
    name,
  )
  if (typeof rest === "string") return undefined
  const shift = from - first.from
  const elements = [...of.elements.slice(0, count), ...rest.elements]
  const shifted = rest.spans.map((it) => ({ from: it.from + shift, to: it.to + shift }))
  return {
    request: { ...rest.request, [name]: elements },
    elements,
    spans: [...of.spans.slice(0, count), ...shifted],
  }
}

/** The start of the next element, or the end of the list; undefined if a comma ends the list. */
function afterComma(body: Buffer, from: number): number | undefined {
  const at = afterSpace(body, from)
  if (body[at] !== COMMA) return at
  const next = afterSpace(body, at + 1)
  return body[next] === CLOSE_BRACKET ? undefined : next
}

function afterSpace(body: Buffer, from: number): number {
  let at = from
  while (body[at] === 0x20 || body[at] === 0x0a || body[at] === 0x0d || body[at] === 0x09) at++
  return at
}
