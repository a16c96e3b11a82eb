import { visibleLine, withoutHiddenSigns } from "#ground/base"
import { LONGEST_QUOTED_UNITS, LONGEST_SESSION_UNITS } from "./limits.ts"

/** A line of somebody else's text, marked as such: one line, nothing hidden, not too long. */
export function quoted(text: string): string {
  return `> ${inline(text)}`
}

/** The same inside of a sentence of ours. */
export function inline(text: string): string {
  return cut(visibleLine(withoutHiddenSigns(text.replace(/\s+/g, " ").trim())))
}

function cut(text: string, most = LONGEST_QUOTED_UNITS): string {
  const points = [...text]
  return points.length > most ? `${points.slice(0, most).join("")}…` : text
}

/** The beginning of a session's id, which may be any text. */
export function shortSession(session: string): string {
  return cut(visibleLine(withoutHiddenSigns(session)), LONGEST_SESSION_UNITS)
}

/** How long ago, in one unit. A moment that is still to come is now: clocks differ. */
export function ago(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 1) return "just now"
  if (minutes < 120) return `${counted(minutes, "minute")} ago`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} hours ago` : `${Math.floor(hours / 24)} days ago`
}

export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`
}

/** The first few, and how many more there are. */
export function listed(items: readonly string[], most: number): string {
  const shown = items.slice(0, most).map(inline).join(", ")
  return items.length > most ? `${shown} and ${items.length - most} more` : shown
}
