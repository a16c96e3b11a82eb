export type Piece = { readonly text: string; readonly isMatch: boolean }

export type Searchable = {
  readonly label: string
  readonly words?: string
}

/**
 * Match score; every word must occur. The start of the label counts most, then the start of the
 * name, then the start of a word, then any position.
 */
export function score({ label, words = "" }: Searchable, query: string): number {
  const queryWords = query.toLowerCase().split(/\s+/).filter(Boolean)
  const inLabel = label.toLowerCase()
  const inWords = words.toLowerCase()
  let total = 0
  for (const word of queryWords) {
    const points = scoreWord(word, inLabel, inWords)
    if (points === 0) return 0
    total += points
  }
  return queryWords.length === 0 ? 1 : total
}

function scoreWord(word: string, label: string, words: string): number {
  if (label.startsWith(word)) return 100
  if (words.startsWith(word)) return 80
  if (label.includes(` ${word}`)) return 60
  if (label.includes(word)) return 30
  return words.includes(word) ? 10 : 0
}

export function markMatches(label: string, query: string): readonly Piece[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const isMarked = Array.from({ length: label.length }, () => false)
  for (const word of words) {
    const at = label.toLowerCase().indexOf(word)
    if (at >= 0) isMarked.fill(true, at, at + word.length)
  }
  const pieces: { text: string; isMatch: boolean }[] = []
  for (const [i, isMatch] of isMarked.entries()) {
    const last = pieces.at(-1)
    const letter = label.charAt(i)
    if (last !== undefined && last.isMatch === isMatch) last.text += letter
    else pieces.push({ text: letter, isMatch })
  }
  return pieces
}
