import type { Secrets } from "./secrets.ts"

export type Redact = Secrets["redact"]

export type SafeLines = {
  readonly lines: readonly (string | undefined)[]
  readonly secretLines: readonly number[]
}

/**
 * Secrets are searched in the whole text, because a part of a secret is not recognized. A secret
 * over several lines leaves its marker on the first and empty lines for the others.
 */
export function redactLines(text: string, redact: Redact): SafeLines {
  const redacted = redact(text)
  if (redacted.findings.length === 0) return { lines: linesOf(text), secretLines: [] }
  return placeLines(text, redacted)
}

function placeLines(text: string, { text: safe, findings }: ReturnType<Redact>): SafeLines {
  const lines = linesOf(safe)
  const total = linesOf(text).length
  const placed: (string | undefined)[] = Array.from({ length: total }, () => undefined)
  const shifts = findings.map(({ line, start }) => {
    const inSafe = newlinesBefore(safe, start)
    return { inSafe, swallowed: line - 1 - inSafe }
  })
  let next = 0
  for (const [index, line] of lines.entries()) {
    while (next < shifts.length && (shifts[next]?.inSafe ?? 0) < index) next++
    // Lines removed before this line: as many as before the next secret, or at the end.
    const swallowed = shifts[next]?.swallowed ?? total - lines.length
    placed[index + swallowed] = line
  }
  return { lines: placed, secretLines: findings.map((it) => it.line) }
}

export function redactKeepingLines(text: string, redact: Redact): string {
  const redacted = redact(text)
  if (redacted.findings.length === 0) return text
  const { lines } = placeLines(text, redacted)
  // If a secret included the end of the text, the line it started on has lost its newline.
  const isLast = (at: number) => at === lines.length - 1
  const complete = lines.map((it = "\n", at) => (isLast(at) || it.endsWith("\n") ? it : `${it}\n`))
  return complete.join("")
}

function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]+\n?|\n/g) ?? []
}

function newlinesBefore(text: string, end: number): number {
  let count = 0
  for (let at = text.indexOf("\n"); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) count++
  return count
}
