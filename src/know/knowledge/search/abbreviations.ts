import { phraseTerms } from "./prose-terms.ts"

/** Short forms that a text introduces: "Recovery Time Objective (RTO)", by their small letters. */
export type Abbreviations = ReadonlyMap<string, readonly string[]>

const INTRODUCED = / \((?:the )?["“]?(\p{Lu}{2,8})["”]?\)/gu
const MOST_PHRASE_CHARACTERS = 120

export function findAbbreviations(texts: Iterable<string>): Abbreviations {
  const wordsByName = new Map<string, readonly string[]>()
  for (const text of texts) {
    if (!text.includes("(")) continue
    for (const { 1: name = "", index } of text.matchAll(INTRODUCED)) {
      const before = text.slice(Math.max(0, index - MOST_PHRASE_CHARACTERS), index)
      const phrase = phraseFor(name.toLowerCase(), before)
      // As the index has them: without stop words, plurals by their singular.
      if (phrase !== undefined) wordsByName.set(name.toLowerCase(), phraseTerms(phrase.join(" ")))
    }
  }
  return wordsByName
}

/** The last words whose initials are the letters; small words may be between them. */
function phraseFor(letters: string, before: string): readonly string[] | undefined {
  const words = before.toLowerCase().match(/\p{L}+/gu) ?? []
  const phrase: string[] = []
  let left = letters.length
  for (const word of words.toReversed()) {
    if (word.startsWith(letters[left - 1] ?? "")) {
      phrase.unshift(word)
      left--
      if (left === 0) return phrase
    } else if (!BETWEEN.has(word)) return undefined
  }
  return undefined
}

const BETWEEN: ReadonlySet<string> = new Set("and for in of on the to".split(" "))

/** Words that the question may also mean: the long form of a short one, or the short one of all its words. */
export function expandAbbreviations(
  words: ReadonlySet<string>,
  abbreviations: Abbreviations,
): readonly string[] {
  return [...abbreviations].flatMap(([name, phrase]) => {
    if (words.has(name)) return phrase.filter((it) => !words.has(it))
    return phrase.every((it) => words.has(it)) ? [name] : []
  })
}
