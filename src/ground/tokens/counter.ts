import { hash } from "node:crypto"
import { LRUCache } from "lru-cache"
import { ownCopy } from "#ground/base"
import type { TokenEncoding } from "#ground/contract"
import { countMerged } from "./merge.ts"
import { slicesOf } from "./slices.ts"
import type { Vocabulary } from "./vocabulary.ts"

const MOST_CACHED_TEXT_BYTES = 16_000_000

/** Texts already counted: a repository of 50,000 files fits, at about 200 bytes a text. */
const MOST_CACHED_TEXTS = 50_000

/** A text below this is counted in less time than its hash and its place in the cache cost. */
const SHORTEST_CACHED_TEXT_CHARACTERS = 1_024

const MOST_REMEMBERED_WORD_BYTES = 8_000_000

/** Words already counted. 16,000 distinct ones occurred in 6 MB of source; four times that. */
const MOST_REMEMBERED_WORDS = 65_536

/** Words beyond this are rare and long: remembering them would spend the memory on one file. */
const LONGEST_REMEMBERED_WORD_CHARACTERS = 64

export type TokenCounter = {
  readonly encoding: TokenEncoding
  /** Exact for the encoding. Whether a model counts the same is what `describe` says. */
  readonly exact: boolean
  readonly count: (text: string) => number
  readonly describe: () => string
}

export function createCounter(vocabulary: Vocabulary): TokenCounter {
  const countWords = createWordCounter(vocabulary)
  const countByHash = createCountCache(MOST_CACHED_TEXTS, MOST_CACHED_TEXT_BYTES)
  return {
    encoding: vocabulary.encoding,
    exact: true,
    count(text) {
      if (text.length < SHORTEST_CACHED_TEXT_CHARACTERS) return countWords(text)
      const key = hash("sha256", text, "base64url")
      const known = countByHash.get(key)
      if (known !== undefined) return known
      const tokens = countWords(text)
      countByHash.set(key, tokens)
      return tokens
    },
    describe: () => MEANING[vocabulary.encoding],
  }
}

const MEANING: Readonly<Record<TokenEncoding, string>> = {
  claude:
    "exact in the claude encoding; an estimate of a Claude model's own count, " +
    "which from Claude 4.7 on is about 30 % higher",
  o200k: "exact in the o200k encoding",
}

/**
 * Special tokens such as `<|endoftext|>` are no part of the vocabulary, so in a text they count as
 * the plain characters they are. Half a surrogate pair counts as the character that stands for it
 * in UTF-8.
 */
function createWordCounter(vocabulary: Vocabulary) {
  const countByWord = createCountCache(MOST_REMEMBERED_WORDS, MOST_REMEMBERED_WORD_BYTES)

  const countWord = (word: string): number => {
    if (vocabulary.rankOfText(word) !== undefined) return 1
    if (word.length > LONGEST_REMEMBERED_WORD_CHARACTERS) return countMerged(word, vocabulary)
    const known = countByWord.get(word)
    if (known !== undefined) return known
    const tokens = countMerged(word, vocabulary)
    // A word is a slice of its text, which must not stay in memory as long as the word.
    countByWord.set(ownCopy(word), tokens)
    return tokens
  }
  return (text: string): number => {
    let tokens = 0
    for (const slice of slicesOf(text.toWellFormed())) {
      for (const word of slice.match(vocabulary.wordPattern) ?? []) tokens += countWord(word)
    }
    return tokens
  }
}

/**
 * Counts by key, bounded in entries and in bytes. Without the option `max`, which allocates all entries
 * at once and takes milliseconds; instead each entry has at least its share of `maxBytes`.
 */
export function createCountCache(maxEntries: number, maxBytes: number) {
  const leastBytes = Math.ceil(maxBytes / maxEntries)
  return new LRUCache<string, number>({
    maxSize: maxBytes,
    sizeCalculation: (_tokens, key) => Math.max(leastBytes, 2 * key.length + 64),
  })
}
