import { isRecord, type JsonRecord } from "./object.ts"

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function parseJsonRecord(text: string): JsonRecord | undefined {
  const value = parseJson(text)
  return isRecord(value) ? value : undefined
}
