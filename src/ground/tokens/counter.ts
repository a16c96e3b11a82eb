import { hash } from "node:crypto"
import { createRecentCache, ownCopy } from "#ground/base"
import type { TokenEncoding } from "#ground/contract"
import { createAsciiCounter } from "./ascii-words.ts"
import { countMerged, countMergedBytes } from "./merge.ts"
import { slicesOf } from "./slices.ts"
import type { Vocabulary } from "./vocabulary.ts"

const MOST_CACHED_TEXT_BYTES = 16_000_000

/** A repository of 50,000 files fits, at about 200 bytes per text. */
const MOST_CACHED_TEXTS = 50_000

/** Counting a shorter text is faster than hashing and looking it up. */
const SHORTEST_CACHED_TEXT_CHARACTERS = 1_024

/** 6 MB of source had 16,000 distinct words; this is four times that, and at most 12 MB. */
const MOST_REMEMBERED_WORDS = 65_536

/** Longer words are rare; caching them would spend the memory on one file. */
const LONGEST_REMEMBERED_WORD_CHARACTERS = 64

export type TokenCounter = {
  readonly encoding: TokenEncoding
  /** Exact for the encoding; `describe` says whether a model counts the same. */
  readonly exact: boolean
  readonly count: (text: string) => number
  readonly describe: () => string
}

export function createCounter(vocabulary: Vocabulary): TokenCounter {
  const countWords = createWordCounter(vocabulary)
  const countByHash = createCountCache()
  return {
    encoding: vocabulary.encoding,
    exact: true,
    count(text) {
      if (text.length < SHORTEST_CACHED_TEXT_CHARACTERS) return countWords(text)
      const key = hash("sha256", text, "base64url")
      const cached = countByHash.get(key)
      if (cached !== undefined) return cached
      const tokens = countWords(text)
      countByHash.set(key, tokens)
      return tokens
    },
    describe: () => MEANING[vocabulary.encoding],
  }
}

const MEANING: Readonly<Record<TokenEncoding, string>> = {
  claude:
    "Counted with the claude encoding: an estimate of a Claude model's own count. " +
    "Models from Claude 4.7 on count about 30 % more.",
  o200k: "Counted exactly, with the o200k encoding.",
}

/**
 * Special tokens such as `<|endoftext|>` are not in the vocabulary, so they count as plain
 * characters. A lone surrogate counts as U+FFFD.
 */
function createWordCounter(vocabulary: Vocabulary) {
  const countByWord = new Map<string, number>()

  const countWord = (word: string): number => {
    const cached = countByWord.get(word)
    if (cached !== undefined) return cached
    const tokens = countMerged(word, vocabulary)
    if (word.length > LONGEST_REMEMBERED_WORD_CHARACTERS) return tokens
    // Starting again is cheaper than noting each use: the frequent words are soon back.
    if (countByWord.size === MOST_REMEMBERED_WORDS) countByWord.clear()
    // A word is a slice of its text; without a copy the whole text would stay in memory.
    countByWord.set(ownCopy(word), tokens)
    return tokens
  }
  const countAscii =
    vocabulary.encoding === "claude"
      ? createAsciiCounter((bytes, from, to) =>
          countMergedBytes({ bytes, from, to }, vocabulary.rankOf),
        )
      : () => undefined
  return (text: string): number => {
    let tokens = 0
    for (const slice of slicesOf(text.toWellFormed())) {
      const counted = countAscii(slice)
      if (counted !== undefined) {
        tokens += counted
        continue
      }
      for (const word of slice.match(vocabulary.wordPattern) ?? []) tokens += countWord(word)
    }
    return tokens
  }
}

/** Bounded in entries and bytes: each entry has at least its share of the bytes. */
function createCountCache() {
  const leastBytes = Math.ceil(MOST_CACHED_TEXT_BYTES / MOST_CACHED_TEXTS)
  return createRecentCache<string, number>({
    maxSize: MOST_CACHED_TEXT_BYTES,
    sizeOf: (_tokens, key) => Math.max(leastBytes, 2 * key.length + 64),
  })
}
