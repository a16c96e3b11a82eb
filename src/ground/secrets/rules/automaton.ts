import { once } from "#ground/base"

export type OnKeyword = (keyword: number, start: number) => void

/** Building the automaton takes as long as comparing this many characters with the keywords. */
const COMPARED_CHARACTERS = 16_000

/**
 * Finds all keywords in one scan, ignoring case, in the order of their ends; of two with the same end
 * the longer one first. Keywords must be lowercase and have two characters or more.
 */
export function createKeywordScan(keywords: readonly string[]) {
  const compare = once(() => createComparison(keywords))
  const automaton = once(() => createAutomaton(keywords))
  let charactersLeft = COMPARED_CHARACTERS
  return (text: string, onKeyword: OnKeyword): void => {
    charactersLeft -= text.length
    const scan = charactersLeft >= 0 ? compare() : automaton()
    scan(text, onKeyword)
  }
}

/** Compares the keywords that begin with the two characters at each place. */
export function createComparison(keywords: readonly string[]) {
  const byStart = new Map<string, number[]>()
  for (const [keyword, text] of keywords.entries()) {
    const start = text.slice(0, 2)
    const others = byStart.get(start)
    if (others === undefined) byStart.set(start, [keyword])
    else others.push(keyword)
  }
  const upper = new Set(keywords.join("").toUpperCase())
  const capitals = new RegExp(`[${[...upper].filter((it) => /\p{Lu}/u.test(it)).join("")}]+`, "g")
  return (text: string, onKeyword: OnKeyword): void => {
    const lower = text.replace(capitals, (it) => it.toLowerCase())
    const hits: { readonly keyword: number; readonly start: number; readonly end: number }[] = []
    for (let start = 0; start < lower.length - 1; start++) {
      for (const keyword of byStart.get(lower.slice(start, start + 2)) ?? []) {
        const letters = keywords[keyword] ?? ""
        if (lower.startsWith(letters, start))
          hits.push({ keyword, start, end: start + letters.length })
      }
    }
    for (const { keyword, start } of hits.toSorted((a, b) => a.end - b.end || a.start - b.start))
      onKeyword(keyword, start)
  }
}

/** One scan, whatever the number of keywords (Aho and Corasick, 1975). */
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
