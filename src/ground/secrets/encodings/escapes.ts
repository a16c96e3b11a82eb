/** `\n`, `\"`, `\u0041`, `\x41` and `%41`. */
const ESCAPE = /\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|["'\\/bfnrt])|%[0-9a-fA-F]{2}/g
const LETTERS: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }

/**
 * Lines of a text that contain an escape, unescaped once; adjacent lines are one view. Other lines
 * read the same either way. Bytes above 127 stay bytes.
 */
export function* unescapedViews(text: string): Generator<View> {
  const escapes = new RegExp(ESCAPE)
  let match = escapes.exec(text)
  while (match !== null) {
    const view = createView(text, text.lastIndexOf("\n", match.index) + 1)
    let end = lineEnd(text, match.index)
    while (match !== null && isInOrBelow(text, end, match.index)) {
      if (match.index > end) end = lineEnd(text, match.index)
      view.add(match.index, match[0])
      match = escapes.exec(text)
    }
    yield view.close(end)
  }
}

function isInOrBelow(text: string, end: number, at: number): boolean {
  return at < end || text.lastIndexOf("\n", at) === end
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from)
  return end < 0 ? text.length : end
}

function createView(text: string, start: number) {
  const pieces: string[] = []
  const viewAt = [0]
  const sourceAt = [start]
  let length = 0
  let copied = start
  const place = (index: number): number => {
    const piece = lastAtMost(viewAt, index)
    return (sourceAt[piece] ?? 0) + index - (viewAt[piece] ?? 0)
  }
  return {
    add(at: number, escape: string): void {
      pieces.push(text.slice(copied, at), meaningOf(escape))
      length += at - copied + 1
      copied = at + escape.length
      viewAt.push(length)
      sourceAt.push(copied)
    },
    close(end: number): View {
      pieces.push(text.slice(copied, end))
      return {
        text: pieces.join(""),
        source: (from, to) => ({ start: place(from), end: place(to) }),
      }
    },
  }
}

function meaningOf(escape: string): string {
  const letter = escape.charAt(1)
  if (escape.length === 2) return LETTERS[letter] ?? letter
  const digits = escape.startsWith("%") ? escape.slice(1) : escape.slice(2)
  return String.fromCharCode(Number.parseInt(digits, 16))
}

export type View = {
  readonly text: string
  source(start: number, end: number): { readonly start: number; readonly end: number }
}

export function lastAtMost(rising: readonly number[], limit: number): number {
  let low = 0
  let high = rising.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((rising[middle] ?? 0) <= limit) low = middle
    else high = middle - 1
  }
  return low
}
