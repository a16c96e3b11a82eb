import { withoutHiddenSigns } from "#ground/base"
import type { KbDocument } from "#ground/contract"
import { type Redact, redactKeepingLines } from "#ground/secrets"
import { readHtml } from "./html.ts"
import { readMarkdown } from "./markdown.ts"
import type { Block, ReadDocument } from "./outline.ts"
import { readText } from "./text.ts"

export type Format = KbDocument["format"]

const FORMATS: Readonly<Record<string, Format>> = {
  md: "markdown",
  markdown: "markdown",
  html: "html",
  htm: "html",
  txt: "text",
  text: "text",
}

/** By the end of its name; undefined for what we cannot read. */
export function formatOf(name: string): Format | undefined {
  const extension = /\.([A-Za-z]{1,10})$/.exec(name)?.[1]?.toLowerCase() ?? ""
  return Object.hasOwn(FORMATS, extension) ? FORMATS[extension] : undefined
}

type Outcome =
  | { readonly kind: "read"; readonly document: ReadDocument }
  | { readonly kind: "skipped"; readonly reason: string }

/**
 * Secrets are replaced in the file as it is, since one may go over several paragraphs, and again in
 * what was made of it, since HTML can spell one in ways that no secret has.
 */
export function readDocument(text: string, format: Format, redact: Redact): Outcome {
  const clean = redactKeepingLines(withoutHiddenSigns(text.replace(/\r\n?/g, "\n")), redact)
  const read = readAs(clean, format)
  if (read === undefined) return { kind: "skipped", reason: "a tag in it has too many attributes" }
  return { kind: "read", document: format === "html" ? cleanedAgain(read, redact) : read }
}

function readAs(text: string, format: Format): ReadDocument | undefined {
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

function cleanedAgain(read: ReadDocument, redact: Redact): ReadDocument {
  const clean = (text: string): string => redact(withoutHiddenSigns(text)).text
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
