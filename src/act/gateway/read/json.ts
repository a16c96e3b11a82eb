import { isRecord, type JsonRecord } from "#ground/base"

const TOO_DEEP = "(nested too deeply to show)"

/** A value nested too deeply cannot be serialized. */
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

export function firstText(...values: readonly unknown[]): string {
  return textOf(values.find((it) => typeof it === "string" && it !== ""))
}

export function countOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

/** Cache markers move from request to request. */
export function withoutMarkers(block: JsonRecord): JsonRecord {
  const { cache_control: _, ...rest } = block
  return rest
}
