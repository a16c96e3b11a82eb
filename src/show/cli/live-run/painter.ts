/**
 * Rows that stay, and below them a few that are drawn anew in place. Without a terminal only the
 * first exist, and nothing is written that is not text.
 */
export type Painter = {
  /** Adds rows that stay, and puts others below them in place of those that stood there. */
  draw(stay: readonly string[], live: readonly string[]): void
}

export function plainPainter(write: (text: string) => void): Painter {
  return {
    draw: (stay) => {
      if (stay.length > 0) write(linesOf(stay))
    },
  }
}

/** One write for each change: a terminal that shows half of it would flicker. */
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

/** To the first live row and away with all below; the cursor stands at the end of the last. */
function erase(rows: number): string {
  if (rows === 0) return ""
  return rows === 1 ? "\r\u001b[J" : `\r\u001b[${rows - 1}A\u001b[J`
}
