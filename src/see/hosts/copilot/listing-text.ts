import { parseDocument } from "yaml"
import { LONGEST_HEAD_UNITS } from "../limits.ts"
import { type Fields, isFields } from "../record.ts"
import { onOneLine, withoutByteOrderMark } from "../unicode.ts"

export type Headed = { readonly fields: Fields; readonly body: string }

/** The head of a skill or an agent, and what follows; undefined when there is none or it is broken. */
export function readHead(text: string): Headed | undefined {
  const plain = withoutByteOrderMark(text)
  const match = /^---[ \t]*\r?\n([\s\S]*?)(?:^|\n)---[ \t]*(?:\r?\n|$)/.exec(plain)
  if (match === null || match[0].length > LONGEST_HEAD_UNITS) return undefined
  const document = parseDocument(match[1] ?? "", { prettyErrors: false, logLevel: "silent" })
  const fields = document.errors.length === 0 ? toPlain(document) : undefined
  return isFields(fields) ? { fields, body: plain.slice(match[0].length) } : undefined
}

/** An alias without an anchor shows only here. */
function toPlain(document: { toJS(): unknown }): unknown {
  try {
    return document.toJS()
  } catch {
    return undefined
  }
}

/** What is said about a skill that does not describe itself: its text without headings. */
export function describeBody(body: string): string {
  const lines = body.split(/\r?\n/).filter((line) => !/^\s*#/.test(line))
  return onOneLine(lines.join(" "))
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
}

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (mark) => ESCAPES[mark] ?? mark)
}
