export type OnKeyword = (keyword: number, start: number) => void

/**
 * Finds all keywords in one scan, whatever their number (Aho and Corasick, 1975), ignoring case.
 * Keywords must be lowercase.
 */
export function createAutomaton(keywords: readonly string[]) {
  const classes = classesOf(keywords)
  const width = Math.max(...classes) + 1
  const trie = buildTrie(keywords, classes)
  const { transitions, ends } = linkStates(trie, width)
  return (text: string, onKeyword: OnKeyword): void => {
    let row = 0
    for (let index = 0; index < text.length; index++) {
      row = transitions[row + (classes[text.charCodeAt(index)] ?? 0)] ?? 0
      const keywordsHere = ends[row]
      if (keywordsHere === undefined) continue
      for (const keyword of keywordsHere) {
        onKeyword(keyword, index + 1 - (keywords[keyword]?.length ?? 0))
      }
    }
  }
}

/** Characters that occur in no keyword share class 0, so the table stays small. */
function classesOf(keywords: readonly string[]): Uint8Array {
  const classes = new Uint8Array(65_536)
  let count = 0
  for (const letter of new Set(keywords.join(""))) {
    count++
    classes[letter.charCodeAt(0)] = count
    classes[letter.toUpperCase().charCodeAt(0)] = count
  }
  return classes
}

type State = { readonly next: Map<number, number>; readonly ends: number[] }

function buildTrie(keywords: readonly string[], classes: Uint8Array): readonly State[] {
  const states: State[] = [{ next: new Map(), ends: [] }]
  for (const [keyword, letters] of keywords.entries()) {
    let state = states[0]
    for (let index = 0; index < letters.length; index++) {
      const letter = classes[letters.charCodeAt(index)] ?? 0
      const nextState = state?.next.get(letter)
      const next = nextState ?? states.length
      if (nextState === undefined) states.push({ next: new Map(), ends: [] })
      state?.next.set(letter, next)
      state = states[next]
    }
    state?.ends.push(keyword)
  }
  return states
}

/**
 * A state is the offset of its row in the table, so a step is one addition and one read. Breadth
 * first: the fallback state is nearer to the root and already complete.
 */
function linkStates(trie: readonly State[], width: number) {
  const transitions = new Uint32Array(trie.length * width)
  const fallbacks = new Uint32Array(trie.length)
  const ends: (readonly number[] | undefined)[] = Array.from({ length: trie.length * width })
  const queue = [0]
  for (const state of queue) {
    const fallback = fallbacks[state] ?? 0
    const own = trie[state]
    const allEnds = [...(own?.ends ?? []), ...(state === 0 ? [] : (ends[fallback * width] ?? []))]
    if (allEnds.length > 0) ends[state * width] = allEnds
    for (let letter = 0; letter < width; letter++) {
      const otherwise = state === 0 ? 0 : (transitions[fallback * width + letter] ?? 0)
      const next = own?.next.get(letter)
      transitions[state * width + letter] = next === undefined ? otherwise : next * width
      if (next === undefined) continue
      fallbacks[next] = otherwise / width
      queue.push(next)
    }
  }
  return { transitions, ends }
}
