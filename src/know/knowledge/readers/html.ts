import { type Token, type TokenHandler, Tokenizer, TokenizerMode } from "parse5"
import { oneLine } from "#ground/base"
import { createOutline, type Link, type ReadDocument } from "./outline.ts"

const HTML_STEP_UNITS = 16_384

/** The tokenizer compares names of attributes pairwise, in quadratic time. */
const MOST_ATTRIBUTES = 1_000

/**
 * By tokens without a tree: a million open tags would make a tree in quadratic time. Undefined for a page
 * with too many attributes on a tag.
 */
export function readHtml(text: string): ReadDocument | undefined {
  const page = newPage()
  const handler = handlerOf(page, (mode) => {
    tokenizer.state = mode
  })
  const tokenizer = new BoundedTokenizer({ sourceCodeLocationInfo: true }, handler)
  for (let at = 0; at < text.length; at += HTML_STEP_UNITS) {
    const isLast = at + HTML_STEP_UNITS >= text.length
    tokenizer.write(text.slice(at, at + HTML_STEP_UNITS), isLast)
    if (tokenizer.attributesNow() > MOST_ATTRIBUTES) return undefined
  }
  return doneWith(page)
}

/** The package compares each attribute with all before it, so this checks the count between steps. */
class BoundedTokenizer extends Tokenizer {
  attributesNow(): number {
    const token = this.currentToken
    return token !== null && "attrs" in token ? token.attrs.length : 0
  }
}

type Mode = (typeof TokenizerMode)[keyof typeof TokenizerMode]

const RAW: ReadonlyMap<string, Mode> = new Map([
  ["script", TokenizerMode.SCRIPT_DATA],
  ["style", TokenizerMode.RAWTEXT],
  ["noframes", TokenizerMode.RAWTEXT],
  ["iframe", TokenizerMode.RAWTEXT],
  ["xmp", TokenizerMode.RAWTEXT],
  ["noembed", TokenizerMode.RAWTEXT],
  ["textarea", TokenizerMode.RCDATA],
  ["title", TokenizerMode.RCDATA],
])

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "))

const DROPPED = words(
  "script style nav template noscript svg math iframe object canvas textarea select button noframes noembed",
)
const BLOCKS = words(
  "address article aside blockquote body dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html li main ol p pre section summary table tbody td tfoot th thead tr ul",
)
const WHOLE = words("table pre ul ol dl")
const LINES = words("tr li dt dd p br div")

/** Begins the line of a definition, which is written behind its term: "Hawser: mooring rope". */
const DEFINITION_MARK = "\u0002"
const CELLS = words("td th")

const LONGEST_TITLE_UNITS = 1_000

type Page = {
  readonly outline: ReturnType<typeof createOutline>
  title: string | undefined
  isTitle: boolean
  /** An array, because repeated joining takes quadratic time. */
  pieces: string[]
  line: number
  links: Link[]
  link: { readonly target: string; readonly from: number } | undefined
  heading: number | undefined
  /** The dropped or whole element, with the number of open elements of that name. */
  dropped: NestedElement | undefined
  whole: NestedElement | undefined
}
type NestedElement = { readonly name: string; depth: number }

function newPage(): Page {
  return {
    outline: createOutline(),
    title: undefined,
    isTitle: false,
    pieces: [],
    line: 0,
    links: [],
    link: undefined,
    heading: undefined,
    dropped: undefined,
    whole: undefined,
  }
}

function handlerOf(page: Page, setMode: (mode: Mode) => void): TokenHandler {
  const ignore = (): void => undefined
  return {
    onStartTag(tag) {
      const mode = RAW.get(tag.tagName)
      if (mode !== undefined) setMode(mode)
      open(page, tag)
    },
    onEndTag: (tag) => close(page, tag.tagName),
    onCharacter: ({ chars, location }) => say(page, chars, location?.startLine),
    onWhitespaceCharacter: ({ chars }) => say(page, chars),
    onNullCharacter: ignore,
    onComment: ignore,
    onDoctype: ignore,
    onEof: ignore,
  }
}

