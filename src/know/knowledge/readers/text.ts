import { numberOfHeading } from "../numbers.ts"
import { createOutline, oneLine, type ReadDocument } from "./outline.ts"

/** Paragraphs between blank lines. A heading is a short line alone: numbered, underlined, in capitals. */
export function readText(text: string): ReadDocument {
  const outline = createOutline()
  let block: string[] = []
  let begins = 1
  let isFirst = true

  const flush = (): void => {
    const heading = headingOf(block) ?? (isFirst ? titleOf(block) : undefined)
    if (block.length > 0) isFirst = false
    if (heading !== undefined) outline.heading(heading.level, heading.text)
    else outline.block({ text: joined(block), line: begins })
    block = []
  }

  for (const [at, line] of text.split("\n").entries()) {
    if (line.trim() === "") {
      flush()
      continue
    }
    if (block.length === 0) begins = at + 1
    block.push(line)
  }
  flush()
  return outline.done({})
}

const LONGEST_HEADING_LINE = 100

function headingOf(block: readonly string[]) {
  const [line = "", below = "", ...more] = block
  const text = line.trim()
  if (more.length > 0 || text.length > LONGEST_HEADING_LINE || text === "") return undefined
  if (/^={3,}$/.test(below.trim())) return { level: 1, text }
  if (/^-{3,}$/.test(below.trim())) return { level: 2, text }
  if (below !== "" || /[.,;:]$/.test(text)) return undefined
  const number = numberOfHeading(text)
  if (number !== null) return { level: 2 + number.split(".").length - 1, text }
  const isLoud = /\p{Lu}{2}/u.test(text) && !/\p{Ll}/u.test(text)
  return isLoud ? { level: 1, text } : undefined
}

/** What stands first and alone, and is no sentence. */
function titleOf([line = "", ...more]: readonly string[]) {
  const text = line.trim()
  const isTitle =
    more.length === 0 && text.length <= LONGEST_HEADING_LINE && /[^.,;:!?]$/.test(text)
  return isTitle ? { level: 1, text } : undefined
}

/** Columns and items keep their lines, and prose does not. */
function joined(block: readonly string[]): string {
  const isShaped = block.some((it) =>
    /\S {3,}\S|\t\S|^\s*(?:[-*•]|\d{1,3}[.)])\s/.test(it.slice(0, 500)),
  )
  return isShaped ? block.map((it) => it.trim()).join("\n") : oneLine(block.join(" "))
}
