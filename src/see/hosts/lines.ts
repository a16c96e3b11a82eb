/** The line of one place after another, each no further up than the last: one way through a text. */
export function lineCounter(text: string): (at: number) => number {
  let line = 1
  let next = text.indexOf("\n")
  return (at) => {
    while (next !== -1 && next < at) {
      line += 1
      next = text.indexOf("\n", next + 1)
    }
    return line
  }
}
