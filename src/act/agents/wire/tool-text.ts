import { isRecord, oneLine } from "#ground/base"

/** The title of an activity, approval or session: one line in a list. */
export function titleLine(text: string): string {
  return oneLine(text, 160)
}

/** The beginning of a text that was not understood. */
export function quote(text: string): string {
  return oneLine(text, 300)
}

/** A tool's input as one text. */
export function inputText(input: unknown): string {
  if (input === undefined || input === null) return ""
  return typeof input === "string" ? input : JSON.stringify(input)
}

/** The first of these fields that is a text and not empty. */
export function textField(input: unknown, ...names: readonly string[]): string | undefined {
  if (!isRecord(input)) return undefined
  const values = names.map((name) => input[name])
  return values.find((it): it is string => typeof it === "string" && it !== "")
}
