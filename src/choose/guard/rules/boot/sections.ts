import {
  type OpenFolder,
  openFolder,
  truncate,
  visibleLine,
  withoutHiddenCharacters,
} from "#ground/base"
import type { HookContext } from "../../event.ts"

export type BootInput = {
  readonly session: string
  readonly context: HookContext
  readonly now: number
  readonly isShort: boolean
}

export function openPlain(path: string): OpenFolder | undefined {
  const opened = openFolder(path)
  return opened.kind === "open" ? opened.folder : undefined
}

const LONGEST_QUOTED_UNITS = 140

const LONGEST_SESSION_UNITS = 13

/** Quotes foreign text: one line, no invisible characters, truncated. */
export function quoted(text: string): string {
  return `> ${inline(text)}`
}

export function inline(text: string): string {
  const line = visibleLine(withoutHiddenCharacters(text.replace(/\s+/g, " ").trim()))
  return truncate(line, LONGEST_QUOTED_UNITS)
}

/** Ids may be any text; their beginning distinguishes them. */
export function shortSession(session: string): string {
  return truncate(visibleLine(withoutHiddenCharacters(session)), LONGEST_SESSION_UNITS)
}
