/**
 * Longest text that is split into words at once. V8's regular expressions run out of stack on one
 * word of some millions of characters (4 million passed, 4.5 million threw); this is a twentieth of
 * that. A multiple of 3 and of 1,024, so that a run of digits or spaces is split where a token ends
 * anyway.
 */
const LONGEST_SLICE_CHARACTERS = 3 * 65_536

/**
 * Splits a text into slices that can be counted separately. Both encodings always end a word
 * between a letter or digit and another character, and between a letter and a digit, and look no
 * further back: a split there changes no count. Only a slice without such a boundary, hundreds of
 * thousands of letters, digits, spaces or punctuation characters in a row, is split elsewhere.
 */
export function slicesOf(text: string, longest = LONGEST_SLICE_CHARACTERS): readonly string[] {
  if (text.length <= longest) return [text]
  const slices: string[] = []
  let start = 0
  while (text.length - start > longest) {
    const end = lastWordEnd(text, start, start + longest) ?? betweenPairs(text, start + longest)
    slices.push(text.slice(start, end))
    start = end
  }
  return [...slices, text.slice(start)]
}

/**
 * Marks belong to a word in o200k, an apostrophe may begin its last part ("don't"), and a lone
 * surrogate may be anything: none of them ends a word here.
 */
const WORD_END = /^(?:[\p{L}\p{N}][^\p{L}\p{M}\p{N}\p{Cs}']|\p{L}\p{N}|\p{N}\p{L})$/u

function lastWordEnd(text: string, from: number, to: number): number | undefined {
  for (let index = to; index > from; index--) {
    if (WORD_END.test(text.slice(index - 1, index + 1))) return index
  }
  return undefined
}

function betweenPairs(text: string, index: number): number {
  const point = text.codePointAt(index - 1) ?? 0
  return point > 0xffff ? index - 1 : index
}