function open(page: Page, tag: Token.TagToken): void {
  const { tagName: name, selfClosing } = tag
  if (page.dropped !== undefined) {
    if (page.dropped.name === name && !selfClosing) page.dropped.depth++
    return
  }
  if (name === "title") page.isTitle = true
  if (DROPPED.has(name)) {
    if (!selfClosing) page.dropped = { name, depth: 1 }
    return
  }
  if (page.whole === undefined) begin(page, name)
  else goOn(page, page.whole, name)
  const id = attribute(tag, "id") ?? (name === "a" ? attribute(tag, "name") : undefined)
  if (id !== undefined) page.outline.anchor(id)
  const target = name === "a" ? attribute(tag, "href") : undefined
  if (target === undefined) return
  endLink(page)
  page.link = { target, from: page.pieces.length }
}

function begin(page: Page, name: string): void {
  if (name === "br") page.pieces.push(" ")
  if (!BLOCKS.has(name)) return
  flush(page)
  if (WHOLE.has(name)) page.whole = { name, depth: 1 }
  const [, level] = /^h([1-6])$/.exec(name) ?? []
  if (level !== undefined) page.heading = Number(level)
}

function goOn(page: Page, whole: NestedElement, name: string): void {
  if (whole.name === name) whole.depth++
  if (LINES.has(name)) page.pieces.push(name === "dd" ? `\n${DEFINITION_MARK}` : "\n")
  else if (CELLS.has(name) && page.pieces.at(-1) !== "\n") page.pieces.push(" | ")
}

function close(page: Page, name: string): void {
  const { dropped, whole } = page
  if (dropped !== undefined) {
    if (dropped.name === name && --dropped.depth === 0) page.dropped = undefined
    return
  }
  if (name === "title") page.isTitle = false
  if (name === "a") endLink(page)
  const isEnd = whole === undefined ? BLOCKS.has(name) : whole.name === name && --whole.depth === 0
  if (!isEnd) return
  flush(page)
  page.whole = undefined
}

function say(page: Page, chars: string, line?: number): void {
  if (page.dropped !== undefined) return
  if (page.isTitle) {
    page.title = `${page.title ?? ""}${chars}`.slice(0, LONGEST_TITLE_UNITS)
    return
  }
  if (page.line === 0 && line !== undefined) page.line = line
  page.pieces.push(chars)
}

function endLink(page: Page): void {
  const { link } = page
  page.link = undefined
  if (link === undefined) return
  const words = oneLine(page.pieces.slice(link.from).join(""))
  if (words !== "") page.links.push({ target: link.target, words })
}

function flush(page: Page): void {
  endLink(page)
  const { outline, heading, line, links, whole } = page
  const raw = page.pieces.join("")
  const text = whole === undefined ? oneLine(raw) : linesOf(raw, whole.name)
  if (heading === undefined) outline.block({ text, line: Math.max(1, line), links })
  else outline.heading(heading, text)
  page.pieces = []
  page.line = 0
  page.links = []
  page.heading = undefined
}

/** The only top heading is the title; the `<title>` of a page also names the site. */
function doneWith(page: Page): ReadDocument {
  flush(page)
  const read = page.outline.done({})
  const title = oneLine(page.title ?? "")
  return read.title === undefined && title !== "" ? { ...read, title } : read
}

function attribute(tag: Token.TagToken, name: string): string | undefined {
  return tag.attrs.find((it) => it.name === name)?.value
}

function linesOf(text: string, name: string): string {
  if (name === "pre") return text.replace(/^\n+/, "").trimEnd()
  const lines: string[] = []
  for (const line of text.split("\n").map((it) => oneLine(it))) {
    const [before = ""] = lines.slice(-1)
    const definition = line.startsWith(DEFINITION_MARK) ? line.slice(1).trimStart() : undefined
    if (definition === undefined) lines.push(line)
    else if (before === "" || before.includes(": ")) lines.push(definition)
    else lines.splice(-1, 1, `${before}: ${definition}`)
  }
  return lines.filter((it) => it !== "").join("\n")
}
