import { Marked, type Token } from "marked"
import { splitFrontmatter } from "../frontmatter.ts"

export type Transformed = {
  /** Not yet trimmed: emptiness is judged and the ends are cut when it is sent. */
  readonly content: string
  /** Patterns of `paths`; absent when the file always applies. */
  readonly patterns?: readonly string[]
  /** Of the body, for imports; empty when there is nothing to look for in it. */
  readonly tokens: readonly Token[]
  /** Whether imports and comments were not looked for. */
  readonly isTooLong: boolean
}

/** Plain Markdown: the host knows neither tables nor struck text. */
const markdown = new Marked({ gfm: false })

/** Who reads says whether a text of this length may be taken apart; else it is sent as it is. */
export function transform(
  raw: string,
  mayLex: (units: number) => boolean = () => true,
): Transformed {
  const { fields, body } = splitFrontmatter(raw)
  const patterns = readPatterns(fields["paths"])
  const needsTokens = body.includes("<!--") || body.includes("@")
  const isLexed = needsTokens && mayLex(lexCost(body))
  const tokens = isLexed ? lex(body) : []
  const content = body.includes("<!--") ? withoutBlockComments(body, tokens) : body
  const isTooLong = needsTokens && !isLexed
  return { content, tokens, isTooLong, ...(patterns.length === 0 ? {} : { patterns }) }
}

/**
 * How long a text is for the lexer. In one block it holds each mark of emphasis against all the
 * others: 3,000 of them take a quarter of a second, as long as 400 kB of plain text. From each
 * comment without an end it reads all that follows.
 */
function lexCost(text: string): number {
  let cost = text.length
  // Blocks end with a blank line; headings and points of a list begin a new one at once.
  for (const block of text.split(/\n(?=[ \t]*(?:\r?\n|#|[-*+] ))/)) {
    const marks = block.match(/[*_]/g)?.length ?? 0
    cost += marks ** 2 / 25
  }
  const rest = text.slice(text.lastIndexOf("-->") + 1)
  const openComments = rest.split("<!--").length - 1
  return cost + (openComments * rest.length) / 4_000
}

/** A text that the lexer cannot take is sent as it is. */
function lex(text: string): readonly Token[] {
  try {
    return markdown.lexer(text)
  } catch {
    return []
  }
}

/**
 * Only comments that are blocks of their own go, and the empty lines behind them; one inside a
 * paragraph or a fence stays.
 */
function withoutBlockComments(body: string, tokens: readonly Token[]): string {
  if (tokens.length === 0) return body
  let isAfterComment = false
  let kept = ""
  for (const token of tokens) {
    const raw = isComment(token) ? restOfComment(token.raw) : token.raw
    kept += isAfterComment && token.type === "space" ? raw.replace(/^\n+/, "") : raw
    isAfterComment = raw === ""
  }
  return kept
}

function isComment(token: Token): boolean {
  return token.type === "html" && token.raw.trimStart().startsWith("<!--") && hasEnd(token.raw)
}

function hasEnd(raw: string): boolean {
  return raw.includes("-->")
}

/** Text on the last line of a comment stays. */
function restOfComment(raw: string): string {
  const rest = removeComments(raw)
  return rest.trim() === "" ? "" : rest
}

export function removeComments(raw: string): string {
  let kept = ""
  let done = 0
  for (let open = raw.indexOf("<!--"); open !== -1; open = raw.indexOf("<!--", done)) {
    const close = raw.indexOf("-->", open + "<!--".length)
    if (close === -1) break
    kept += raw.slice(done, open)
    done = close + "-->".length
  }
  return kept + raw.slice(done)
}

/**
 * `paths` as the host reads it: text, a list with commas, or a YAML list; `{a,b}` is spelled out, a
 * trailing `/**` is dropped, and nothing but `**` means always.
 */
export function readPatterns(value: unknown): readonly string[] {
  const written = splitList(value).flatMap(spellOut)
  const patterns = written
    .map((it) => (it.endsWith("/**") ? it.slice(0, -"/**".length) : it))
    .filter((it) => it !== "")
  return patterns.every((it) => it === "**") ? [] : patterns
}

/** A text with commas, or a list; commas inside braces do not part. */
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

/** Braces multiply; the host stops at a thousand and takes the pattern as it is written. */
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
