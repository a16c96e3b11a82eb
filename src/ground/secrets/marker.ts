/** One replacement. Nothing in it can be turned back into the secret. */
export type SecretFinding = {
  readonly kind: string
  /** The line of the given text in which the secret begins; the first is 1. */
  readonly line: number
  /** Four digits of a salted hash: equal for equal secrets, within one instance. */
  readonly hash: string
  /** Where the replacement stands in the answer. */
  readonly start: number
  readonly end: number
}

export type Redacted = { readonly text: string; readonly findings: readonly SecretFinding[] }

/** The text that takes the place of a secret. */
export function markerOf(kind: string, hashDigits: string): string {
  return `[redacted: ${kind} ${hashDigits}]`
}

/** All markers in a text, whoever made them. No digits in the kind: a key could pass for one. */
export const MARKER = /\[redacted: [a-z-]{1,40} [0-9a-f]{4}\]/g
