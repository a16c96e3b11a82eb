import { hash } from "node:crypto"
import { compareText } from "#ground/base"

/** The same value gives the same text, in whatever order its keys were written. */
function canonical(value: unknown): string {
  return JSON.stringify(sorted(value))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).toSorted(([a], [b]) => compareText(a, b))
  return Object.fromEntries(entries.map(([name, it]) => [name, sorted(it)]))
}

export function digestOf(value: unknown): string {
  return `sha256-${hash("sha256", canonical(value))}`
}
