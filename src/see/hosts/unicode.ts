import { isUtf8 } from "node:buffer"

/** What a host written in Rust takes for blank at both ends; unlike JavaScript not a BOM. */
const BLANK = /^\p{White_Space}$/u

/** Letter by letter from both ends: an expression would begin anew at every blank inside. */
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

/** The text of a file whose bytes must be UTF-8; undefined when they are not. */
export function strictText(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString() : undefined
}

/** All on one line, with single spaces: how the hosts print a description. */
export function onOneLine(text: string): string {
  return text
    .split(/\p{White_Space}+/u)
    .filter((it) => it !== "")
    .join(" ")
}

export function firstCharacters(text: string, count: number): string {
  return text.length <= count ? text : Array.from(text).slice(0, count).join("")
}
