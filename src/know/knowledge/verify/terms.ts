import { figuresOf } from "./figures.ts"
import { LONGEST_TERM_WORDS } from "./limits.ts"
import { splitSentences } from "./sentences.ts"
import { isFunctionWord, type Token, tokensOf } from "./tokens.ts"

const MOST_TERMS = 5_000

export type Terms = ReadonlySet<string>

/**
 * Capitalised inside a sentence ("Berth Window", "Marsh"), quoted or emphasised ("firm quote"), or
 * defined ("demurrage means ...").
 */
export function termsOf(texts: Iterable<string>): Terms {
  const terms = new Set<string>()
  for (const text of texts) {
    for (const term of marked(text)) addTerm(terms, tokensOf(term))
    for (const sentence of splitSentences(text)) {
      const tokens = tokensOf(sentence.text)
      if (isReadable(tokens)) addWritten(terms, withoutFigures(tokens))
    }
  }
  return terms
}

const MARKED = /"([^"\n]{2,60})"|“([^”\n]{2,60})”|\*\*([^*\n]{2,60})\*\*/g

function* marked(text: string): Generator<string> {
  for (const match of text.matchAll(MARKED)) yield match[1] ?? match[2] ?? match[3] ?? ""
}

function addTerm(terms: Set<string>, tokens: readonly Token[]): void {
  const words = tokens.filter((token) => token.kind === "word")
  const isTerm = words.length > 0 && words.length === tokens.length && words.length <= 4
  if (isTerm) keep(terms, words)
}

/** EUR, March and Annex are capitalised too, but belong to a figure. */
function withoutFigures(tokens: readonly Token[]): readonly Token[] {
  const copy = [...tokens]
  for (const { from, to } of figuresOf(tokens)) {
    for (const [at, token] of tokens.slice(from, to).entries()) {
      copy[from + at] = { ...token, kind: "sign", stem: "" }
    }
  }
  return copy
}

function addWritten(terms: Set<string>, tokens: readonly Token[]): void {
  let at = 0
  while (at < tokens.length) {
    const end = endOfRun(tokens, at)
    const run = withoutOpener(tokens.slice(at, end))
    // Ignore a capitalised first word; every sentence starts with one.
    const isTerm = run.length > 1 || (run.length === 1 && run[0] !== tokens[0])
    if (isTerm && end > at) keep(terms, run)
    at = Math.max(end, at + 1)
  }
  const means = tokens.findIndex((token) => token.plain === "means")
  if (means > 0 && means <= 4) keep(terms, withoutOpener(tokens.slice(0, means)))
}

function endOfRun(tokens: readonly Token[], at: number): number {
  let end = at
  while (end - at < LONGEST_TERM_WORDS) {
    if (isLarge(tokens[end])) end++
    else if (end > at && tokens[end]?.plain === "of" && isLarge(tokens[end + 1])) end += 2
    else break
  }
  return end
}

function isLarge(token: Token | undefined): boolean {
  return token?.kind === "word" && token.plain.length > 1 && /^\p{Lu}/u.test(token.text)
}

function withoutOpener(run: readonly Token[]): readonly Token[] {
  const first = run.findIndex((token) => !isFunctionWord(token.plain))
  return first === -1 ? [] : run.slice(first)
}

function keep(terms: Set<string>, words: readonly Token[]): void {
  const isTerm = words.length > 0 && words.every((word) => word.stem !== "")
  if (isTerm && terms.size < MOST_TERMS) terms.add(words.map((word) => word.stem).join(" "))
}

/** A shorter phrase may have no function word in any language. */
const SHORTEST_JUDGED_WORDS = 8
const LATIN = /^[\p{Script=Latin}\p{M}'’‑-]+$/u

/**
 * The rules for terms, negations and modals are English only. For other languages only figures and the
 * existence of citations are checked.
 */
export function isReadable(tokens: readonly Token[]): boolean {
  const words = tokens.filter((token) => token.kind === "word")
  if (words.some((word) => !LATIN.test(word.text)) && isMostlyForeign(words)) return false
  const english = words.filter(
    (word) => isFunctionWord(word.plain) && !SHARED.has(word.plain),
  ).length
  const foreign = words.filter((word) => FOREIGN.has(word.plain)).length
  return english > foreign || (foreign === 0 && words.length < SHORTEST_JUDGED_WORDS)
}

function isMostlyForeign(words: readonly Token[]): boolean {
  return words.filter((word) => !LATIN.test(word.text)).length * 2 > words.length
}

/** Function words that other languages share: "in" (German, Italian), "on" (French). */
const SHARED = new Set("a an am as at do he i in it me no on so us was will".split(" "))

const FOREIGN = new Set(
  `der die das den dem des ein eine einen einer und oder nicht ist sind im von zu mit für auf wird muss
  darf nach bei le la les un une du et ou est sont pas dans pour par sur avec qui que ne el los las y
  es una con por para del al se il lo gli di che è non per della nel het een niet van en dat op te
  voor o os da não em um uma och är att inte det som på w nie jest się z na og ikke er til`.split(
    /\s+/,
  ),
)
