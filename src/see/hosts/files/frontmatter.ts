import { parse } from "yaml"
import { asRecord } from "#ground/base"
import { LONGEST_HEAD_UNITS } from "../limits.ts"

export type Frontmatter = {
  readonly fields: Readonly<Record<string, unknown>>
  readonly body: string
  readonly hasFrontmatter: boolean
}

/** Invalid YAML has no fields, and its block is still not part of the body, as in the hosts. */
export function splitFrontmatter(text: string): Frontmatter {
  const plain = withoutByteOrderMark(text)
  const block = findBlock(plain)
  if (block === undefined) return { fields: {}, body: text, hasFrontmatter: false }
  return { fields: parseFields(block.yaml), body: plain.slice(block.end), hasFrontmatter: true }
}

export function textField(fields: Readonly<Record<string, unknown>>, name: string): string {
  const value = fields[name]
  if (typeof value === "string") return value
  return typeof value === "number" || typeof value === "boolean" ? String(value) : ""
}

/**
 * The closing dashes need no line of their own; seen in Claude Code. Equals
 * ---\s*\n([\s\S]*?)---\s* in one pass.
 */
function findBlock(text: string): { readonly yaml: string; readonly end: number } | undefined {
  if (!text.startsWith(DASHES)) return undefined
  const blank = blankAt(text, DASHES.length)
  const lineEnd = blank.lastIndexOf("\n")
  if (lineEnd === -1) return undefined
  const start = DASHES.length + lineEnd + 1
  const close = text.indexOf(DASHES, start)
  if (close === -1) return undefined
  const after = close + DASHES.length
  return { yaml: text.slice(start, close), end: after + blankAt(text, after).length }
}

const DASHES = "---"

function blankAt(text: string, from: number): string {
  const blank = /\s*/y
  blank.lastIndex = from
  return blank.exec(text)?.[0] ?? ""
}

function withoutByteOrderMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text
}

function parseFields(yaml: string): Readonly<Record<string, unknown>> {
  const plain = plainFields(yaml)
  if (plain !== undefined) return plain
  if (yaml.length > LONGEST_HEAD_UNITS) return {}
  return asRecord(tryParse(yaml) ?? tryParse(quoteLooseValues(yaml)))
}

/**
 * Nearly every block is lines of `name: some words`, which mean the same in every YAML version.
 * Reading them here avoids loading the parser, which takes as long as the walk itself.
 */
function plainFields(yaml: string): Readonly<Record<string, string>> | undefined {
  const fields: [string, string][] = []
  for (const line of yaml.split("\n")) {
    if (line === "") continue
    const [, name, value] = PLAIN_LINE.exec(line) ?? []
    if (name === undefined || value === undefined || SPECIAL_WORD.test(value)) return undefined
    fields.push([name, value])
  }
  return Object.fromEntries(fields)
}

const PLAIN_LINE = /^([A-Za-z][\w-]*): ([A-Za-z](?:[\w ,.()/'-]*[\w.)/'-])?)$/

const SPECIAL_WORD = /^(?:true|false|null|yes|no|on|off|y|n)$/i

function tryParse(yaml: string): unknown {
  try {
    // The parser limits aliases, so no block can grow without bound.
    return parse(yaml, { logLevel: "error", uniqueKeys: false, prettyErrors: false })
  } catch {
    return undefined
  }
}

/** Users write `description: use this: often` without quotes; the hosts accept it. */
function quoteLooseValues(yaml: string): string {
  const lines = yaml.split("\n").map((line) => {
    const [, key, value] = /^([a-zA-Z_-]+):\s+(\S.*)$/.exec(line) ?? []
    const isLoose = key !== undefined && value !== undefined && LOOSE.test(value)
    if (!isLoose || /^(["']).*\1$|^\[.*\]$/.test(value)) return line
    return `${key}: ${JSON.stringify(value)}`
  })
  return lines.join("\n").replace(/^\t+/gm, (tabs) => "  ".repeat(tabs.length))
}

const LOOSE = /[{}[\]*&#!|>%@`]|: /

/** Undefined for invalid YAML. */
export function tryYaml(text: string): unknown {
  try {
    return parse(text, { logLevel: "silent", prettyErrors: false })
  } catch {
    return undefined
  }
}
