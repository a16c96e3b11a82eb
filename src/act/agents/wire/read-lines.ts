import { withoutTornStart } from "./live-output.ts"

export type Line =
  | { readonly kind: "line"; readonly text: string }
  | { readonly kind: "cut"; readonly text: string; readonly sizeBytes: number }

const NEWLINE = 0x0a

/**
 * Invalid UTF-8 becomes replacement characters; of a line over the limit only the beginning is
 * stored. Reads no faster than the consumer.
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  // A host's longest real line is a tool result of a few hundred kB.
  maxLineBytes: number = 1024 * 1024,
): AsyncGenerator<Line> {
  let line = createLine(maxLineBytes)
  for await (const chunk of untilBroken(chunks)) {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      line.add(chunk.subarray(from, at))
      if (!line.isEmpty()) yield line.result()
      line = createLine(maxLineBytes)
      from = at + 1
    }
    line.add(chunk.subarray(from))
  }
  if (!line.isEmpty()) yield line.result()
}

async function* untilBroken(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks
  } catch {
    // A broken pipe ends the output; the exit of the child shows why it broke.
  }
}

function createLine(maxBytes: number) {
  const parts: Uint8Array[] = []
  let heldBytes = 0
  let sizeBytes = 0
  return {
    isEmpty: () => sizeBytes === 0,
    add(bytes: Uint8Array): void {
      const held = bytes.subarray(0, maxBytes - heldBytes)
      if (held.length > 0) parts.push(held)
      heldBytes += held.length
      sizeBytes += bytes.length
    },
    result(): Line {
      const text = Buffer.concat(parts).toString("utf8").replace(/\r$/, "")
      return sizeBytes > heldBytes ? { kind: "cut", text, sizeBytes } : { kind: "line", text }
    },
  }
}

export async function readTail(
  chunks: AsyncIterable<Uint8Array>,
  tail: { text: string },
  maxBytes: number,
): Promise<void> {
  let buffer = Buffer.alloc(0)
  for await (const chunk of untilBroken(chunks)) {
    buffer = Buffer.concat([buffer, chunk])
    // One more byte shows whether the stored part begins at a line start.
    buffer = Buffer.from(buffer.subarray(Math.max(0, buffer.length - maxBytes - 1)))
    const text = buffer.toString("utf8")
    tail.text = buffer.length > maxBytes ? withoutTornStart(text) : text
  }
}
