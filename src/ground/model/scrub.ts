import { visibleLine } from "#ground/base"
import { LONGEST_REASON_CHARACTERS } from "./limits.ts"

const IN_PLACE_OF_THE_KEY = "[key]"

/** Takes the key out of what a server says, as it is and as JSON or a URL would write it. */
export function scrub(text: string, key: string | undefined): string {
  if (key === undefined || key === "") return text
  const forms = new Set([key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)])
  return [...forms].reduce((rest, form) => rest.replaceAll(form, IN_PLACE_OF_THE_KEY), text)
}

/** A server's sentence as a person may read it: no key, one line, not too long. */
export function reasonFrom(text: string, key: string | undefined): string {
  const line = visibleLine(scrub(text, key).trim())
  if (line === "") return "no reason was given"
  const isLong = line.length > LONGEST_REASON_CHARACTERS
  return isLong ? `${line.slice(0, LONGEST_REASON_CHARACTERS)}…` : line
}
