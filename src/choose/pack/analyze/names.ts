import { MOST_NAMED_SYMBOLS } from "../limits.ts"

/**
 * Names of code in a text: in backticks, called, camelCase, PascalCase, snake_case. A capitalised
 * word is one inside a sentence only; at its start every word has a capital.
 */
export function findNames(text: string): readonly string[] {
  const places = new Map<string, number>()
  const note = (name: string, at: number) => {
    if (name.length >= 2 && !places.has(name)) places.set(name, at)
  }
  for (const match of text.matchAll(QUOTED)) {
    for (const name of namesIn(match[1] ?? "")) note(name, match.index)
  }
  for (const match of text.matchAll(WORD)) {
    const [word] = match
    const end = match.index + word.length
    const isCalled = text[end] === "(" && !/^\((?:s|es)\)/.test(text.slice(end, end + 4))
    if (isCalled || isName(word, isAtStart(text, match.index))) note(word, match.index)
  }
  // As they stand in the text, whichever pattern found them.
  const inOrder = [...places].toSorted(([, a], [, b]) => a - b)
  return inOrder.slice(0, MOST_NAMED_SYMBOLS).map(([name]) => name)
}

const QUOTED = /`([^`\n]{1,200})`/g
const WORD = /[A-Za-z_$][\w$]{1,100}/g

/** `Bill.total()`, `Bill::total` and `bill->total` are two names; a sentence in backticks is none. */
function namesIn(quoted: string): readonly string[] {
  const chain = quoted.trim().replace(/\(.*$/, "")
  const names = chain.split(/\.|::|->|#/)
  return names.every((it) => /^[A-Za-z_$][\w$]{0,100}$/.test(it)) ? names : []
}

function isName(word: string, isFirst: boolean): boolean {
  const hasInnerCapital = /[a-z0-9][A-Z]/.test(word) || /^[A-Z]{2,20}[a-z]{2}/.test(word)
  const hasInnerUnderscore = /[A-Za-z0-9]_[A-Za-z0-9]/.test(word)
  if (hasInnerCapital || hasInnerUnderscore) return true
  return !isFirst && /^[A-Z][a-z0-9]{2,100}$/.test(word)
}

/** Whether a sentence, a line or an item of a list begins here. */
function isAtStart(text: string, index: number): boolean {
  let at = index - 1
  while (at >= 0 && index - at < 20 && BETWEEN.has(text[at] ?? "")) at--
  return at < 0 || ENDS.has(text[at] ?? "")
}

const BETWEEN: ReadonlySet<string> = new Set(" \t\"'(*_[")
const ENDS: ReadonlySet<string> = new Set(".!?:;\n\r-#>|•")
