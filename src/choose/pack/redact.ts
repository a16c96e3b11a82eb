import { withoutHiddenCharacters } from "#ground/base"
import { type Redact, redactLines, type SafeLines } from "#ground/secrets"
import { cleanLine } from "./render.ts"

/**
 * Removes invisible characters first, because one inside a secret hides it. One between a word and a
 * secret separates them, and such a secret is only found with it, so it is redacted before.
 */
export function safeLines(text: string, redact: Redact): SafeLines {
  const cleaned = withoutHiddenCharacters(text)
  const after = redactLines(cleaned, redact)
  if (cleaned === text) return after
  const before = redactLines(text, redact)
  if (!hasMore(before.secretLines, after.secretLines)) return after
  const replaced = before.lines.map((it) => it ?? "\n").join("")
  const both = redactLines(withoutHiddenCharacters(replaced), redact)
  return { lines: both.lines, secretLines: [...before.secretLines, ...both.secretLines] }
}

function hasMore(here: readonly number[], there: readonly number[]): boolean {
  const counts = Map.groupBy(there, (it) => it)
  return [...Map.groupBy(here, (it) => it)].some(
    ([line, redactions]) => redactions.length > (counts.get(line)?.length ?? 0),
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

/** Returned unchanged unless it contains a secret, so that it still names the file. */
export function safePath(path: string, redact: Redact): string {
  const safe = safeText(path, redact)
  return safe.secrets > 0 ? safe.text : path
}
