import { withoutHiddenSigns } from "#ground/base"
import { type Redact, redactLines, type SafeLines } from "#ground/secrets"
import { cleanLine } from "./render.ts"

/**
 * Removes hidden characters, then secrets, and numbers the lines. A hidden character inside a secret
 * hides it, so characters go first. One beside a secret may separate it from a word; then the secret is
 * found only with it, and is replaced before.
 */
export function safeLines(text: string, redact: Redact): SafeLines {
  const cleaned = withoutHiddenSigns(text)
  const after = redactLines(cleaned, redact)
  if (cleaned === text) return after
  const before = redactLines(text, redact)
  if (!hasMore(before.secretLines, after.secretLines)) return after
  const replaced = before.lines.map((it) => it ?? "\n").join("")
  const both = redactLines(withoutHiddenSigns(replaced), redact)
  return { lines: both.lines, secretLines: [...before.secretLines, ...both.secretLines] }
}

function hasMore(here: readonly number[], there: readonly number[]): boolean {
  const counts = Map.groupBy(there, (it) => it)
  return [...Map.groupBy(here, (it) => it)].some(
    ([line, found]) => found.length > (counts.get(line)?.length ?? 0),
  )
}

export function safeText(
  text: string,
  redact: Redact,
): { readonly text: string; readonly secrets: number } {
  const { lines, secretLines } = safeLines(text, redact)
  return { text: lines.join(""), secrets: secretLines.length }
}

export function safeLine(
  text: string,
  { redact, mostUnits }: { readonly redact: Redact; readonly mostUnits: number },
): string {
  return cleanLine(safeText(text, redact).text, mostUnits)
}

/** Unchanged, so that it names the same file again, unless it contains a secret. */
export function safePath(path: string, redact: Redact): string {
  const safe = safeText(path, redact)
  return safe.secrets > 0 ? safe.text : path
}
