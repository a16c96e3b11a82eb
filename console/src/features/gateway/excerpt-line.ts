const MOST_OF_LINE = 200
const MOST_BEFORE = 24

export function excerptLine(text: string, find: string): string {
  const match = find.trim() === "" ? null : markOf(find.trim()).exec(text)
  if (match === null) return text.trimStart().slice(0, MOST_OF_LINE).split("\n")[0] ?? ""
  const from = text.lastIndexOf("\n", match.index) + 1
  const end = text.indexOf("\n", match.index)
  const line = text.slice(from, end < 0 ? undefined : end)
  const column = match.index - from
  if (column <= MOST_BEFORE) return line.trimStart().slice(0, MOST_OF_LINE)
  const start = column - MOST_BEFORE
  return `…${line.slice(start, start + MOST_OF_LINE)}`
}

export function markOf(find: string): RegExp {
  const words = find.split(/\s+/).map((it) => it.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&"))
  return new RegExp(`(${words.join("|")})`, "giu")
}
