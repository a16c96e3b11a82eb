/**
 * Permanent rows, and below them a few that are redrawn in place. Without a terminal only permanent
 * rows are written, as plain text.
 */
export type Painter = {
  /** Adds permanent rows, and replaces the rows in place. */
  draw(stay: readonly string[], live: readonly string[]): void
}

export function plainPainter(write: (text: string) => void): Painter {
  return {
    draw: (stay) => {
      if (stay.length > 0) write(linesOf(stay))
    },
  }
}

/** One write per change, so that the terminal does not flicker. */
export function livePainter(write: (text: string) => void): Painter {
  let drawn: readonly string[] = []
  return {
    draw(stay, live) {
      const isSame = stay.length === 0 && live.join("\n") === drawn.join("\n")
      if (isSame) return
      write(`${erase(drawn.length)}${linesOf(stay)}${live.join("\n")}`)
      drawn = live
    },
  }
}

function linesOf(rows: readonly string[]): string {
  return rows.map((row) => `${row}\n`).join("")
}

/**
 * Moves to the first live row and erases everything below; the cursor is at the end of the last
 * row.
 */
function erase(rows: number): string {
  if (rows === 0) return ""
  return rows === 1 ? "\r\u001b[J" : `\r\u001b[${rows - 1}A\u001b[J`
}
