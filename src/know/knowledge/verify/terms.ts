import { figuresOf } from "./figures.ts"
import { isReadable } from "./language.ts"
import { LONGEST_TERM_WORDS, MOST_TERMS } from "./limits.ts"
import { splitSentences } from "./sentences.ts"
import { isFunctionWord, type Token, tokensOf } from "./tokens.ts"

/** Defined terms and names, as stems with a space between. */
export type Terms = ReadonlySet<string>

/**
 * What texts treat as a term: written large inside a sentence ("Berth Window", "Marsh"), quoted
 * or emphasised ("firm quote"), or explained ("demurrage means ...").
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

/** A whole sentence in quotation marks is no term. */
function addTerm(terms: Set<string>, tokens: readonly Token[]): void {
  const words = tokens.filter((token) => token.kind === "word")
  const isTerm = words.length > 0 && words.length === tokens.length && words.length <= 4
  if (isTerm) keep(terms, words)
}

/** EUR, March and Annex are written large too, yet belong to a figure. A sign keeps its place. */
function withoutFigures(tokens: readonly Token[]): readonly Token[] {
  const kept = [...tokens]
  for (const { from, to } of figuresOf(tokens)) {
    for (const [at, token] of tokens.slice(from, to).entries()) {
      kept[from + at] = { ...token, kind: "sign", stem: "" }
    }
  }
  return kept
}

function addWritten(terms: Set<string>, tokens: readonly Token[]): void {
  let at = 0
  while (at < tokens.length) {
    const end = endOfRun(tokens, at)
    const run = withoutOpener(tokens.slice(at, end))
    // One large word at the beginning of a sentence says nothing: all of them are.
    const isTerm = run.length > 1 || (run.length === 1 && run[0] !== tokens[0])
    if (isTerm && end > at) keep(terms, run)
    at = Math.max(end, at + 1)
  }
  const means = tokens.findIndex((token) => token.plain === "means")
  if (means > 0 && means <= 4) keep(terms, withoutOpener(tokens.slice(0, means)))
}

/** Words written large in a row; "of" may stand between: "Port of Tideline". */
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
  const isKept = words.length > 0 && words.every((word) => word.stem !== "")
  if (isKept && terms.size < MOST_TERMS) terms.add(words.map((word) => word.stem).join(" "))
}
