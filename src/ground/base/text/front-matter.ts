type FrontMatter = {
  readonly opening: string
  readonly head: string
  /** From the closing line on. */
  readonly rest: string
  /** After the closing line, with `\n` as line end. */
  readonly body: string
  readonly newline: string
}

/**
 * The parts of a text that starts with a block between two lines of `---`; undefined without one,
 * or if its head is longer than `maxHeadUnits`.
 */
export function sliceFrontMatter(text: string, maxHeadUnits: number): FrontMatter | undefined {
  const opening = /^---[ \t]*(\r?\n)/.exec(text)
  if (opening === null) return undefined
  const start = opening[0].length
  const closing = /^---[ \t]*\r?$/m.exec(text.slice(start, start + maxHeadUnits))
  if (closing === null) return undefined
  const end = start + closing.index
  return {
    opening: opening[0],
    head: text.slice(start, end),
    rest: text.slice(end),
    body: text.slice(end + closing[0].length).replaceAll("\r\n", "\n"),
    newline: opening[1] ?? "\n",
  }
}
