import { isRecord, type JsonRecord } from "#ground/base"

const TOO_DEEP = "(nested too deeply to be written down)"

/** JSON again; a value that is nested without end cannot be written, and says so. */
export function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ""
  } catch {
    return TOO_DEEP
  }
}

export function recordOf(value: unknown): JsonRecord {
  return isRecord(value) ? value : {}
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}

/** The first of these that says something. */
export function firstText(...values: readonly unknown[]): string {
  return textOf(values.find((it) => typeof it === "string" && it !== ""))
}

/** A count of tokens as providers give them; undefined for anything else. */
export function countOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

/** Markers for a cache move from request to request and say nothing. */
export function withoutMarkers(block: JsonRecord): JsonRecord {
  const { cache_control: _, ...rest } = block
  return rest
}
