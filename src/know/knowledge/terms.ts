import type { TermCounts } from "#know/search"

/**
 * Words of prose in any script, and numbers as documents write them (4.2). The terms of code, which
 * search/words.ts makes for the ranker, know neither; the index and its formula are the same.
 */
export function countProse(text: string): { readonly counts: TermCounts; readonly length: number } {
  const counts = new Map<string, number>()
  let length = 0
  eachWord(text, (term) => {
    length++
    counts.set(term, (counts.get(term) ?? 0) + 1)
  })
  return { counts, length }
}

/** Each word as it is compared, with the word as it was written. */
export function eachWord(text: string, visit: (term: string, word: string) => void): void {
  for (const word of text.normalize("NFKC").match(WORD) ?? []) {
    if (UNSPACED.test(word)) for (const pair of pairsOf(word)) visit(pair, pair)
    else if (word.length <= LONGEST_TERM_UNITS) visit(fold(word), word)
  }
}

/** Words that stand in every question. What a rule says (shall, may, not) is kept. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a an and are as at be been by do does for from had has have he her here his how i if in into is
  it its me my of on or our she so than that the their them then there these they this those to was
  we were what when where which who whom whose why will with would you your`.split(/\s+/),
)

const WORD = /\p{N}{1,6}(?:\.\p{N}{1,6}){1,6}|[\p{L}\p{M}\p{N}]+/gu
const LONGEST_TERM_UNITS = 80

/** Scripts without spaces between words: two signs at a time find what stands in them. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

function pairsOf(word: string): readonly string[] {
  const signs = Array.from(word)
  if (signs.length === 1) return [word]
  return signs.slice(1).map((sign, at) => `${signs[at]}${sign}`)
}

/** The plural of English only: a stem would find more, and more that was not meant. */
function fold(word: string): string {
  const small = word.toLowerCase()
  if (small.length < 4 || !small.endsWith("s")) return small
  if (/(?:ss|us|is)$/.test(small)) return small
  if (small.endsWith("ies") && small.length > 4) return `${small.slice(0, -3)}y`
  return /(?:sses|shes|ches|xes)$/.test(small) ? small.slice(0, -2) : small.slice(0, -1)
}
