import type { Span } from "./scan.ts"

/** What becomes of the elements of an array, by their places; all others stay as they are. */
export type Edits = {
  readonly gone: ReadonlySet<number>
  /** What stands in the place of an element. */
  readonly patched: ReadonlyMap<number, unknown>
  /** What comes after an element that stays. */
  readonly inserted: ReadonlyMap<number, unknown>
}

/** A body with its array edited: what stays keeps its bytes, and those between its neighbours. */
export function splice(body: Buffer, spans: readonly Span[], edits: Edits): Buffer {
  const pieces: Buffer[] = []
  // Up to here everything is taken or left out; what comes next is taken as it is.
  let from = 0
  for (const [place, span] of spans.entries()) {
    if (edits.gone.has(place)) {
      const before = spans[place - 1]?.to ?? span.from
      if (from < before) pieces.push(body.subarray(from, before))
      from = span.to
      continue
    }
    if (edits.patched.has(place)) {
      pieces.push(body.subarray(from, span.from), bytesOf(edits.patched.get(place)))
      from = span.to
    }
    if (edits.inserted.has(place)) {
      pieces.push(body.subarray(from, span.to), COMMA, bytesOf(edits.inserted.get(place)))
      from = span.to
    }
  }
  pieces.push(body.subarray(from))
  return Buffer.concat(pieces)
}

const COMMA = Buffer.from(",")

function bytesOf(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value))
}

/** The same on what was read. */
export function edited(elements: readonly unknown[], edits: Edits): readonly unknown[] {
  return elements.flatMap((element, place) => {
    if (edits.gone.has(place)) return []
    const own = edits.patched.has(place) ? edits.patched.get(place) : element
    return edits.inserted.has(place) ? [own, edits.inserted.get(place)] : [own]
  })
}
