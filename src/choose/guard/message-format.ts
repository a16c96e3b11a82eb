import { sliceBytes, truncate, visibleLine } from "#ground/base"

const LONGEST_SHOWN_UNITS = 200

/** For foreign names: one line, no invisible characters, truncated. */
export function shown(text: string): string {
  return visibleLine(truncate(text, LONGEST_SHOWN_UNITS))
}

export function asArgument(path: string): string {
  const isPlain = /^[\w@%+:,./-]+$/.test(path) && !path.startsWith("-")
  return isPlain ? path : `'${visibleLine(path).replaceAll("'", String.raw`'\''`)}'`
}

/** Empty if the id cannot be typed in a shell. */
export function sessionFlag(session: string): string {
  return /^[\w.:-]{1,100}$/.test(session) ? ` --session ${session}` : ""
}

export function firstOf(items: readonly string[], most: number): string {
  const rest = items.length - most
  const listed = items.slice(0, most).join(", ")
  return rest > 0 ? `${listed} and ${rest} more` : listed
}

/** Whole lines of at most `maxBytes`; a longer first line is truncated between characters. */
export function sliceLines(text: string, maxBytes: number): string {
  const head = sliceBytes(text, maxBytes)
  const end = head.lastIndexOf("\n")
  return head === text || end <= 0 ? head : head.slice(0, end)
}
