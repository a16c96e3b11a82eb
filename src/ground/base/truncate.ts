/** The first `maxLength` UTF-16 units, or one less where that would split a surrogate pair. */
export function sliceText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  return text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, "")
}

/** At most `maxLength` UTF-16 units, the last of them an ellipsis when text was dropped. */
export function truncate(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${sliceText(text, maxLength - 1)}…`
}

/** Truncates between characters. Well-formed text only. */
export function sliceBytes(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes))
  return text.slice(0, read)
}

export function oneLine(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  // Four times as much covers usual indentation and bounds the work on a long text.
  const line = text
    .slice(0, maxLength * 4)
    .replace(/\s+/g, " ")
    .trim()
  return truncate(line, maxLength)
}

export function firstLine(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  const start = text.trimStart()
  const end = start.indexOf("\n")
  return truncate((end < 0 ? start : start.slice(0, end)).trimEnd(), maxLength)
}
