import { LONGEST_TRANSCRIPT_LINE_BYTES } from "../limits.ts"

export type TextLine = {
  /** Undefined when the line is too long to look at. */
  readonly text: string | undefined
  /** The offset after its newline. */
  readonly end: number
}

const NEWLINE = 0x0a

/** The lines that have an end; a host may still be writing the last one. */
export function* wholeLines(bytes: Buffer): Generator<TextLine> {
  let from = 0
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, from)) {
    const isShort = at - from <= LONGEST_TRANSCRIPT_LINE_BYTES
    const end = at + 1
    yield { text: isShort ? bytes.toString("utf8", from, at) : undefined, end }
    from = end
  }
}
