import { oneLine, withoutHiddenCharacters } from "#ground/base"
import type { KbDocument } from "#ground/contract"
import { type Redact, redactKeepingLines } from "#ground/secrets"
import { numberOfHeading } from "../references/section-numbers.ts"
import { readHtml } from "./html.ts"
import { readMarkdown } from "./markdown.ts"
import { type Block, createOutline, type ReadDocument } from "./outline.ts"

export type Format = KbDocument["format"]

const FORMATS: Readonly<Record<string, Format>> = {
  md: "markdown",
  markdown: "markdown",
  html: "html",
  htm: "html",
  txt: "text",
  text: "text",
  pdf: "pdf",
  docx: "docx",
}

/** Formats whose text is parsed as it is; the others are extracted first. */
export type TextFormat = Exclude<Format, "pdf" | "docx" | "code">

export function isTextFormat(format: Format): format is TextFormat {
  return format !== "code" && !isBinaryFormat(format)
}

export function isBinaryFormat(format: Format): format is "pdf" | "docx" {
  return format === "pdf" || format === "docx"
}

export function formatOf(name: string): Format | undefined {
  const extension = /\.([A-Za-z]{1,10})$/.exec(name)?.[1]?.toLowerCase() ?? ""
  return Object.hasOwn(FORMATS, extension) ? FORMATS[extension] : undefined
}

type Outcome =
  | { readonly kind: "read"; readonly document: ReadDocument }
  | { readonly kind: "skipped"; readonly reason: string }

/**
 * Redacts the file, because a secret may span paragraphs, and again the parsed text, because HTML can
 * encode one.
 */
export function readDocument(text: string, format: TextFormat, redact: Redact): Outcome {
  const clean = redactKeepingLines(withoutHiddenCharacters(text.replace(/\r\n?/g, "\n")), redact)
  const read = readAs(clean, format)
  if (read === undefined) return { kind: "skipped", reason: "an HTML tag has too many attributes" }
  return { kind: "read", document: format === "html" ? cleanedAgain(read, redact) : read }
}

function readAs(text: string, format: TextFormat): ReadDocument | undefined {
  switch (format) {
    case "markdown":
      return readMarkdown(text)
    case "html":
      return readHtml(text)
    case "text":
      return readText(text)
    default:
      return format satisfies never
  }
}

export function cleanedAgain(read: ReadDocument, redact: Redact): ReadDocument {
  const clean = (text: string): string => redact(withoutHiddenCharacters(text)).text
  const block = (it: Block): Block => ({
    ...it,
    text: clean(it.text),
    headings: it.headings.map(clean),
    anchors: it.anchors.map(clean),
    links: it.links.map(({ target, words }) => ({ target: clean(target), words: clean(words) })),
  })
  const { title } = read
  return {
    ...read,
    title: title === undefined ? undefined : clean(title),
    blocks: read.blocks.map(block).filter((it) => it.text.trim() !== ""),
  }
}

function readText(text: string): ReadDocument {
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

function titleOf([line = "", ...more]: readonly string[]) {
  const text = line.trim()
  const isTitle =
    more.length === 0 && text.length <= LONGEST_HEADING_LINE && /[^.,;:!?]$/.test(text)
  return isTitle ? { level: 1, text } : undefined
}

/** Columns and items keep their lines; prose does not. */
function joined(block: readonly string[]): string {
  const isShaped = block.some((it) =>
    /\S {3,}\S|\t\S|^\s*(?:[-*•]|\d{1,3}[.)])\s/.test(it.slice(0, 500)),
  )
  return isShaped ? block.map((it) => it.trim()).join("\n") : oneLine(block.join(" "))
}
