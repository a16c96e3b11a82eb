import { isRecord, type JsonRecord } from "./object.ts"

/** The parsed value; undefined for malformed JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The parsed object; undefined for malformed JSON and for every other value. */
export function parseJsonRecord(text: string): JsonRecord | undefined {
  const value = parseJson(text)
  return isRecord(value) ? value : undefined
}
