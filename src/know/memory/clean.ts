import { oneLine, withoutHiddenSigns } from "#ground/base"
import type { Redact } from "#ground/secrets"

type Cleaned = { readonly text: string; readonly redactions: number }

/**
 * Removes hidden characters, then secrets. A hidden character inside a secret hides it, so characters go
 * first. One beside a secret may separate it from a word; then the secret is found only with it, and is
 * replaced before.
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

export function cleanedLine(text: string, redact: Redact): Cleaned {
  return cleaned(oneLine(text), redact)
}

function answer({ text, findings }: ReturnType<Redact>): Cleaned {
  return { text, redactions: findings.length }
}
