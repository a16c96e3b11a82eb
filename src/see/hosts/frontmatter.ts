import { createRequire } from "node:module"

export type Frontmatter = {
  readonly fields: Readonly<Record<string, unknown>>
  readonly body: string
  readonly hasFrontmatter: boolean
}

/**
 * The YAML block at the head of a Markdown file, and the rest. Broken YAML has no fields, and its
 * block is still no part of the body: so the hosts do it.
 */
export function splitFrontmatter(text: string): Frontmatter {
  const plain = withoutByteOrderMark(text)
  const block = BLOCK.exec(plain)
  if (block === null) return { fields: {}, body: text, hasFrontmatter: false }
  const fields = parseFields(block[1] ?? "")
  return { fields, body: plain.slice(block[0].length), hasFrontmatter: true }
}

/** One field as text; numbers and booleans as they are written. */
export function textField(fields: Readonly<Record<string, unknown>>, name: string): string {
  const value = fields[name]
  if (typeof value === "string") return value
  return typeof value === "number" || typeof value === "boolean" ? String(value) : ""
}

/** The closing dashes need no line of their own; seen in Claude Code. */
const BLOCK = /^---\s*\n([\s\S]*?)---\s*\n?/

function withoutByteOrderMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text
}

function parseFields(yaml: string): Readonly<Record<string, unknown>> {
  return plainFields(yaml) ?? asRecord(tryParse(yaml) ?? tryParse(quoteLooseValues(yaml)))
}

/**
 * Nearly every block is lines of `name: some words`, which mean the same in every version of YAML.
 * Reading those here spares the parser, whose loading takes as long as the walk itself.
 */
export function plainFields(yaml: string): Readonly<Record<string, string>> | undefined {
  const fields: [string, string][] = []
  for (const line of yaml.split("\n")) {
    if (line === "") continue
    const [, name, value] = PLAIN_LINE.exec(line) ?? []
    if (name === undefined || value === undefined || SPECIAL_WORD.test(value)) return undefined
    fields.push([name, value])
  }
  return Object.fromEntries(fields)
}

/** Words that begin with a letter, without any sign that YAML knows. */
const PLAIN_LINE = /^([A-Za-z][\w-]*): ([A-Za-z](?:[\w ,.()/'-]*[\w.)/'-])?)$/

const SPECIAL_WORD = /^(?:true|false|null|yes|no|on|off|y|n)$/i

/** Loaded when the first block needs it: it is made of seventy files. */
let loaded: typeof import("yaml") | undefined

function yamlParser(): typeof import("yaml") {
  loaded ??= load()
  return loaded
}

const load: () => typeof import("yaml") = () => createRequire(import.meta.url)("yaml")

function tryParse(yaml: string): unknown {
  try {
    // Aliases stay under the parser's own cap, so that no block can grow without bound.
    return yamlParser().parse(yaml, { logLevel: "error", uniqueKeys: false, prettyErrors: false })
  } catch {
    return undefined
  }
}

/** People write `description: use this: often` without quotes; the hosts forgive it. */
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

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value)
  return isRecord ? Object.fromEntries(Object.entries(value)) : {}
}
