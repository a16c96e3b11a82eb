export type Span = { readonly from: number; readonly to: number }

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/**
 * The span of each element of the array `name`. Undefined when there is no such array, or any key
 * twice: parsers differ in which of the two they take.
 */
export function elementSpans(body: Buffer, name: string): readonly Span[] | undefined {
  const keys = new Set<unknown>()
  let elements: readonly Span[] | undefined
  let at = afterSpace(body, afterSpace(body, 0) + 1)
  while (body[at] === QUOTE) {
    const colon = afterString(body, at)
    const key: unknown = JSON.parse(body.toString("utf8", at, colon))
    if (keys.has(key)) return undefined
    keys.add(key)
    const from = afterSpace(body, afterSpace(body, colon) + 1)
    const isTarget = key === name && body[from] === OPEN_BRACKET
    if (isTarget) elements = spansFrom(body, from)
    const last = isTarget ? elements?.at(-1) : undefined
    const end = last === undefined ? afterValue(body, from) : afterSpace(body, last.to) + 1
    at = afterComma(body, end)
  }
  return elements
}

function spansFrom(body: Buffer, from: number): readonly Span[] {
  const spans: Span[] = []
  let at = afterSpace(body, from + 1)
  while (at < body.length && body[at] !== CLOSE_BRACKET) {
    const to = afterValue(body, at)
    spans.push({ from: at, to })
    at = afterComma(body, to)
  }
  return spans
}

function afterComma(body: Buffer, from: number): number {
  const at = afterSpace(body, from)
  return body[at] === COMMA ? afterSpace(body, at + 1) : at
}

function afterValue(body: Buffer, from: number): number {
  const first = body[from]
  if (first === QUOTE) return afterString(body, from)
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return afterNested(body, from)
  let at = from
  while (at < body.length && !endsScalar(body[at])) at++
  return at
}

function afterNested(body: Buffer, from: number): number {
  let depth = 0
  let at = from
  while (at < body.length) {
    const byte = body[at]
    if (byte === QUOTE) {
      at = afterString(body, at)
      continue
    }
    at++
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++
    if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--
    if (depth === 0) return at
  }
  return at
}

/** Most bytes are in a few long strings, which are searched natively. */
const SHORT_BYTES = 48

function afterString(body: Buffer, from: number): number {
  const near = Math.min(body.length, from + 1 + SHORT_BYTES)
  let at = from + 1
  while (at < near) {
    if (body[at] === QUOTE) return at + 1
    at += body[at] === BACKSLASH ? 2 : 1
  }
  let quote = body.indexOf(QUOTE, at)
  while (quote !== -1 && isEscaped(body, quote, at)) quote = body.indexOf(QUOTE, quote + 1)
  return quote === -1 ? body.length : quote + 1
}

/** An odd number of backslashes before the quote. */
function isEscaped(body: Buffer, quote: number, from: number): boolean {
  let at = quote
  while (at > from && body[at - 1] === BACKSLASH) at--
  return (quote - at) % 2 === 1
}

function afterSpace(body: Buffer, from: number): number {
  let at = from
  while (isSpace(body[at])) at++
  return at
}

function endsScalar(byte: number | undefined): boolean {
  return byte === COMMA || byte === CLOSE_BRACKET || byte === CLOSE_BRACE || isSpace(byte)
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

export type Edits = {
  readonly gone: ReadonlySet<number>
  readonly patched: ReadonlyMap<number, unknown>
  readonly inserted: ReadonlyMap<number, unknown>
}

/** Elements that stay keep their bytes, and so do the bytes between them. */
export function splice(body: Buffer, spans: readonly Span[], edits: Edits): Buffer {
  const pieces: Buffer[] = []
  let from = 0
  for (const [index, span] of spans.entries()) {
    if (edits.gone.has(index)) {
      const before = spans[index - 1]?.to ?? span.from
      if (from < before) pieces.push(body.subarray(from, before))
      from = span.to
      continue
    }
    if (edits.patched.has(index)) {
      pieces.push(body.subarray(from, span.from), bytesOf(edits.patched.get(index)))
      from = span.to
    }
    if (edits.inserted.has(index)) {
      pieces.push(body.subarray(from, span.to), COMMA_BYTES, bytesOf(edits.inserted.get(index)))
      from = span.to
    }
  }
  pieces.push(body.subarray(from))
  return Buffer.concat(pieces)
}

const COMMA_BYTES = Buffer.from(",")

function bytesOf(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value))
}

export function edited(elements: readonly unknown[], edits: Edits): readonly unknown[] {
  return elements.flatMap((element, index) => {
    if (edits.gone.has(index)) return []
    const own = edits.patched.has(index) ? edits.patched.get(index) : element
    return edits.inserted.has(index) ? [own, edits.inserted.get(index)] : [own]
  })
}
