import { DEEPEST_TEXT_LEVELS } from "../limits.ts"

/** A payload, or a part of one: whatever a host wrote. */
export type Fields = Readonly<Record<string, unknown>>

/** A text with something in it; undefined for all else. */
export function textIn(fields: Fields, name: string): string | undefined {
  const value = fields[name]
  return typeof value === "string" && value !== "" ? value : undefined
}

/** An object; an empty one where there is none. */
export function fieldsIn(fields: Fields, name: string): Fields {
  const value = fields[name]
  return isFields(value) ? value : {}
}

export function listIn(fields: Fields, name: string): readonly unknown[] {
  const value = fields[name]
  return Array.isArray(value) ? value : []
}

/** How much text lies in a value, however a tool has wrapped it. */
export function textUnitsOf(value: unknown, levels = DEEPEST_TEXT_LEVELS): number {
  if (typeof value === "string") return value.length
  if (typeof value !== "object" || value === null || levels === 0) return 0
  return Object.values(value).reduce<number>((sum, it) => sum + textUnitsOf(it, levels - 1), 0)
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
