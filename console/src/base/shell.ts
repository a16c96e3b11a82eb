import { visibleLine } from "./format.ts"

const PLAIN = /^[\w@%+=:,./-]+$/

/** Quoted for a shell; undefined with a control character, because it must not be pasted. */
export function shellWord(text: string): string | undefined {
  if (visibleLine(text) !== text) return undefined
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
