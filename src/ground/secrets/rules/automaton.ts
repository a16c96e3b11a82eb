export type OnKeyword = (keyword: number, start: number) => void

/**
 * Finds all keywords in one scan, whatever their number (Aho and Corasick, 1975), ignoring case.
 * Keywords must be lowercase.
 */
export function createAutomaton(keywords: readonly string[]) {
  const { transitions, classes, isEnd, ends } = buildTable(keywords)
  return (text: string, onKeyword: OnKeyword): void => {
    let row = 0
    for (let index = 0; index < text.length; index++) {
      row = transitions[row + (classes[text.charCodeAt(index)] ?? 0)] ?? 0
      if (isEnd[row] !== 1) continue
      for (const keyword of ends.get(row) ?? []) {
        onKeyword(keyword, index + 1 - (keywords[keyword]?.length ?? 0))
      }
    }
  }
}

type Table = {
  /** The class of each character; see `classesOf`. */
  readonly classes: Uint8Array
  /** Number of classes, and of columns. */
  readonly width: number
  /** A state is the offset of its row, so a step is one addition and one read. 0 is the start. */
  readonly transitions: Uint32Array
  /** By state: whether keywords end there. */
  readonly isEnd: Uint8Array
  readonly ends: Map<number, readonly number[]>
}

function buildTable(keywords: readonly string[]): Table {
  const { classes, width } = classesOf(keywords)
  const mostStates = keywords.reduce((sum, it) => sum + it.length, 1)
  const transitions = new Uint32Array(mostStates * width)
  const isEnd = new Uint8Array(mostStates * width)
  const table = { classes, width, transitions, isEnd, ends: new Map<number, readonly number[]>() }
  addKeywords(table, keywords)
  linkStates(table)
  return table
}

/** Characters that occur in no keyword share class 0, so the table stays small. */
function classesOf(keywords: readonly string[]) {
  const classes = new Uint8Array(65_536)
  let count = 0
  for (const letter of new Set(keywords.join(""))) {
    count++
    classes[letter.charCodeAt(0)] = count
    classes[letter.toUpperCase().charCodeAt(0)] = count
  }
  return { classes, width: count + 1 }
}

function addKeywords(
  { classes, width, transitions, isEnd, ends }: Table,
  keywords: readonly string[],
) {
  let lastState = 0
  for (let keyword = 0; keyword < keywords.length; keyword++) {
    const letters = keywords[keyword] ?? ""
    let state = 0
    for (let index = 0; index < letters.length; index++) {
      const place = state + (classes[letters.charCodeAt(index)] ?? 0)
      if (transitions[place] === 0) {
        lastState += width
        transitions[place] = lastState
      }
      state = transitions[place] ?? 0
    }
    isEnd[state] = 1
    ends.set(state, [...(ends.get(state) ?? []), keyword])
  }
}

/**
 * Fills the transitions that leave the trie. Breadth first: the fallback state is nearer to the
 * start and already complete.
 */
function linkStates({ width, transitions, isEnd, ends }: Table): void {
  const fallbacks = new Uint32Array(transitions.length)
  const queue = [0]
  for (let at = 0; at < queue.length; at++) {
    const state = queue[at] ?? 0
    const fallback = fallbacks[state] ?? 0
    const endsBefore = state === 0 ? undefined : ends.get(fallback)
    if (endsBefore !== undefined) {
      isEnd[state] = 1
      ends.set(state, [...(ends.get(state) ?? []), ...endsBefore])
    }
    for (let letter = 0; letter < width; letter++) {
      const next = transitions[state + letter] ?? 0
      const otherwise = state === 0 ? 0 : (transitions[fallback + letter] ?? 0)
      if (next === 0) transitions[state + letter] = otherwise
      else {
        fallbacks[next] = otherwise
        queue.push(next)
      }
    }
  }
}
