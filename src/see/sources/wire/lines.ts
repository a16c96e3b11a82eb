const NEWLINE = 0x0a

/** Bytes to lines. It holds no more than one line of the largest size, and says so at the next byte. */
export function createLines(largestBytes: number) {
  let held: Buffer[] = []
  let heldBytes = 0
  function hold(part: Buffer): boolean {
    heldBytes += part.length
    if (heldBytes > largestBytes) {
      held = []
      return false
    }
    if (part.length > 0) held.push(part)
    return true
  }
  return {
    /** Whole lines, each handed on at once; false when one is too large, and nothing more is read. */
    take(chunk: Buffer, hear: (line: Buffer) => void): boolean {
      let from = 0
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        if (!hold(chunk.subarray(from, at))) return false
        const line = Buffer.concat(held)
        held = []
        heldBytes = 0
        from = at + 1
        hear(line)
      }
      return hold(chunk.subarray(from))
    },
  }
}
