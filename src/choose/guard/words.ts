import { sliceBytes, visibleLine } from "#ground/base"

const LONGEST_SHOWN_UNITS = 200

/** Foreign names: one line, no hidden characters, truncated. */
export function shown(text: string): string {
  const line = visibleLine(text.slice(0, LONGEST_SHOWN_UNITS))
  return text.length <= LONGEST_SHOWN_UNITS ? line : `${line}…`
}

/** Quoted for a shell. */
export function asArgument(path: string): string {
  const isPlain = /^[\w@%+:,./-]+$/.test(path) && !path.startsWith("-")
  return isPlain ? path : `'${visibleLine(path).replaceAll("'", String.raw`'\''`)}'`
}

/** Empty where the id could not be typed. */
export function sessionFlag(session: string): string {
  return /^[\w.:-]{1,100}$/.test(session) ? ` --session ${session}` : ""
}

export function firstOf(items: readonly string[], most: number): string {
  const rest = items.length - most
  const listed = items.slice(0, most).join(", ")
  return rest > 0 ? `${listed} and ${rest} more` : listed
}

/** Whole lines of at most `maxBytes`; a first line that is longer is cut between characters. */
export function sliceLines(text: string, maxBytes: number): string {
  const head = sliceBytes(text, maxBytes)
  const end = head.lastIndexOf("\n")
  return head === text || end <= 0 ? head : head.slice(0, end)
}
