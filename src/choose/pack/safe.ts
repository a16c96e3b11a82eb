import { withoutHiddenSigns } from "#ground/base"
import { type Redact, redactLines, type SafeLines } from "#ground/secrets"
import { cleanLine } from "./render/clean.ts"

/**
 * A text line by line, each with its number, without hidden signs and secrets. Signs go first: a
 * secret with one inside is known for a secret only without it. Where one stood beside a secret and
 * kept it apart from a word, the secret is known only with it, and is replaced before.
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

/** Whether one line at least has more secrets here than there. */
function hasMore(here: readonly number[], there: readonly number[]): boolean {
  const counts = Map.groupBy(there, (it) => it)
  return [...Map.groupBy(here, (it) => it)].some(
    ([line, found]) => found.length > (counts.get(line)?.length ?? 0),
  )
}

/** The same as one text, with the number of secrets that were in it. */
export function safeText(
  text: string,
  redact: Redact,
): { readonly text: string; readonly secrets: number } {
  const { lines, secretLines } = safeLines(text, redact)
  return { text: lines.join(""), secrets: secretLines.length }
}

/** The same on one line, at most so many units of it. */
export function safeLine(
  text: string,
  { redact, mostUnits }: { readonly redact: Redact; readonly mostUnits: number },
): string {
  return cleanLine(safeText(text, redact).text, mostUnits)
}

/** A path stays as it was written, so that it names the same file again, unless it has a secret. */
export function safePath(path: string, redact: Redact): string {
  const safe = safeText(path, redact)
  return safe.secrets > 0 ? safe.text : path
}
