/** How a shared file is edited: pure, and so that what was added can be taken out again. */
export type Editor = {
  /** Whether ours is told from theirs by looking at it; else only the manifest tells. */
  readonly isKnownByItself: boolean
  /** With ours in it. `undefined` is no file. Throws what cannot be edited. */
  add(text: string | undefined): string
  /**
   * Without ours; the same text when nothing of ours is in it, `undefined` when nothing at all would
   * be left. `before` is the text as it was before us, if that is known.
   */
  strip(text: string, before: string | undefined): string | undefined
}

const BYTE_ORDER_MARK = "\uFEFF"

/** The mark at the head is no part of the text, and stays where it is. */
export function withMark(editor: Editor): Editor {
  return {
    isKnownByItself: editor.isKnownByItself,
    add(text) {
      const { mark, rest } = splitMark(text ?? "")
      return mark + editor.add(text === undefined ? undefined : rest)
    },
    strip(text, before) {
      const { mark, rest } = splitMark(text)
      const stripped = editor.strip(rest, before === undefined ? before : splitMark(before).rest)
      return stripped === undefined ? undefined : mark + stripped
    },
  }
}

function splitMark(text: string): { readonly mark: string; readonly rest: string } {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ""
  return { mark, rest: text.slice(mark.length) }
}

/** The line ends that a text has; those of its first line. */
export function lineEndOf(text: string): "\r\n" | "\n" {
  const first = text.indexOf("\n")
  return first > 0 && text[first - 1] === "\r" ? "\r\n" : "\n"
}
