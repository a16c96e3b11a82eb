import { MOST_HELD_OUTPUT_CHARACTERS, OUTPUT_BEFORE_CHARACTERS } from "./limits.ts"
import { beforeOpenBlock } from "./secret-block.ts"

type Held = {
  /** What came and is not told: the last line, or the beginning of a key. */
  text: string
  /** The end of what was told, as the host said it: a name on one line has its value on the next. */
  before: string
  /** Nothing more of it is told until its end, which has the whole. */
  isSilent: boolean
}

export type LiveOutput = ReturnType<typeof createLiveOutput>

/**
 * The output of activities while it comes in pieces. A piece may end inside a secret, and neither
 * half would be known for one; so only whole lines are told, redacted with those before them.
 */
export function createLiveOutput(redact: (text: string) => string) {
  const heldById = new Map<string, Held>()
  return {
    /** What can be told now; the rest waits, at the latest for the whole output. */
    take(activityId: string, piece: string): string {
      const held = heldById.get(activityId) ?? { text: "", before: "", isSilent: false }
      heldById.set(activityId, held)
      if (held.isSilent) return ""
      held.text += piece
      const lines = wholeLines(held.text)
      held.text = held.text.slice(lines.length)
      const isTooMuch = held.text.length > MOST_HELD_OUTPUT_CHARACTERS
      const told = lines === "" ? "" : newPart(redact, held.before, lines)
      held.before = `${held.before}${lines}`.slice(-OUTPUT_BEFORE_CHARACTERS)
      if (isTooMuch || told === undefined) Object.assign(held, { text: "", isSilent: true })
      return told ?? ""
    },
    drop(activityId: string): void {
      heldById.delete(activityId)
    },
  }
}

/** A key ends with its last line: one whose end is not a whole line yet is open. */
function wholeLines(text: string): string {
  return toLastLineEnd(beforeOpenBlock(toLastLineEnd(text)))
}

/** A carriage return ends a line too: it is how progress is drawn. */
function toLastLineEnd(text: string): string {
  return text.slice(0, Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1)
}

/** undefined when what is new makes a secret of what was told before. */
function newPart(
  redact: (text: string) => string,
  before: string,
  lines: string,
): string | undefined {
  const told = redact(before)
  const all = redact(before + lines)
  return all.startsWith(told) ? all.slice(told.length) : undefined
}
