import { isFunctionWord, type Token } from "./tokens.ts"

/** A phrase of fewer words may have no function word in any language. */
const SHORTEST_JUDGED_WORDS = 8
const LATIN = /^[\p{Script=Latin}\p{M}'’‑-]+$/u

/**
 * Whether these rules can read it. Terms, negations and modals are known in English only; nothing is
 * asserted about what is written in another language but its figures and whether a citation exists.
 */
export function isReadable(tokens: readonly Token[]): boolean {
  const words = tokens.filter((token) => token.kind === "word")
  if (words.some((word) => !LATIN.test(word.text)) && isMostlyForeign(words)) return false
  const ours = words.filter((word) => isFunctionWord(word.plain) && !SHARED.has(word.plain)).length
  const theirs = words.filter((word) => FOREIGN.has(word.plain)).length
  return ours > theirs || (theirs === 0 && words.length < SHORTEST_JUDGED_WORDS)
}

function isMostlyForeign(words: readonly Token[]): boolean {
  return words.filter((word) => !LATIN.test(word.text)).length * 2 > words.length
}

/** English words that other languages write as well: "in" (German, Italian), "on" (French). */
const SHARED = new Set("a an am as at do he i in it me no on so us was will".split(" "))

/** The most frequent small words of the languages people here write next to English. */
const FOREIGN = new Set(
  `der die das den dem des ein eine einen einer und oder nicht ist sind im von zu mit für auf wird muss
  darf nach bei le la les un une du et ou est sont pas dans pour par sur avec qui que ne el los las y
  es una con por para del al se il lo gli di che è non per della nel het een niet van en dat op te
  voor o os da não em um uma och är att inte det som på w nie jest się z na og ikke er til`.split(
    /\s+/,
  ),
)
