import { oneLine, withoutHiddenCharacters } from "#ground/base"
import type { Redact } from "#ground/secrets"

type RedactedText = { readonly text: string; readonly redactions: number }

/**
 * Removes invisible characters first, because one inside a secret hides it. One between a word and
 * a secret separates them, and such a secret is only found with it, so it is redacted before.
 */
export function redactText(text: string, redact: Redact): RedactedText {
  const plain = withoutHiddenCharacters(text)
  const after = redact(plain)
  if (plain === text) return answer(after)
  const before = redact(text)
  if (before.findings.length <= after.findings.length) return answer(after)
  const both = redact(withoutHiddenCharacters(before.text))
  return { text: both.text, redactions: before.findings.length + both.findings.length }
}

export function redactLine(text: string, redact: Redact): RedactedText {
  return redactText(oneLine(text), redact)
}

function answer({ text, findings }: ReturnType<Redact>): RedactedText {
  return { text, redactions: findings.length }
}
