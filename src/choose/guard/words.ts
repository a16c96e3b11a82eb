import { visibleLine } from "#ground/base"
import { LONGEST_SHOWN_UNITS } from "./limits.ts"

/** Names come from outside: on one line, with nothing hidden, and no longer than is read. */
export function shown(text: string): string {
  const line = visibleLine(text.slice(0, LONGEST_SHOWN_UNITS))
  return text.length <= LONGEST_SHOWN_UNITS ? line : `${line}…`
}

/** A path as a word of a command line, whatever signs it has. */
export function asArgument(path: string): string {
  const isPlain = /^[\w@%+:,./-]+$/.test(path) && !path.startsWith("-")
  return isPlain ? path : `'${visibleLine(path).replaceAll("'", String.raw`'\''`)}'`
}

/** Says whose a command is, where the id can be typed; hosts take ids that can. */
export function sessionFlag(session: string): string {
  return /^[\w.:-]{1,100}$/.test(session) ? ` --session ${session}` : ""
}

export function ago(ms: number): string {
  const minutes = Math.round(Math.max(0, ms) / 60_000)
  if (minutes < 1) return "less than a minute ago"
  if (minutes < 60) return minutes === 1 ? "a minute ago" : `${minutes} minutes ago`
  const hours = Math.round(minutes / 60)
  return hours === 1 ? "an hour ago" : `${hours} hours ago`
}

/** The first few, and how many more there are. */
export function firstOf(items: readonly string[], most: number): string {
  const rest = items.length - most
  const listed = items.slice(0, most).join(", ")
  return rest > 0 ? `${listed} and ${rest} more` : listed
}
