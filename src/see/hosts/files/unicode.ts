import { isUtf8 } from "node:buffer"

/** White space as Rust defines it; unlike JavaScript without the BOM. */
const BLANK = /^\p{White_Space}$/u

/**
 * Trims character by character from both ends: a regular expression would restart at every blank
 * inside.
 */
export function trimBlank(text: string): string {
  let from = 0
  let to = text.length
  while (from < to && BLANK.test(text[from] ?? "")) from++
  while (to > from && BLANK.test(text[to - 1] ?? "")) to--
  return text.slice(from, to)
}

export function isBlank(text: string): boolean {
  return trimBlank(text) === ""
}

export function withoutByteOrderMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text
}

/** Undefined if the bytes are not UTF-8. */
export function strictText(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString() : undefined
}

export function onOneLine(text: string): string {
  return text
    .split(/\p{White_Space}+/u)
    .filter((it) => it !== "")
    .join(" ")
}

export function firstCharacters(text: string, count: number): string {
  return text.length <= count ? text : Array.from(text).slice(0, count).join("")
}
