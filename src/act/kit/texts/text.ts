import { BlockDamaged } from "../errors.ts"

export type Editor = {
  /** Whether our part is recognizable in the text; otherwise only the manifest knows it. */
  readonly isKnownByItself: boolean
  /** `undefined` means no file. Throws if the text cannot be edited. */
  add(text: string | undefined): string
  /**
   * Returns the same text if nothing of ours is in it, `undefined` if nothing would be left.
   * `before` is the original text, if known.
   */
  strip(text: string, before: string | undefined): string | undefined
}

const BYTE_ORDER_MARK = "\uFEFF"

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

/** Several parts of one file; the last added is stripped first. */
export function allOf(editors: readonly Editor[]): Editor {
  return {
    isKnownByItself: editors.some((it) => it.isKnownByItself),
    add(text) {
      const [first, ...others] = editors
      const start = first?.add(text) ?? text ?? ""
      return others.reduce((after, it) => it.add(after), start)
    },
    strip(text, before) {
      let after: string | undefined = text
      for (const editor of editors.toReversed()) {
        if (after === undefined) return undefined
        after = editor.strip(after, before)
      }
      return after
    },
  }
}

function splitMark(text: string): { readonly mark: string; readonly rest: string } {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ""
  return { mark, rest: text.slice(mark.length) }
}

export function lineEndOf(text: string): "\r\n" | "\n" {
  const first = text.indexOf("\n")
  return first > 0 && text[first - 1] === "\r" ? "\r\n" : "\n"
}

const BEGIN = "<!-- qm:begin"
const END = "<!-- qm:end -->"

export function blockEditor(file: {
  readonly path: string
  readonly lines: readonly string[]
}): Editor {
  return withMark({
    isKnownByItself: true,
    add(text) {
      const lineEnd = lineEndOf(text ?? "")
      const head = `${BEGIN}: written by Quartermaster; edit outside of it, qm uninstall removes it -->`
      const block = [head, ...file.lines, END].join(lineEnd) + lineEnd
      if (text === undefined || text === "") return block
      const marked = findBlock(file.path, text)
      if (marked !== undefined) return text.slice(0, marked.start) + block + text.slice(marked.end)
      const gap = text.endsWith("\n") ? lineEnd : lineEnd + lineEnd
      return text + gap + block
    },
    strip(text, before) {
      const block = findBlock(file.path, text)
      if (block === undefined) return text
      const head = text.slice(0, block.start)
      const tail = text.slice(block.end)
      // Removes the blank line that we inserted, except where it separates texts of the user.
      const rest = tail === "" ? head.replace(/\r?\n$/, "") + tail : head + tail
      return rest.trim() === "" && before === undefined ? undefined : rest
    },
  })
}

type TextRange = { readonly start: number; readonly end: number }

function findBlock(file: string, text: string): TextRange | undefined {
  const start = text.indexOf(BEGIN)
  const close = text.indexOf(END)
  if (start === -1 && close === -1) return undefined
  const isPaired =
    start !== -1 &&
    close > start &&
    text.indexOf(BEGIN, start + 1) === -1 &&
    text.indexOf(END, close + 1) === -1
  if (!isPaired) throw BlockDamaged({ path: file })
  const after = close + END.length
  return { start, end: after + (/^\r?\n/.exec(text.slice(after))?.[0].length ?? 0) }
}
