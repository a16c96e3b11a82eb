import type { ExtractedLine, Extraction } from "../document-lines.ts"
import type { Link } from "../outline.ts"
import { type Numbering, type NumberSource, readNumbering } from "./list-numbers.ts"
import { type XmlToken, xmlTokens } from "./xml.ts"
import { openZip } from "./zip.ts"

/** Text, headings, numbers, lists, tables, bookmarks and links of the main part. Notes, headers and deleted text are left out. */
export function readDocx(bytes: Buffer): Extraction {
  const zip = openZip(bytes)
  if (zip.kind === "refused") return { kind: "skipped", reason: zip.reason }
  let main: string | undefined
  try {
    main = zip.part("word/document.xml")
  } catch {
    return { kind: "skipped", reason: "a DOCX file whose text is encrypted, damaged or too large" }
  }
  if (main === undefined) return { kind: "skipped", reason: "a zip file, but not a DOCX file" }
  const optional = (name: string): string | undefined => {
    try {
      return zip.part(name)
    } catch {
      return undefined
    }
  }
  const styles = readStyles(optional("word/styles.xml") ?? "")
  const number = readNumbering(optional("word/numbering.xml"))
  const targets = readTargets(optional("word/_rels/document.xml.rels") ?? "")
  const lines = readBody(main, { styles, number, targets })
  if (lines.every((it) => it.text.trim() === "")) {
    return { kind: "skipped", reason: "a DOCX file without text" }
  }
  return { kind: "extracted", title: titleOf(optional("docProps/core.xml"), lines), lines }
}

type Style = { readonly level: number; readonly source: NumberSource | undefined }

const TITLE_LEVEL = 1

/** By the name of the style, which is the same in all languages of Word, or its outline level. */
function readStyles(xml: string): ReadonlyMap<string, Style> {
  const styles = new Map<string, Style>()
  let id = ""
  let level = 0
  let list: string | undefined
  let depth = 0
  for (const token of xmlTokens(xml)) {
    if (token.kind === "close" && token.name === "w:style") {
      styles.set(id, { level, source: list === undefined ? undefined : { list, level: depth } })
    }
    if (token.kind !== "open") continue
    const value = token.attribute("w:val") ?? ""
    if (token.name === "w:style") {
      id = token.attribute("w:styleId") ?? ""
      level = 0
      list = undefined
      depth = 0
    } else if (token.name === "w:name") level = levelOfName(value)
    else if (token.name === "w:outlineLvl" && level === 0) level = levelOfOutline(value)
    else if (token.name === "w:numId") list = value
    else if (token.name === "w:ilvl") depth = Number(value) || 0
  }
  return styles
}

/** Level 1 is the title of the document, so that headings are below it. */
function levelOfName(name: string): number {
  if (/^title$/i.test(name)) return TITLE_LEVEL
  const [, number] = /^heading ([1-9])$/i.exec(name) ?? []
  return number === undefined ? 0 : Math.min(Number(number) + 1, 6)
}

function levelOfOutline(value: string): number {
  const level = Number(value)
  return Number.isInteger(level) && level >= 0 && level < 9 ? Math.min(level + 2, 6) : 0
}

function readTargets(xml: string): ReadonlyMap<string, string> {
  const targets = new Map<string, string>()
  for (const token of xmlTokens(xml)) {
    if (token.kind !== "open" || token.name !== "Relationship") continue
    targets.set(token.attribute("Id") ?? "", token.attribute("Target") ?? "")
  }
  return targets
}

type Parts = {
  readonly styles: ReadonlyMap<string, Style>
  readonly number: Numbering
  readonly targets: ReadonlyMap<string, string>
}

type OpenParagraph = {
  text: string
  style: Style | undefined
  level: number
  list: string | undefined
  depth: number
  readonly anchors: string[]
  readonly links: Link[]
}

function newParagraph(): OpenParagraph {
  return { text: "", style: undefined, level: 0, list: undefined, depth: 0, anchors: [], links: [] }
}

