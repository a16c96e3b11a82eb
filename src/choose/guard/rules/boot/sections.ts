import { type OpenFolder, openFolder, visibleLine, withoutHiddenCharacters } from "#ground/base"
import type { HookWorld } from "../../event.ts"

export type BootInput = {
  readonly session: string
  readonly context: HookWorld
  readonly now: number
  readonly isShort: boolean
}

export function openPlain(path: string): OpenFolder | undefined {
  const opened = openFolder(path)
  return opened.kind === "open" ? opened.folder : undefined
}

const LONGEST_QUOTED_UNITS = 140

const LONGEST_SESSION_UNITS = 12

/** Quotes foreign text: one line, no invisible characters, truncated. */
export function quoted(text: string): string {
  return `> ${inline(text)}`
}

export function inline(text: string): string {
  return cut(visibleLine(withoutHiddenCharacters(text.replace(/\s+/g, " ").trim())))
}

function cut(text: string, most = LONGEST_QUOTED_UNITS): string {
  const points = [...text]
  return points.length > most ? `${points.slice(0, most).join("")}…` : text
}

/** Ids may be any text; their beginning distinguishes them. */
export function shortSession(session: string): string {
  return cut(visibleLine(withoutHiddenCharacters(session)), LONGEST_SESSION_UNITS)
}
