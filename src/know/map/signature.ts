import type { SymbolKind } from "#ground/contract"
import { cut } from "./comments.ts"
import { LONGEST_SIGNATURE_UNITS, LONGEST_VALUE_UNITS } from "./limits.ts"

/** What stands before the body, on one line. A value without a body is cut sooner. */
export function signatureOf(text: string, kind: SymbolKind): string {
  const isValue = kind === "variable" || kind === "constant"
  const units = isValue ? LONGEST_VALUE_UNITS : LONGEST_SIGNATURE_UNITS
  // No more than a few times what is kept is looked at: a value may have megabytes.
  const line = text
    .slice(0, units * 4)
    .replace(/\s+/g, " ")
    .replace(/([([]) /g, "$1")
    .replace(/,? ([)\]])/g, "$1")
    .trim()
  return cut(line.replace(/\s*(?:\{|=>|:|=|;|; end)$/, ""), units)
}