/** A paragraph of a text box is inside another one, so they are stacked. */
function readBody(xml: string, parts: Parts): readonly ExtractedLine[] {
  const lines: ExtractedLine[] = []
  const open: OpenParagraph[] = []
  const cells: string[] = []
  let link: { readonly target: string; text: string } | undefined
  let tables = 0
  let rows = 0
  let isText = false
  let isInProperties = false

  const close = (): void => {
    const paragraph = open.pop()
    if (paragraph === undefined) return
    if (tables > 0) cells.push(paragraph.text.trim())
    else lines.push(...lineOf(paragraph, { ...parts, before: lines.at(-1) }))
  }

  const enter = (token: Extract<XmlToken, { kind: "open" }>): void => {
    const paragraph = open.at(-1)
    const value = token.attribute("w:val") ?? ""
    switch (token.name) {
      case "w:p":
        open.push(newParagraph())
        break
      case "w:tbl":
        if (tables++ === 0) rows = 0
        break
      case "w:pPr":
        isInProperties = true
        break
      case "w:t":
        isText = true
        break
      case "w:pStyle":
        if (paragraph !== undefined) paragraph.style = parts.styles.get(value)
        break
      case "w:outlineLvl":
        if (paragraph !== undefined) paragraph.level = levelOfOutline(value)
        break
      case "w:numId":
        if (paragraph !== undefined && isInProperties) paragraph.list = value
        break
      case "w:ilvl":
        if (paragraph !== undefined && isInProperties) paragraph.depth = Number(value) || 0
        break
      case "w:tab":
      case "w:br":
        if (paragraph !== undefined && !isInProperties) paragraph.text += " "
        break
      case "w:bookmarkStart":
        paragraph?.anchors.push(token.attribute("w:name") ?? "")
        break
      case "w:hyperlink":
        link = { target: linkTarget(token, parts.targets), text: "" }
        break
      default:
    }
  }

  const leave = (name: string): void => {
    if (name === "w:t") isText = false
    else if (name === "w:pPr") isInProperties = false
    else if (name === "w:p") close()
    else if (name === "w:hyperlink") {
      if (link !== undefined && link.target !== "") {
        open.at(-1)?.links.push({ target: link.target, words: link.text })
      }
      link = undefined
    } else if (name === "w:tr" && tables > 0) {
      const text = cells.splice(0).join(" | ")
      if (text.replaceAll(/[| ]/g, "") !== "") {
        lines.push({ text, page: null, level: 0, isStart: rows === 0, isRow: true })
        rows++
      }
    } else if (name === "w:tbl") tables--
  }

  for (const token of xmlTokens(xml)) {
    if (token.kind === "open") enter(token)
    else if (token.kind === "close") leave(token.name)
    else if (isText) {
      const paragraph = open.at(-1)
      if (paragraph !== undefined) paragraph.text += token.text
      if (link !== undefined) link.text += token.text
    }
  }
  return lines
}

function linkTarget(
  token: Extract<XmlToken, { kind: "open" }>,
  targets: ReadonlyMap<string, string>,
): string {
  const anchor = token.attribute("w:anchor")
  const target = targets.get(token.attribute("r:id") ?? "") ?? ""
  return anchor === undefined ? target : `${target}#${anchor}`
}

type LineParts = Parts & { readonly before: ExtractedLine | undefined }

function lineOf(
  { text, style, level: own, list, depth, anchors, links }: OpenParagraph,
  { number, before }: LineParts,
): readonly ExtractedLine[] {
  const shown = text.replaceAll(/\s+/g, " ").trim()
  // 0 switches the list of the style off.
  const source = list === undefined ? style?.source : { list, level: depth }
  const counted = shown === "" || source?.list === "0" || source === undefined ? undefined : source
  const numbered = counted === undefined ? undefined : number(counted)
  const level = own > 0 ? own : (style?.level ?? 0)
  const isItem = counted !== undefined && level === 0
  const label = numbered ?? (isItem ? "•" : "")
  const line = label === "" ? shown : `${label} ${shown}`
  // "4.2" is a paragraph of its own, "(a)" and "•" belong to the one before.
  const isRow = isItem && !/^\d{1,3}(?:\.\d{1,3})+/.test(label) && before?.level === 0
  return [{ text: line, page: null, level, isStart: !isRow, isRow, anchors, links }]
}

function titleOf(core: string | undefined, lines: readonly ExtractedLine[]): string | undefined {
  const own = lines.find((it) => it.level === TITLE_LEVEL)
  if (own !== undefined) return own.text
  let isTitle = false
  for (const token of xmlTokens(core ?? "")) {
    if (token.kind === "open") isTitle = token.name === "dc:title"
    else if (token.kind === "text" && isTitle && token.text.trim() !== "") return token.text.trim()
  }
  return undefined
}
