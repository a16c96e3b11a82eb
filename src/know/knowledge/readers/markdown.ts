import { oneLine } from "#ground/base"
import { createOutline, type Link, type ReadDocument } from "./outline.ts"

/**
 * Line by line in linear time: headings, blocks between blank lines, whole fences and tables. Everything
 * else is prose.
 */
export function readMarkdown(text: string): ReadDocument {
  const lines = text.split("\n")
  const front = readFrontMatter(lines)
  const outline = createOutline()
  const definitions = definitionsIn(lines)
  let block: NumberedLine[] = []

  const flush = (): void => {
    const first = block[0]
    if (first !== undefined) outline.block({ line: first.line, ...shapeBlock(block, definitions) })
    block = []
  }

  for (let at = front.lines; at < lines.length; at++) {
    const line = { text: lines[at] ?? "", line: at + 1 }
    const skipped = endOfWhole(lines, at)
    if (skipped !== undefined) {
      flush()
      if (skipped.kind === "code") {
        outline.block({ text: lines.slice(at + 1, skipped.end).join("\n"), line: at + 1 })
      }
      at = skipped.end
      continue
    }
    const heading = headingOf(line.text) ?? underlined(block, line.text)
    if (heading !== undefined) {
      if (heading.isUnderlined) block = []
      flush()
      for (const name of heading.anchors) outline.anchor(name)
      outline.heading(heading.level, readInline(heading.text, definitions).text)
      continue
    }
    const isBetween = line.text.trim() === "" || isRule(line.text)
    if (isBetween) flush()
    else if (readDefinition(line.text) === undefined) block.push(line)
  }
  flush()
  return outline.done(front)
}

type NumberedLine = { readonly text: string; readonly line: number }

/** By hand: the regular expression overflows the stack on a line of millions. */
function isRule(line: string): boolean {
  const begins = line.search(/[^ ]/)
  const character = line[begins]
  if (begins > 3 || (character !== "*" && character !== "-" && character !== "_")) return false
  let count = 0
  for (let at = begins; at < line.length; at++) {
    if (line[at] === character) count++
    else if (line[at] !== " ") return false
  }
  return count >= 3
}

