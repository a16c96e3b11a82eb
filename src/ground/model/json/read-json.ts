import { DEEPEST_JSON_LEVELS } from "../limits.ts"

export type JsonReading =
  | { readonly kind: "value"; readonly value: unknown; readonly end: number }
  | { readonly kind: "cut" | "none"; readonly end: number }

/**
 * Reads one value with comments, trailing or missing commas, single or curly quotes, bare keys,
 * Python literals, and line breaks inside strings. It never backtracks, so its work is linear.
 */
export function readJson(text: string, start: number): JsonReading {
  const state: State = { text, at: start }
  const reading = readValue(state, 0)
  if (reading !== undefined) return { kind: "value", value: reading.value, end: state.at }
  return { kind: state.at >= text.length ? "cut" : "none", end: state.at }
}

type State = { readonly text: string; at: number }
type ParsedValue = { readonly value: unknown } | undefined

const CLOSING: Readonly<Record<string, string>> = { '"': '"', "'": "'", "“": "”", "‘": "’" }

function readValue(state: State, level: number): ParsedValue {
  skipBlank(state)
  const character = state.text[state.at] ?? ""
  if (level > DEEPEST_JSON_LEVELS) return undefined
  if (character === "{") return readObject(state, level)
  if (character === "[") return readArray(state, level)
  return character in CLOSING ? readString(state) : readWord(state)
}

function readObject(state: State, level: number): ParsedValue {
  const entries: [string, unknown][] = []
  state.at += 1
  while (!takes(state, "}")) {
    const key = readKey(state)
    if (key === undefined || !takes(state, ":")) return undefined
    const reading = readValue(state, level + 1)
    if (reading === undefined) return undefined
    entries.push([key, reading.value])
    takes(state, ",")
  }
  // Unlike an assignment, `fromEntries` makes `__proto__` an ordinary field.
  return { value: Object.fromEntries(entries) }
}

function readArray(state: State, level: number): ParsedValue {
  const values: unknown[] = []
  state.at += 1
  while (!takes(state, "]")) {
    const reading = readValue(state, level + 1)
    if (reading === undefined) return undefined
    values.push(reading.value)
    takes(state, ",")
  }
  return { value: values }
}

const BARE_KEY = /[\p{L}_$][\p{L}\p{N}_$-]*/uy

function readKey(state: State): string | undefined {
  if ((state.text[state.at] ?? "") in CLOSING) return readString(state)?.value
  return match(state, BARE_KEY)
}

function readString(state: State): { readonly value: string } | undefined {
  const { text } = state
  const closing = CLOSING[text[state.at] ?? ""]
  const parts: string[] = []
  let from = state.at + 1
  for (let at = from; at < text.length; at += 1) {
    const character = text[at]
    if (character === closing) {
      state.at = at + 1
      return { value: parts.join("") + text.slice(from, at) }
    }
    if (character !== "\\") continue
    const escape = readEscape(text, at)
    parts.push(text.slice(from, at), escape.text)
    at = escape.end - 1
    from = escape.end
  }
  state.at = text.length
  return undefined
}

const ESCAPED: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  "\n": "\n",
}
const UNICODE_ESCAPE = /\\u([\dA-Fa-f]{4})/y

/** An invalid escape such as `\d` or `\alpha` is taken literally. */
function readEscape(text: string, at: number): { readonly text: string; readonly end: number } {
  UNICODE_ESCAPE.lastIndex = at
  const code = UNICODE_ESCAPE.exec(text)?.[1]
  if (code !== undefined)
    return { text: String.fromCharCode(Number.parseInt(code, 16)), end: at + 6 }
  const character = text[at + 1] ?? ""
  const escaped = ESCAPED[character]
  const isLetter = /[\p{L}\p{N}]/u.test(character)
  return { text: escaped ?? (isLetter ? `\\${character}` : character), end: at + 2 }
}

const NUMBER = /[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\p{L}\p{N}_.])/uy
const WORD = /-?[A-Za-z]+(?![\p{L}\p{N}_])/uy
const WORDS: Readonly<Record<string, unknown>> = {
  true: true,
  false: false,
  null: null,
  none: null,
  undefined: null,
  nan: null,
  infinity: null,
  "-infinity": null,
}

function readWord(state: State): ParsedValue {
  const number = match(state, NUMBER)
  if (number !== undefined) return { value: Number(number) }
  const start = state.at
  const word = match(state, WORD)?.toLowerCase()
  if (word !== undefined && Object.hasOwn(WORDS, word)) return { value: WORDS[word] }
  // A text that ends with `tru` is truncated; any other word is not JSON.
  const isBegun = word !== undefined && Object.keys(WORDS).some((it) => it.startsWith(word))
  if (!(isBegun && state.at >= state.text.length)) state.at = start
  return undefined
}

function match(state: State, pattern: RegExp): string | undefined {
  pattern.lastIndex = state.at
  const [match] = pattern.exec(state.text) ?? []
  if (match !== undefined) state.at += match.length
  return match
}

function takes(state: State, character: string): boolean {
  skipBlank(state)
  const isThere = state.text[state.at] === character
  if (!isThere) return false
  state.at += 1
  skipBlank(state)
  return true
}

const BLANK = /[\s\uFEFF]+/y

function skipBlank(state: State): void {
  for (;;) {
    match(state, BLANK)
    const opening = state.text.slice(state.at, state.at + 2)
    if (opening === "//") skipPast(state, "\n")
    else if (opening === "/*") skipPast(state, "*/")
    else return
  }
}

function skipPast(state: State, closing: string): void {
  const end = state.text.indexOf(closing, state.at + 2)
  state.at = end < 0 ? state.text.length : end + closing.length
}
