import { elementSpans, type Span } from "../fold/body-splice.ts"

/** By position: the new bytes of an element, or null to remove it. */
export type Changes = ReadonlyMap<number, Buffer | null>

const COMMA = Buffer.from(",")

/** Elements without a change keep their bytes. */
export function rebuildList(body: Buffer, spans: readonly Span[], changes: Changes): Buffer {
  const [first, last] = [spans[0], spans.at(-1)]
  if (changes.size === 0 || first === undefined || last === undefined) return body
  const pieces = [body.subarray(0, first.from)]
  let isFirst = true
  for (const [index, { from, to }] of spans.entries()) {
    const change = changes.get(index)
    if (change === null) continue
    if (!isFirst) pieces.push(COMMA)
    pieces.push(change ?? body.subarray(from, to))
    isFirst = false
  }
  return Buffer.concat([...pieces, body.subarray(last.to)])
}

/** The same for the list `name` of one element; undefined if it has no such list. */
export function rebuildElement(
  body: Buffer,
  { from, to }: Span,
  { name, changes }: { readonly name: string; readonly changes: Changes },
): Buffer | undefined {
  const element = body.subarray(from, to)
  const spans = elementSpans(element, name)
  return spans === undefined ? undefined : rebuildList(element, spans, changes)
}
