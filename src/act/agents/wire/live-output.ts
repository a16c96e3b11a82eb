/** Output is held until the end of its line or key; a 16,384-bit key has 13 kB. */
export const MAX_HELD_OUTPUT_CHARACTERS = 64 * 1024

const CONTEXT_CHARACTERS = 2_000

type HeldOutput = {
  text: string
  /**
   * The unredacted end of the emitted output: a name on one line may have its value on the next.
   */
  before: string
  /** Nothing more is emitted until the activity's end, which has the whole output. */
  isSilent: boolean
}

/**
 * Output of activities while it arrives in chunks. A chunk may end inside a secret, and neither
 * half is recognised; so only whole lines are emitted, redacted together with those before them.
 */
export function createLiveOutput(redact: (text: string) => string) {
  const heldById = new Map<string, HeldOutput>()
  return {
    take(activityId: string, piece: string): string {
      const held = heldById.get(activityId) ?? { text: "", before: "", isSilent: false }
      heldById.set(activityId, held)
      if (held.isSilent) return ""
      held.text += piece
      const lines = wholeLines(held.text)
      held.text = held.text.slice(lines.length)
      const isTooLong = held.text.length > MAX_HELD_OUTPUT_CHARACTERS
      const output = lines === "" ? "" : redactNew(redact, held.before, lines)
      held.before = `${held.before}${lines}`.slice(-CONTEXT_CHARACTERS)
      if (isTooLong || output === undefined) {
        held.text = ""
        held.isSilent = true
      }
      return output ?? ""
    },
    drop: (activityId: string): void => void heldById.delete(activityId),
  }
}

function wholeLines(text: string): string {
  return toLastLineEnd(beforeOpenBlock(toLastLineEnd(text)))
}

/** A carriage return ends a line too: progress bars use it. */
function toLastLineEnd(text: string): string {
  return text.slice(0, Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1)
}

function redactNew(
  redact: (text: string) => string,
  before: string,
  lines: string,
): string | undefined {
  const emitted = redact(before)
  const all = redact(before + lines)
  return all.startsWith(emitted) ? all.slice(emitted.length) : undefined
}

/** Where a multi-line key begins (PEM and similar, PuTTY) and ends. */
const KEY_START = /-----BEGIN|Private-Lines:/g
const KEY_END = /-----END[ +][A-Z0-9 +]{0,40}-----|Private-(?:MAC|Hash):[^\n]{0,200}\n/g

/** Returns the text before an unfinished key block: its first part may not look like a key. */
export function beforeOpenBlock(text: string): string {
  KEY_START.lastIndex = 0
  for (let start = KEY_START.exec(text); start !== null; start = KEY_START.exec(text)) {
    KEY_END.lastIndex = KEY_START.lastIndex
    if (KEY_END.exec(text) === null) return text.slice(0, start.index)
    KEY_START.lastIndex = KEY_END.lastIndex
  }
  return text
}

const TORN_KEY =
  /^(?:[A-Za-z0-9+/=]{16,}\r?(?:\n|$))*(?:[A-Za-z0-9+/=]*\r?\n?-----END[^\n]*(?:\n|$))?/

/** For the end of a longer text: removes a possible second half of a secret. */
export function withoutTornStart(text: string): string {
  const line = text.indexOf("\n")
  const space = line >= 0 ? line : text.search(/\s/)
  return space < 0 ? "" : text.slice(space + 1).replace(TORN_KEY, "")
}
