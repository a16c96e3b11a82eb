import { eachWord, endOfPart, UNDERSCORE_CODE } from "./words.ts"

/** Told of each word: where it begins, how many terms it has, and which of those looked for. */
export type VisitWord = (start: number, emitted: number, found: readonly number[]) => void

/**
 * Finds a few terms in texts, as they would be split, without a string for each word: most words
 * part from all terms at their first letters, so that a text costs one look at each character.
 */
export function createTermFinder(terms: readonly string[]) {
  const trie = createTrie(terms)
  const found: number[] = []

  return (text: string, visit: VisitWord): void => {
    const look = (from: number, end: number): void => {
      const term = trie.find(text, from, end)
      if (term >= 0) found.push(term)
    }
    eachWord(text, (start, end) => {
      found.length = 0
      let parts = 0
      let emitted = 0
      for (let index = start; index < end; ) {
        const partEnd = endOfPart(text, index, end)
        if (partEnd === index) {
          index++
          continue
        }
        parts++
        if (partEnd - index > 1) {
          emitted++
          look(index, partEnd)
        }
        index = partEnd
      }
      if (parts > 1) {
        emitted++
        const [first, last] = withoutUnderscores(text, start, end)
        look(first, last)
      }
      visit(start, emitted, found)
    })
  }
}

function withoutUnderscores(text: string, start: number, end: number): readonly [number, number] {
  let [first, last] = [start, end]
  while (first < last && text.charCodeAt(first) === UNDERSCORE_CODE) first++
  while (last > first && text.charCodeAt(last - 1) === UNDERSCORE_CODE) last--
  return [first, last]
}

/** Letters, digits and the underscore: all that terms are made of. */
const SIGNS = 37

/** Terms as a tree of their characters, in one flat table. */
function createTrie(terms: readonly string[]) {
  const most = terms.reduce((sum, term) => sum + term.length, 1)
  const next = new Int32Array(most * SIGNS)
  const termAt = new Int32Array(most).fill(-1)
  let nodes = 1
  for (const [index, term] of terms.entries()) {
    let node = 0
    for (let at = 0; at < term.length; at++) {
      const slot = node * SIGNS + signOf(term.charCodeAt(at))
      if (next[slot] === 0) next[slot] = nodes++
      node = next[slot] ?? 0
    }
    termAt[node] = index
  }
  return {
    /** The term that stands there from end to end in either case, or -1. */
    find(text: string, from: number, end: number): number {
      let node = 0
      for (let at = from; at < end; at++) {
        node = next[node * SIGNS + signOf(text.charCodeAt(at))] ?? 0
        if (node === 0) return -1
      }
      return termAt[node] ?? -1
    },
  }
}

function signOf(code: number): number {
  if (code >= 97) return code - 97
  if (code === UNDERSCORE_CODE) return 36
  return code >= 65 ? code - 65 : code - 48 + 26
}
