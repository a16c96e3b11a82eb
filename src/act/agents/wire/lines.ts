import { LONGEST_LINE_BYTES } from "./limits.ts"
import { withoutTornStart } from "./secret-block.ts"

export type Line =
  | { readonly kind: "line"; readonly text: string }
  /** Longer than is kept: its beginning, and how long it was. */
  | { readonly kind: "cut"; readonly text: string; readonly sizeBytes: number }

const NEWLINE = 0x0a

/**
 * A child's output by lines. Bytes that are no UTF-8 become replacement characters; of a line
 * beyond the limit only the beginning is ever held. It reads no faster than it is read from.
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  longestBytes: number = LONGEST_LINE_BYTES,
): AsyncGenerator<Line> {
  let line = emptyLine()
  for await (const chunk of untilBroken(chunks)) {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      keep(line, chunk.subarray(from, at), longestBytes)
      if (line.sizeBytes > 0) yield lineOf(line)
      line = emptyLine()
      from = at + 1
    }
    keep(line, chunk.subarray(from), longestBytes)
  }
  if (line.sizeBytes > 0) yield lineOf(line)
}

/** A pipe that breaks has ended, as far as a reader is concerned. */
async function* untilBroken(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks
  } catch {
    // What came before it was read; why it broke is told by the child's end.
  }
}

type Growing = { readonly parts: Uint8Array[]; keptBytes: number; sizeBytes: number }

function emptyLine(): Growing {
  return { parts: [], keptBytes: 0, sizeBytes: 0 }
}

function keep(line: Growing, bytes: Uint8Array, longestBytes: number): void {
  const kept = bytes.subarray(0, longestBytes - line.keptBytes)
  if (kept.length > 0) line.parts.push(kept)
  Object.assign(line, {
    keptBytes: line.keptBytes + kept.length,
    sizeBytes: line.sizeBytes + bytes.length,
  })
}

function lineOf(line: Growing): Line {
  const text = Buffer.concat(line.parts).toString("utf8").replace(/\r$/, "")
  const isCut = line.sizeBytes > line.keptBytes
  return isCut ? { kind: "cut", text, sizeBytes: line.sizeBytes } : { kind: "line", text }
}

/** Reads a stream to its end and keeps only the last of it, by whole lines. */
export async function keepTail(
  chunks: AsyncIterable<Uint8Array>,
  tail: { text: string },
  mostBytes: number,
): Promise<void> {
  let kept = Buffer.alloc(0)
  for await (const chunk of untilBroken(chunks)) {
    kept = Buffer.concat([kept, chunk])
    // One byte more tells whether what is kept begins with a line.
    kept = Buffer.from(kept.subarray(Math.max(0, kept.length - mostBytes - 1)))
    const text = kept.toString("utf8")
    tail.text = kept.length > mostBytes ? withoutTornStart(text) : text
  }
}
