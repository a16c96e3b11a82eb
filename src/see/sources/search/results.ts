import { parseJson, sliceText, withoutHiddenCharacters } from "#ground/base"
import type { KbWeb } from "#ground/contract"
import type { ToolAnswer } from "../wire/connection.ts"

/** Depth of a result list in a response: `{ web: { results: [...] } }`. */
const DEEPEST_RESULT_LEVELS = 4

const MOST_RESULTS = 50

const LONGEST_URL_CHARACTERS = 2_000

const LONGEST_TITLE_CHARACTERS = 200

const LONGEST_RESULT_CHARACTERS = 2_000

export type WebResult = KbWeb["results"][number]

/**
 * Reads results in the three formats that servers use: a structure, JSON in a text, and lines of
 * `Title:`, `URL:` and text. Each address once, http and https only.
 */
export function readResults(answer: ToolAnswer, limit: number): readonly WebResult[] {
  const drafts = [...inValue(answer.structured, 0), ...answer.content.flatMap(inBlock)]
  const byUrl = new Map<string, WebResult>()
  for (const draft of drafts) {
    const result = cleaned(draft)
    if (result !== undefined && !byUrl.has(result.url)) byUrl.set(result.url, result)
    if (byUrl.size >= Math.min(limit, MOST_RESULTS)) break
  }
  return [...byUrl.values()]
}

type ResultFields = { readonly title: string; readonly url: string; readonly text: string }

function inBlock(block: ToolAnswer["content"][number]): readonly ResultFields[] {
  if (block.type === "resource_link") {
    return [{ title: block.name, url: block.uri, text: block.description ?? "" }]
  }
  if (block.type !== "text") return []
  const text = block.text.trim()
  if (!/^[[{]/.test(text)) return inLines(text)
  const value = parseJson(text)
  return value === undefined ? inLines(text) : inValue(value, 0)
}

/** An object with an address is a result; lists and maps are searched. */
function inValue(value: unknown, level: number): readonly ResultFields[] {
  if (typeof value !== "object" || value === null || level > DEEPEST_RESULT_LEVELS) return []
  if (Array.isArray(value)) return value.flatMap((it: unknown) => inValue(it, level + 1))
  const fields = new Map<string, unknown>(Object.entries(value))
  const url = textIn(fields, ["url", "link", "uri", "href"])
  if (url === "") return [...fields.values()].flatMap((it) => inValue(it, level + 1))
  const texts = ["text", "content", "snippet", "description", "summary", "body"]
  return [{ url, title: textIn(fields, ["title", "name"]), text: textIn(fields, texts) }]
}

function textIn(fields: ReadonlyMap<string, unknown>, names: readonly string[]): string {
  for (const name of names) {
    const value = fields.get(name)
    if (typeof value === "string" && value.trim() !== "") return value
  }
  return ""
}

const LABEL = /^(title|url|link|content|text|snippet|description)\s*:\s?(.*)$/i

function inLines(text: string): readonly ResultFields[] {
  const drafts: ResultFields[] = []
  let fields: Record<"title" | "url" | "text", string> = { title: "", url: "", text: "" }
  const finish = (): void => {
    if (fields.url !== "") drafts.push({ ...fields })
    fields = { title: "", url: "", text: "" }
  }
  for (const line of text.split("\n")) {
    const [, label, rest = ""] = LABEL.exec(line.trim()) ?? []
    const field = label === undefined ? undefined : fieldOf(label.toLowerCase())
    // A title after an address starts the next result.
    if (field === "title" && fields.url !== "") finish()
    if (field === undefined) fields.text = `${fields.text}\n${line}`
    else fields[field] = fields[field] === "" ? rest : `${fields[field]}\n${rest}`
  }
  finish()
  return drafts
}

function fieldOf(label: string): "title" | "url" | "text" {
  if (label === "title") return "title"
  return label === "url" || label === "link" ? "url" : "text"
}

function cleaned(draft: ResultFields): WebResult | undefined {
  const url = draft.url.trim()
  if (url.length > LONGEST_URL_CHARACTERS || !URL.canParse(url)) return undefined
  const { protocol, username, password, href } = new URL(url)
  const isPlain = (protocol === "https:" || protocol === "http:") && username + password === ""
  if (!isPlain) return undefined
  const clean = (text: string, most: number) =>
    sliceText(withoutHiddenCharacters(text).trim().toWellFormed(), most)
  return {
    url: href,
    title: clean(draft.title.replace(/\s+/g, " "), LONGEST_TITLE_CHARACTERS) || href,
    text: clean(draft.text, LONGEST_RESULT_CHARACTERS),
  }
}
