import type { Token } from "marked"
import { once } from "#ground/base"
import { splitFrontmatter } from "../../files/frontmatter.ts"

export type TransformedFile = {
  readonly content: string
  /** Absent if the file always applies. */
  readonly patterns?: readonly string[]
  /** For imports; empty if there is nothing to search. */
  readonly tokens: readonly Token[]
  readonly isTooLong: boolean
}

/** Plain Markdown: the host parses neither tables nor strikethrough. Few files need the lexer. */
const loadMarkdown = once(async () => new (await import("marked")).Marked({ gfm: false }))

/** The caller decides whether a file this long is parsed; otherwise it is passed through. */
export async function transform(
  raw: string,
  mayLex: (units: number) => boolean = () => true,
): Promise<TransformedFile> {
  const { fields, body } = splitFrontmatter(raw)
  const patterns = readPatterns(fields["paths"])
  const needsTokens = body.includes("<!--") || body.includes("@")
  const isLexed = needsTokens && mayLex(lexCost(body))
  const tokens = isLexed ? await lex(body) : []
  const content = body.includes("<!--") ? withoutBlockComments(body, tokens) : body
  const isTooLong = needsTokens && !isLexed
  return { content, tokens, isTooLong, ...(patterns.length === 0 ? {} : { patterns }) }
}

/**
 * Cost for the lexer in units of plain text. It compares each emphasis mark of a block with all
 * others: 3,000 of them take a quarter of a second, as long as 400 kB of plain text. For each
 * unclosed comment it reads the whole rest.
 */
function lexCost(text: string): number {
  let cost = text.length
  // Blocks end with a blank line; headings and list items start a new one.
  for (const block of text.split(/\n(?=[ \t]*(?:\r?\n|#|[-*+] ))/)) {
    const marks = block.match(/[*_]/g)?.length ?? 0
    cost += marks ** 2 / 25
  }
  const rest = text.slice(text.lastIndexOf("-->") + 1)
  const openComments = rest.split("<!--").length - 1
  return cost + (openComments * rest.length) / 4_000
}

/** A text that the lexer cannot parse is sent unchanged. */
async function lex(text: string): Promise<readonly Token[]> {
  const markdown = await loadMarkdown()
  try {
    return markdown.lexer(text)
  } catch {
    return []
  }
}

/**
 * Removes only comments that are blocks of their own, with the empty lines after them; a comment in
 * a paragraph or a fence stays.
 */
function withoutBlockComments(body: string, tokens: readonly Token[]): string {
  if (tokens.length === 0) return body
  let isAfterComment = false
  let result = ""
  for (const token of tokens) {
    const raw = isComment(token) ? restOfComment(token.raw) : token.raw
    result += isAfterComment && token.type === "space" ? raw.replace(/^\n+/, "") : raw
    isAfterComment = raw === ""
  }
  return result
}

function isComment(token: Token): boolean {
  return token.type === "html" && token.raw.trimStart().startsWith("<!--") && hasEnd(token.raw)
}

function hasEnd(raw: string): boolean {
  return raw.includes("-->")
}

function restOfComment(raw: string): string {
  const rest = removeComments(raw)
  return rest.trim() === "" ? "" : rest
}

export function removeComments(raw: string): string {
  let result = ""
  let done = 0
  for (let open = raw.indexOf("<!--"); open !== -1; open = raw.indexOf("<!--", done)) {
    const close = raw.indexOf("-->", open + "<!--".length)
    if (close === -1) break
    result += raw.slice(done, open)
    done = close + "-->".length
  }
  return result + raw.slice(done)
}

/**
 * `paths` as the host reads it: text, comma-separated text, or a YAML list. `{a,b}` is expanded, a
 * trailing `/**` is dropped, and only `**` means always.
 */
export function readPatterns(value: unknown): readonly string[] {
  const written = splitList(value).flatMap(spellOut)
  const patterns = written
    .map((it) => (it.endsWith("/**") ? it.slice(0, -"/**".length) : it))
    .filter((it) => it !== "")
  return patterns.every((it) => it === "**") ? [] : patterns
}

export function splitList(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(splitList)
  if (typeof value !== "string") return []
  const parts: string[] = [""]
  let depth = 0
  for (const letter of value) {
    if (letter === "{") depth += 1
    if (letter === "}") depth -= 1
    if (letter === "," && depth === 0) parts.push("")
    else parts.push((parts.pop() ?? "") + letter)
  }
  return parts.map((it) => it.trim()).filter((it) => it !== "")
}

/** Braces multiply; the host stops at a thousand and uses the pattern literally. */
const MOST_SPELLINGS = 1_000

function spellOut(pattern: string): readonly string[] {
  const done: string[] = []
  const waiting = [pattern]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [, before, inside, after] = /^([^{]*)\{([^}]+)\}(.*)$/.exec(next) ?? []
    if (inside === undefined) {
      done.push(next)
      continue
    }
    const choices = inside.split(",").map((it) => `${before}${it.trim()}${after}`)
    if (done.length + waiting.length + choices.length > MOST_SPELLINGS) return [pattern]
    waiting.push(...choices.toReversed())
  }
  return done
}
