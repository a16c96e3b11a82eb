import { isRecord, oneLine } from "#ground/base"

export function titleLine(text: string): string {
  return oneLine(text, 160)
}

export function quote(text: string): string {
  return oneLine(text, 300)
}

export function inputText(input: unknown): string {
  if (input === undefined || input === null) return ""
  return typeof input === "string" ? input : JSON.stringify(input)
}

export function textField(input: unknown, ...names: readonly string[]): string | undefined {
  if (!isRecord(input)) return undefined
  const values = names.map((name) => input[name])
  return values.find((it): it is string => typeof it === "string" && it !== "")
}
