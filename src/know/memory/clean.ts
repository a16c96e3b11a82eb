import { withoutHiddenSigns } from "#ground/base"
import type { Redact } from "#ground/secrets"

export type Cleaned = { readonly text: string; readonly redactions: number }

/**
 * A text without hidden signs and secrets. Signs go first: a secret with one inside is known for a
 * secret only without it. Where one stood beside a secret and kept it apart from a word, the secret
 * is known only with it, and is replaced before.
 */
export function cleaned(text: string, redact: Redact): Cleaned {
  const plain = withoutHiddenSigns(text)
  const after = redact(plain)
  if (plain === text) return answer(after)
  const before = redact(text)
  if (before.findings.length <= after.findings.length) return answer(after)
  const both = redact(withoutHiddenSigns(before.text))
  return { text: both.text, redactions: before.findings.length + both.findings.length }
}

/** The same on one line. */
export function cleanedLine(text: string, redact: Redact): Cleaned {
  return cleaned(onOneLine(text), redact)
}

export function onOneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim()
}

function answer({ text, findings }: ReturnType<Redact>): Cleaned {
  return { text, redactions: findings.length }
}
