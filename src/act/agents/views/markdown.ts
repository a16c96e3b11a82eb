import { Marked, type Token, type Tokens } from "marked"
import { visible } from "#ground/base"

/** Deeply nested quotes overflow the stack. */
const MAX_DEPTH_MARKDOWN = 30

/**
 * Uses only the lexer: every tag below is ours, and HTML in the text is shown as text. Text that
 * takes the lexer too long or nests too deep is shown as plain text.
 */
export function renderMarkdown(text: string): string {
  const isLong = text.length > 20_000 || marksIn(text) > 1_000
  if (isLong || TOO_DEEP.test(text)) return plainText(text)
  try {
    return blocks(LEXER.lexer(withPlainBreaks(text)), 0)
  } catch {
    return plainText(text)
  }
}

export function plainText(text: string): string {
  return `<pre class="plain">${escapeText(text)}</pre>`
}

/** Our own instance: extensions of the shared one do not apply. */
const LEXER = new Marked({ gfm: true })

/** Nested quotes: the lexer reads the rest of the text again for each level. */
const TOO_DEEP = new RegExp(`^(?:[ \\t]*>){${MAX_DEPTH_MARKDOWN}}`, "m")

function marksIn(text: string): number {
  return text.match(/[*_~]/g)?.length ?? 0
}

type TokenRenderer = (token: Token, depth: number) => string

function blocks(tokens: readonly Token[] | undefined, depth: number): string {
  return all(tokens, depth, block)
}

function inline(tokens: readonly Token[] | undefined, depth: number): string {
  return all(tokens, depth, inlineOne)
}

function all(tokens: readonly Token[] | undefined, depth: number, show: TokenRenderer): string {
  return (tokens ?? [])
    .map((it) => (depth > MAX_DEPTH_MARKDOWN ? asText(it) : show(it, depth)))
    .join("")
}

function asText(token: Token): string {
  return escapeText(token.raw)
}

function block(token: Token, depth: number): string {
  const inner = () => inline(childrenOf(token), depth + 1)
  switch (token.type) {
    case "space":
    case "def":
      return ""
    case "heading": {
      const level = Math.min(6, depthOf(token) + 2)
      return `<h${level}>${inner()}</h${level}>`
    }
    case "paragraph":
      return `<p>${inner()}</p>`
    case "code":
      return `<pre><code>${escapeText(textOf(token))}</code></pre>`
    case "blockquote":
      return `<blockquote>${blocks(childrenOf(token), depth + 1)}</blockquote>`
    case "hr":
      return "<hr>"
    case "list":
      return isList(token) ? list(token, depth) : asText(token)
    case "table":
      return isTable(token) ? table(token, depth) : asText(token)
    case "text":
      return childrenOf(token) === undefined ? asText(token) : inner()
    default:
      return inlineOne(token, depth)
  }
}

function inlineOne(token: Token, depth: number): string {
  const inner = () => inline(childrenOf(token), depth + 1)
  switch (token.type) {
    case "strong":
      return `<strong>${inner()}</strong>`
    case "em":
      return `<em>${inner()}</em>`
    case "del":
      return `<del>${inner()}</del>`
    case "codespan":
      return `<code>${escapeText(textOf(token))}</code>`
    case "br":
      return "<br>"
    case "escape":
    case "text":
      return childrenOf(token) === undefined ? escapeText(textOf(token)) : inner()
    case "link": {
      const address = linkAddress(fieldOf(token, "href"))
      return address === undefined ? asText(token) : `<a href="${address}" ${REL}>${inner()}</a>`
    }
    default:
      // Images and HTML too: an offline page fetches nothing and runs nothing.
      return asText(token)
  }
}

const REL = 'rel="noopener noreferrer nofollow"'

function list({ ordered, start, items }: Tokens.List, depth: number): string {
  const tag = ordered ? "ol" : "ul"
  const from = ordered && typeof start === "number" && start !== 1 ? ` start="${start}"` : ""
  const rows = items.map(({ task, checked, tokens }) => {
    const box = task ? `${checked === true ? "☑" : "☐"} ` : ""
    const own = tokens.filter((it) => it.type !== "checkbox")
    return `<li>${box}${blocks(own, depth + 2)}</li>`
  })
  return `<${tag}${from}>${rows.join("")}</${tag}>`
}

function table({ header, rows }: Tokens.Table, depth: number): string {
  const row = (cells: readonly Tokens.TableCell[], tag: "th" | "td") =>
    `<tr>${cells.map((it) => `<${tag}>${inline(it.tokens, depth + 2)}</${tag}>`).join("")}</tr>`
  const body = rows.map((cells) => row(cells, "td")).join("")
  return `<table><thead>${row(header, "th")}</thead><tbody>${body}</tbody></table>`
}

function isList(token: Token): token is Tokens.List {
  return token.type === "list" && "items" in token
}

function isTable(token: Token): token is Tokens.Table {
  return token.type === "table" && "rows" in token
}

function childrenOf(token: Token): readonly Token[] | undefined {
  return "tokens" in token ? token.tokens : undefined
}

function depthOf(token: Token): number {
  return "depth" in token && typeof token.depth === "number" ? token.depth : 1
}

function textOf(token: Token): string {
  return "text" in token && typeof token.text === "string" ? token.text : token.raw
}

function fieldOf(token: Token, name: "href"): string {
  return name in token && typeof token[name] === "string" ? token[name] : ""
}

/** The result contains no markup, no hidden characters and no bidirectional controls. */
export function escapeText(text: string): string {
  return visible(withPlainBreaks(text)).replace(/[&<>"']/g, (it) => ENTITIES[it] ?? it)
}

function withPlainBreaks(text: string): string {
  return text.replaceAll("\r\n", "\n")
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

function linkAddress(href: string): string | undefined {
  const url = URL.canParse(href) ? new URL(href) : undefined
  const isAllowed = url !== undefined && /^(?:https?|mailto):$/.test(url.protocol)
  return isAllowed ? escapeText(url.href) : undefined
}
