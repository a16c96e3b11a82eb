/**
 * Terms of the index are made of plain letters. A word in other letters is spelt in them, so that
 * it is found too: `q`, then its signs by their numbers, whose digits are the letters `a` to `p`.
 * Signs of scripts that put no space between words are words of their own.
 */
export function withSpeltWords(text: string): string {
  const words = text.normalize("NFC").toLowerCase().match(OTHER_WORDS) ?? []
  return words.length === 0 ? text : `${text}\n${words.map(spelt).join(" ")}`
}

/** The word that a term stands for. */
export function readSpelt(term: string): string {
  if (!SPELT.test(term)) return term
  const numbers = term.slice(1, -1).split("q")
  return String.fromCodePoint(...numbers.map((it) => Number.parseInt(toDigits(it), 16)))
}

const OTHER_WORDS =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|(?=[\p{L}\p{M}\p{N}_]*[^\p{ASCII}])[\p{L}\p{M}\p{N}_]+/gu
const SPELT = /^q(?:[a-p]{1,6}q)+$/

/** As many signs as fit in a term. */
const MOST_SIGNS = 15

function spelt(word: string): string {
  const signs = Array.from(word).slice(0, MOST_SIGNS)
  return `q${signs.map((it) => `${toLetters(it.codePointAt(0) ?? 0)}q`).join("")}`
}

function toLetters(point: number): string {
  return Array.from(point.toString(16), (digit) =>
    String.fromCharCode(97 + Number.parseInt(digit, 16)),
  ).join("")
}

function toDigits(letters: string): string {
  return Array.from(letters, (it) => (it.charCodeAt(0) - 97).toString(16)).join("")
}
