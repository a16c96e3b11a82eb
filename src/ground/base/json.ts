import { isRecord, type JsonRecord } from "./object.ts"

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Counts brackets outside strings, before a parser can exhaust the stack. */
export function nestingOf(text: string): number {
  let depth = 0
  let deepest = 0
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[\]{}]/g)) {
    if (token === "[" || token === "{") deepest = Math.max(deepest, ++depth)
    if (token === "]" || token === "}") depth--
  }
  return deepest
}

export function parseJsonRecord(text: string): JsonRecord | undefined {
  const value = parseJson(text)
  return isRecord(value) ? value : undefined
}
