/** Where a key begins that goes over several lines: PEM and its like, and PuTTY's. */
const OPENING = /-----BEGIN|Private-Lines:/g

/** Where it ends, by its last character. */
const CLOSING = /-----END[ +][A-Z0-9 +]{0,40}-----|Private-(?:MAC|Hash):[^\n]*\n/g

/**
 * The text up to a block of a key that has begun and not yet ended: while it grows, the part that is
 * there may not look like a key, and is shown before it does.
 */
export function beforeOpenBlock(text: string): string {
  OPENING.lastIndex = 0
  for (let begin = OPENING.exec(text); begin !== null; begin = OPENING.exec(text)) {
    CLOSING.lastIndex = OPENING.lastIndex
    if (CLOSING.exec(text) === null) return text.slice(0, begin.index)
    OPENING.lastIndex = CLOSING.lastIndex
  }
  return text
}

/** Lines of a key whose beginning is not there, and its end. */
const TORN_KEY =
  /^(?:[A-Za-z0-9+/=]{16,}\r?(?:\n|$))*(?:[A-Za-z0-9+/=]*\r?\n?-----END[^\n]*(?:\n|$))?/

/** The end of a longer text, without what may be the second half of a secret. */
export function withoutTornStart(text: string): string {
  const line = text.indexOf("\n")
  const word = line >= 0 ? line : text.search(/\s/)
  return word < 0 ? "" : text.slice(word + 1).replace(TORN_KEY, "")
}
