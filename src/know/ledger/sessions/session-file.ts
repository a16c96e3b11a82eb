import { compareText } from "#ground/base"
import type { SessionEntry } from "./sessions.ts"

export type SessionParts = {
  readonly title: string
  readonly request: string
  readonly done: readonly string[]
  readonly decisions: readonly string[]
  readonly finalState: string
}

export function parseSessionName(
  name: string,
): { readonly day: string; readonly number: number; readonly words: string } | undefined {
  const [, day, number, words] = /^(\d{4}-\d{2}-\d{2})-(\d{2,3})-(.*)\.md$/.exec(name) ?? []
  if (day === undefined || number === undefined || words === undefined) return undefined
  return { day, number: Number(number), words: words.replaceAll("-", " ") }
}

export function newestNameFirst(a: string, b: string): number {
  const byDay = compareText(b.slice(0, DAY_UNITS), a.slice(0, DAY_UNITS))
  return byDay || numberOf(b) - numberOf(a) || compareText(a, b)
}

const DAY_UNITS = "YYYY-MM-DD".length

function numberOf(name: string): number {
  return Number.parseInt(name.slice(DAY_UNITS + 1), 10)
}

export function renderSession(name: string, entry: SessionEntry): string {
  const [, label = "", slug = ""] = /^(\d{4}-\d{2}-\d{2}-\d{2,3})-(.*)\.md$/.exec(name) ?? []
  const parts = [
    `# ${label} ${slug.replaceAll("-", " ")}`,
    `## Request\n\n${plainText(entry.request)}`,
    `## Done\n\n${list(entry.done)}`,
    `## Decisions\n\n${list(entry.decisions)}`,
    `## Final state\n\n${entry.finalState === "" ? NO_TEXT : plainText(entry.finalState)}`,
  ]
  return `${parts.join("\n\n")}\n`
}

export function parseSession(name: string, text: string): SessionParts {
  const [head = "", ...rest] = text.replaceAll("\r\n", "\n").split(/^## /m)
  const parts = new Map<string, string>()
  for (const part of rest) {
    const [heading = "", ...lines] = part.split("\n")
    const key = heading.trim().toLowerCase()
    if (!parts.has(key)) parts.set(key, lines.join("\n").trim())
  }
  const [, heading = ""] = /^# (?:\d{4}-\d{2}-\d{2}-\d{2,3} )?(.*)$/m.exec(head) ?? []
  const finalState = parts.get("final state") ?? ""
  return {
    title: heading.trim() || (parseSessionName(name)?.words ?? name.replace(/\.md$/, "")),
    request: asWritten(parts.get("request") ?? ""),
    done: itemsOf(parts.get("done") ?? ""),
    decisions: itemsOf(parts.get("decisions") ?? ""),
    finalState: finalState === NO_TEXT ? "" : asWritten(finalState),
  }
}

const NO_TEXT = "None given."
const NO_ITEMS = "None."

/** A heading in a text would end its part. */
function plainText(text: string): string {
  return text.replace(/^( {0,3})#/gm, "$1\\#")
}

function asWritten(text: string): string {
  return text.replace(/^( {0,3})\\#/gm, "$1#")
}

function list(items: readonly string[]): string {
  if (items.length === 0) return NO_ITEMS
  return items.map((it) => `- ${plainText(it).replaceAll("\n", "\n  ")}`).join("\n")
}

function itemsOf(text: string): readonly string[] {
  if (text === "" || text === NO_ITEMS) return []
  const items = `\n${text}`.split(/\n[-*] /).slice(1)
  return items.map((it) => asWritten(it.replaceAll("\n  ", "\n")).trim()).filter((it) => it !== "")
}
