import { type TermCounts, wordForms } from "#know/search"

/** The terms of a question, with the word as written and how often it occurs. */
export function askedIn(question: string) {
  const terms = new Map<string, { readonly word: string; times: number }>()
  eachWord(question, (term, word) => {
    // As written: the fold could turn a stop word into another word.
    if (STOP_WORDS.has(word.toLowerCase())) return
    const before = terms.get(term)
    if (before === undefined) terms.set(term, { word, times: 1 })
    else before.times++
  })
  return terms
}

/** Share of the different words of a question that a text has, also in another form. */
export function wordShare(question: string, text: string): number {
  const terms = [...askedIn(question).keys()]
  if (terms.length === 0) return 0
  const { counts } = countProse(text)
  const has = (term: string) => counts.has(term) || wordForms(term).some((it) => counts.has(it))
  return terms.filter(has).length / terms.length
}

/** Words in any script, and section numbers (4.2). The code terms of search/words.ts have neither. */
export function countProse(text: string): { readonly counts: TermCounts; readonly length: number } {
  const counts = new Map<string, number>()
  let length = 0
  eachWord(text, (term) => {
    length++
    counts.set(term, (counts.get(term) ?? 0) + 1)
  })
  return { counts, length }
}

function eachWord(text: string, visit: (term: string, word: string) => void): void {
  for (const word of text.normalize("NFKC").match(WORD) ?? []) {
    if (UNSPACED.test(word)) for (const pair of pairsOf(word)) visit(pair, pair)
    else if (word.length <= LONGEST_TERM_UNITS) visit(fold(word), word)
  }
}

/** Without shall, may, not, which rules depend on. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `a an and are as at be been by do does for from had has have he her here his how i if in into is
  it its me my of on or our she so than that the their them then there these they this those to was
  we were what when where which who whom whose why will with would you your`.split(/\s+/),
)

const WORD = /\p{N}{1,6}(?:\.\p{N}{1,6}){1,6}|[\p{L}\p{M}\p{N}]+/gu
const LONGEST_TERM_UNITS = 80

/** Scripts without spaces: pairs of characters are terms. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

function pairsOf(word: string): readonly string[] {
  const characters = Array.from(word)
  if (characters.length === 1) return [word]
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`)
}

/** English plural only; other forms of a word count less (`withForms`). */
function fold(word: string): string {
  const small = word.toLowerCase()
  if (small.length < 4 || !small.endsWith("s")) return small
  if (/(?:ss|us|is)$/.test(small)) return small
  if (small.endsWith("ies") && small.length > 4) return `${small.slice(0, -3)}y`
  return /(?:sses|shes|ches|xes)$/.test(small) ? small.slice(0, -2) : small.slice(0, -1)
}

/** The terms of a short phrase in order, without stop words. */
export function phraseTerms(phrase: string): readonly string[] {
  return [...askedIn(phrase).keys()]
}
