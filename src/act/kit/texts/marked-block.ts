import { BlockDamaged } from "../errors.ts"
import { type Editor, lineEndOf, withMark } from "./text.ts"

const BEGIN = "<!-- qm:begin"
const END = "<!-- qm:end -->"

/** A block of ours in a text of theirs; what is outside of the marks is never touched. */
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
      const found = findBlock(file.path, text)
      if (found !== undefined) return text.slice(0, found.start) + block + text.slice(found.end)
      const gap = text.endsWith("\n") ? lineEnd : lineEnd + lineEnd
      return text + gap + block
    },
    strip(text, before) {
      const found = findBlock(file.path, text)
      if (found === undefined) return text
      const head = text.slice(0, found.start)
      const tail = text.slice(found.end)
      // The line between, that we put there; where something follows, it parts their texts.
      const rest = tail === "" ? head.replace(/\r?\n$/, "") + tail : head + tail
      return rest.trim() === "" && before === undefined ? undefined : rest
    },
  })
}

type Found = { readonly start: number; readonly end: number }

function findBlock(file: string, text: string): Found | undefined {
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
