import type { CitationField, KbParagraph } from "#ground/contract"

const DEFAULT_FORMAT = "{citation}[, p. {page}]"

/** A part in brackets is left out if one of its fields is empty. */
export function formatCitation(
  paragraph: Pick<KbParagraph, "citation" | "title" | "number" | "headings" | "page" | "path">,
  format = DEFAULT_FORMAT,
): string {
  const fields: Readonly<Record<CitationField, string>> = {
    citation: paragraph.citation,
    title: paragraph.title,
    number: paragraph.number ?? "",
    heading: paragraph.headings.at(-1) ?? "",
    page: paragraph.page === null ? "" : String(paragraph.page),
    path: paragraph.path,
  }
  const fill = (text: string): string =>
    text.replaceAll(FIELD, (_, name: string) => fieldOf(fields, name))
  const isComplete = (text: string): boolean =>
    [...text.matchAll(FIELD)].every((it) => fieldOf(fields, it[1] ?? "") !== "")
  const shown = format.replaceAll(/\[([^[\]]*)\]|[^[\]]+/g, (text, part?: string) => {
    if (part === undefined) return fill(text)
    return isComplete(part) ? fill(part) : ""
  })
  return shown.trim() === "" ? paragraph.citation : shown.trim()
}

const FIELD = /\{([a-z]+)\}/g

function fieldOf(fields: Readonly<Record<string, string>>, name: string): string {
  return Object.hasOwn(fields, name) ? (fields[name] ?? "") : ""
}
