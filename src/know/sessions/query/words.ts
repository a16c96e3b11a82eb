const MAX_WORD_UNITS = 64

const MAX_QUERY_WORDS = 12

const WORD = /[\p{L}\p{N}_]+/gu
const PART = /(?<!\p{Lu})\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?\p{Ll}+|\p{Lu}+|\p{N}+|\p{Lo}+/gu

/**
 * The words of a text for both databases, whose own tokenizers treat paths and identifiers
 * differently: `cacheRead` gives `cacheread cache read`. Each word once: a line of code repeats
 * most of its words, and the index would be several times larger.
 */
export function indexWords(text: string): string {
  const words = new Set<string>()
  for (const word of new Set(text.match(WORD))) for (const it of wordsIn(word)) words.add(it)
  return [...words].join(" ")
}

/** A word as it is searched, and its parts if it has several. */
function wordsIn(word: string): readonly string[] {
  const whole = wholeWord(word)
  if (whole === "") return []
  const parts = word.length <= MAX_WORD_UNITS ? (word.match(PART) ?? []) : []
  return parts.length > 1 ? [whole, ...parts.map((it) => it.toLowerCase())] : [whole]
}

export function queryWords(query: string): readonly string[] {
  const words = (query.match(WORD) ?? []).map(wholeWord).filter((it) => it !== "")
  return [...new Set(words)].slice(0, MAX_QUERY_WORDS)
}

function wholeWord(word: string): string {
  return word.replaceAll("_", "").slice(0, MAX_WORD_UNITS).toLowerCase()
}

const EXCERPT_UNITS = 240

/** One line of at most 240 characters around the first place with a word of the query. */
export function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase()
  const places = words.map((it) => lower.indexOf(it)).filter((it) => it >= 0)
  const at = places.length === 0 ? 0 : Math.min(...places)
  const lineStart = text.lastIndexOf("\n", at) + 1
  const start = Math.max(lineStart, at - EXCERPT_UNITS / 3)
  const part = text.slice(start, start + EXCERPT_UNITS)
  const line = part.replace(/\s+/g, " ").trim().toWellFormed()
  const before = start > lineStart ? "…" : ""
  const after = start + EXCERPT_UNITS < text.length ? "…" : ""
  return `${before}${line}${after}`
}
