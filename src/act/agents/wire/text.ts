import { LONGEST_QUOTE_CHARACTERS, LONGEST_TITLE_CHARACTERS } from "./limits.ts"

/** One line of any text, short enough for a list. */
export function oneLine(text: string, most: number = LONGEST_TITLE_CHARACTERS): string {
  const line = text
    .slice(0, most * 4)
    .replace(/\s+/g, " ")
    .trim()
  return line.length <= most ? line : `${line.slice(0, most - 1).toWellFormed()}…`
}

/** The beginning of a text that was not understood. */
export function quote(text: string): string {
  return oneLine(text, LONGEST_QUOTE_CHARACTERS)
}

/** A line of a protocol: one JSON object; undefined when it is anything else. */
export function parseRecord(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** What a tool was given, as one text. */
export function inputText(input: unknown): string {
  if (input === undefined || input === null) return ""
  return typeof input === "string" ? input : JSON.stringify(input)
}

/** A text field of a tool's input, if it is one. */
export function textField(input: unknown, ...names: readonly string[]): string | undefined {
  if (!isRecord(input)) return undefined
  const values = names.map((name) => input[name])
  return values.find((it): it is string => typeof it === "string" && it !== "")
}
