import { withoutHiddenCharacters } from "#ground/base"
import { type Redact, redactKeepingLines } from "#ground/secrets"
import { createOutline, type Link, type ReadDocument } from "./outline.ts"

/** A line of a document whose file is not text. Its structure is known before secrets are replaced. */
export type ExtractedLine = {
  readonly text: string
  readonly page: number | null
  /** Level of a heading, 0 for text. */
  readonly level: number
  readonly isStart: boolean
  /** A row of a table or an item of a list, which keeps its own line. */
  readonly isRow?: boolean
  readonly anchors?: readonly string[]
  readonly links?: readonly Link[]
}

export type Extraction =
  | {
      readonly kind: "extracted"
      readonly title: string | undefined
      readonly lines: readonly ExtractedLine[]
      /** Names pages that have no text or were not read. */
      readonly note?: string | undefined
    }
  | { readonly kind: "skipped"; readonly reason: string }

/** The text in which a secret may span several lines. */
export function textOfLines(lines: readonly ExtractedLine[]): string {
  return lines.map((it) => it.text.replaceAll(/[\r\n\u2028\u2029]+/g, " ")).join("\n")
}

export function readExtracted(
  { title, lines }: Pick<Extract<Extraction, { kind: "extracted" }>, "title" | "lines">,
  redact: Redact,
): ReadDocument {
  const clean = redactKeepingLines(withoutHiddenCharacters(textOfLines(lines)), redact)
  const texts = clean.split("\n")
  const outline = createOutline()
  let block: { readonly line: ExtractedLine; readonly text: string; readonly number: number }[] = []
  let page: number | null = null
  let number = 0

  const flush = (): void => {
    const first = block[0]
    if (first === undefined) return
    const links = block.flatMap((it) => it.line.links ?? [])
    outline.block({ text: joined(block), line: first.number, page: first.line.page, links })
    block = []
  }

  for (const [at, line] of lines.entries()) {
    const isNewPage = line.page !== page
    number = isNewPage ? 1 : number + 1
    page = line.page
    if (line.level > 0 || line.isStart) flush()
    if (isNewPage && page !== null) outline.anchor(`page=${page}`)
    for (const name of line.anchors ?? []) outline.anchor(name)
    const text = (texts[at] ?? "").trim()
    if (line.level > 0) outline.heading(line.level, text)
    else if (text !== "") block.push({ line, text, number })
  }
  flush()
  return outline.done({ title })
}

type Piece = { readonly line: ExtractedLine; readonly text: string }

/** A word divided at the end of a line becomes whole again. */
function joined(block: readonly Piece[]): string {
  let text = ""
  for (const { line, text: next } of block) {
    if (text === "") text = next
    else if (line.isRow === true) text = `${text}\n${next}`
    else if (/\p{Ll}[-\u00ad]$/u.test(text) && /^\p{Ll}/u.test(next))
      text = text.slice(0, -1) + next
    else text = `${text} ${next}`
  }
  return text
}