function readFrontMatter(lines: readonly string[]) {
  if (lines[0]?.trimEnd() !== "---") return { lines: 0 }
  const end = lines.findIndex((it, at) => at > 0 && /^(?:---|\.\.\.)\s*$/.test(it))
  if (end === -1) return { lines: 0 }
  const field = (name: string): string | undefined => {
    const line = lines.slice(1, end).find((it) => it.startsWith(`${name}:`))
    const value = oneLine(line?.slice(name.length + 1) ?? "").replace(/^(["'])(.*)\1$/, "$2")
    return value === "" ? undefined : value.slice(0, 300)
  }
  return { lines: end + 1, title: field("title"), citeAs: field("cite") ?? field("citation") }
}

function definitionsIn(lines: readonly string[]): Definitions {
  return new Map(
    lines.flatMap((it) => (it.includes("]:") ? [readDefinition(it)] : [])).filter(isThere),
  )
}

function isThere<Value>(value: Value | undefined): value is Value {
  return value !== undefined
}

/** Fences and comments; an unclosed one goes to the end. */
function endOfWhole(lines: readonly string[], at: number) {
  const line = lines[at] ?? ""
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
  if (fence !== undefined) {
    const isEnd = (it: string) => it.trim().startsWith(fence) && /^[`~\s]*$/.test(it)
    return { kind: "code" as const, end: lineAfter(lines, at + 1, isEnd) }
  }
  if (!line.trimStart().startsWith("<!--")) return undefined
  return { kind: "comment" as const, end: lineAfter(lines, at, (it) => it.includes("-->")) }
}

function lineAfter(lines: readonly string[], from: number, is: (line: string) => boolean): number {
  for (let at = from; at < lines.length; at++) if (is(lines[at] ?? "")) return at
  return lines.length
}

type MarkdownHeading = {
  readonly level: number
  readonly text: string
  readonly anchors: readonly string[]
  readonly isUnderlined: boolean
}

function headingOf(line: string): MarkdownHeading | undefined {
  const [, hashes, rest] = /^ {0,3}(#{1,6})(?:[ \t](.*))?$/.exec(line) ?? []
  if (hashes === undefined) return undefined
  return headingFrom(withoutClosing((rest ?? "").trimStart()), {
    level: hashes.length,
    isUnderlined: false,
  })
}

/** By hand: the regular expression takes quadratic time on a line of spaces. */
function withoutClosing(text: string): string {
  const trimmed = text.trimEnd()
  let end = trimmed.length
  while (end > 0 && trimmed[end - 1] === "#") end--
  const isClosed = end < trimmed.length && (end === 0 || /\s/.test(trimmed[end - 1] ?? ""))
  return isClosed ? trimmed.slice(0, end).trimEnd() : trimmed
}

function underlined(block: readonly NumberedLine[], line: string): MarkdownHeading | undefined {
  const [only, ...more] = block
  if (only === undefined || more.length > 0) return undefined
  const [, underline] = /^ {0,3}(=|-)\1*[ \t]*$/.exec(line) ?? []
  if (underline === undefined || LIST.test(only.text) || only.text.includes("|")) return undefined
  return headingFrom(only.text.trim(), { level: underline === "=" ? 1 : 2, isUnderlined: true })
}

function headingFrom(
  text: string,
  kind: Pick<MarkdownHeading, "level" | "isUnderlined">,
): MarkdownHeading {
  const [, own] = /\{#([\w:.-]{1,200})\}$/.exec(text) ?? []
  const named = [...text.matchAll(/<a (?:id|name)="([^"<>]{1,200})"[^<>]{0,50}>(?:<\/a>)?/g)]
  const shown = text.replace(/\{#[\w:.-]{1,200}\}$/, "").replace(/<[^<>]{1,300}>/g, "")
  const anchors = [...(own === undefined ? [] : [own]), ...named.flatMap((it) => it[1] ?? [])]
  return { ...kind, text: shown.trim(), anchors }
}

const LIST = /^\s*(?:[-*+]|\d{1,9}[.)])\s+\S/
const TABLE_RULE = /^ *(?:\| *)?:?-+:? *(?:\|[ :-]*)*$/

/** Tables, code and items keep their lines; prose becomes one line. */
function shapeBlock(block: readonly NumberedLine[], definitions: Definitions) {
  const lines = block.map((it) => it.text)
  const isTable = lines.some((it) => it.length < 2_000 && it.includes("|") && TABLE_RULE.test(it))
  const isCode = lines.every((it) => /^(?: {4}|\t)/.test(it))
  if (isCode) return { text: lines.map((it) => it.replace(/^(?: {4}|\t)/, "")).join("\n") }
  if (isTable) return readInline(lines.map((it) => it.trim()).join("\n"), definitions)
  const joined = lines
    .map((it) => it.replace(/^ {0,3}(?:> ?)+/, ""))
    .map((it) => (LIST.test(it) ? `\n${it.trim()}` : ` ${it.trim()}`))
    .join("")
  return readInline(joined.trim(), definitions)
}

type Definitions = ReadonlyMap<string, string>

function readInline(
  raw: string,
  definitions: Definitions,
): { readonly text: string; readonly links: readonly Link[] } {
  const links: Link[] = []
  const note = (target: string, words: string): string => {
    links.push({ target, words })
    return words
  }
  const text = raw
    .replace(WIKI, (_, target: string, shown?: string) => {
      const words = shown ?? target
      links.push({ target: `wiki:${target.trim()}`, words })
      return words
    })
    .replace(PICTURE, "$1")
    .replace(INLINE, (_, words: string, target: string) => note(target, words))
    .replace(BY_LABEL, (whole, words: string, label: string) => {
      const target = definitions.get((label === "" ? words : label).toLowerCase())
      return target === undefined ? whole : note(target, words)
    })
    .replace(STRONG, "$2")
    .replace(EMPHASIS, "$1$2")
  return { text, links }
}

// No class contains its own opening character, so that a text full of brackets is read once.
const WIKI = /\[\[([^\][\n|]{1,300})(?:\|([^\][\n]{1,300}))?\]\]/g
const INLINE = /\[([^\][\n]{0,500})\]\(<?([^()\s<>]{1,1000})>?(?: +"[^"\n]{0,300}")?\)/g
const PICTURE = /!\[([^\][\n]{0,500})\]\([^()\n]{1,1500}\)/g
const BY_LABEL = /\[([^\][\n]{1,300})\]\[([^\][\n]{0,300})\]/g
const STRONG = /(\*\*|__)(?=\S)([^*_\n]{1,500})\1/g
const EMPHASIS = /(^|[\s(])\*(?=\S)([^*\n]{1,300})\*(?![\w*])/g

function readDefinition(line: string): readonly [string, string] | undefined {
  const [, label, target] = DEFINITION.exec(line) ?? []
  return label === undefined || target === undefined ? undefined : [label.toLowerCase(), target]
}

const DEFINITION = /^ {0,3}\[([^\][^][^\][\n]{0,299})\]: *<?([^\s<>]{1,1000})>?(?: .{0,300})?$/
