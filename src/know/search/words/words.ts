import { createByteTable } from "#ground/base"
import { LONGEST_TASK_UNITS, LONGEST_TERM_UNITS, MOST_QUERY_TERMS } from "../limits.ts"

export type TermCounts = ReadonlyMap<string, number>

export type CountedTerms = { readonly counts: TermCounts; readonly emitted: number }

/**
 * Splits identifiers at camel and snake case and also counts the whole identifier. Each distinct
 * word is split once.
 */
export function countTerms(text: string): CountedTerms {
  const counts = new Map<string, number>()
  let emitted = 0
  const add = (terms: readonly string[], times: number) => {
    for (const term of terms) {
      emitted += times
      if (term.length <= LONGEST_TERM_UNITS) counts.set(term, (counts.get(term) ?? 0) + times)
    }
  }
  recentWords ??= createRecentWords()
  const isCounted = recentWords.count(text, add)
  if (!isCounted) for (const [word, times] of countWords(text)) add(splitWord(word), times)
  return { counts, emitted }
}

let recentWords: ReturnType<typeof createRecentWords> | undefined

export function countMessageTerms(text: string): TermCounts {
  const counts = new Map(countTerms(text).counts)
  for (const word of counts.keys()) if (STOP_WORDS.has(word)) counts.delete(word)
  return counts
}

export function countNameTerms(names: Iterable<string>): TermCounts {
  const counts = new Map<string, number>()
  for (const term of [...names].flatMap(splitWord)) {
    if (term.length <= LONGEST_TERM_UNITS) counts.set(term, (counts.get(term) ?? 0) + 1)
  }
  return counts
}

/** A tree of 5,800 files had 20,000 distinct words. */
const MOST_RECENT_WORDS = 65_536

const LONGEST_RECENT_WORD_BYTES = 64

/** Larger ones are rare; their bytes would stay in memory. */
const LARGEST_TEXT_UNITS = 200_000

/** The same words are in most files: each is split once and found again by its bytes. */
function createRecentWords() {
  const words = createByteTable(MOST_RECENT_WORDS)
  const timesOf = new Uint32Array(MOST_RECENT_WORDS)
  const termsOf: (readonly string[])[] = []
  let bytes = Buffer.allocUnsafe(0)

  const wordAt = (from: number, to: number): number => {
    const size = words.size()
    const word = words.numberOf(bytes, from, to)
    if (word === size) termsOf[word] = splitWord(bytes.toString("latin1", from, to))
    return word
  }
  return {
    /** False, without any word, if the text is large, has a long word or too many. */
    count(text: string, add: (terms: readonly string[], times: number) => void): boolean {
      if (text.length > LARGEST_TEXT_UNITS) return false
      const most = text.length * 3
      if (most > bytes.length) bytes = Buffer.allocUnsafe(most)
      const length = bytes.write(text, 0, most, "utf8")
      const inOrder: number[] = []
      let isCounted = true
      for (let index = 0; index < length && isCounted; ) {
        if (((KINDS[bytes[index] ?? 0] ?? 0) & BEGINS_WORD) === 0) {
          index++
          continue
        }
        const start = index
        while (index < length && KINDS[bytes[index] ?? 0] !== 0) index++
        if (index - start > LONGEST_RECENT_WORD_BYTES || words.size() === MOST_RECENT_WORDS) {
          isCounted = false
          continue
        }
        const word = wordAt(start, index)
        if (timesOf[word] === 0) inOrder.push(word)
        timesOf[word] = (timesOf[word] ?? 0) + 1
      }
      for (const word of inOrder) {
        if (isCounted) add(termsOf[word] ?? [], timesOf[word] ?? 0)
        timesOf[word] = 0
      }
      if (words.size() === MOST_RECENT_WORDS) {
        words.clear()
        termsOf.length = 0
      }
      return isCounted
    },
  }
}

function countWords(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  eachWord(text, (start, end) => {
    const word = text.slice(start, end)
    counts.set(word, (counts.get(word) ?? 0) + 1)
  })
  return counts
}

/**
 * `[A-Za-z_][A-Za-z0-9_]*` by hand, because the regular expression fails on a word of several MB.
 */
export function eachWord(text: string, visit: (start: number, end: number) => void): void {
  const { length } = text
  let index = 0
  while (index < length) {
    if ((kindOf(text.charCodeAt(index)) & BEGINS_WORD) === 0) {
      index++
      continue
    }
    const start = index
    while (index < length && kindOf(text.charCodeAt(index)) !== 0) index++
    visit(start, index)
  }
}

function splitWord(word: string): readonly string[] {
  const terms: string[] = []
  let parts = 0
  let index = 0
  while (index < word.length) {
    const end = endOfPart(word, index, word.length)
    if (end === index) {
      index++
      continue
    }
    parts++
    if (end - index > 1) terms.push(word.slice(index, end).toLowerCase())
    index = end
  }
  if (parts > 1) terms.push(withoutOuterUnderscores(word).toLowerCase())
  return terms
}

/** By hand, because the regular expression takes quadratic time on a word of underscores. */
export function withoutOuterUnderscores(word: string): string {
  return withoutOuter(word, UNDERSCORE_CODE)
}

export function withoutOuter(word: string, code: number): string {
  let start = 0
  let end = word.length
  while (start < end && word.charCodeAt(start) === code) start++
  while (end > start && word.charCodeAt(end - 1) === code) end--
  return word.slice(start, end)
}

/**
 * The end of the part that begins at `from`: digits, lower-case letters with a leading capital, or
 * capitals; otherwise `from`.
 */
export function endOfPart(text: string, from: number, wordEnd: number): number {
  const kind = kindOf(text.charCodeAt(from))
  if (kind === DIGIT || kind === SMALL) return endOfRun(text, from, { kind, wordEnd })
  if (kind !== CAPITAL) return from
  const end = endOfRun(text, from, { kind: CAPITAL, wordEnd })
  const isBeforeSmall = end < wordEnd && kindOf(text.charCodeAt(end)) === SMALL
  if (!isBeforeSmall) return end
  // `HTTPServer` is http and server: the last capital begins the next part.
  return end - from > 1 ? end - 1 : endOfRun(text, end, { kind: SMALL, wordEnd })
}

function endOfRun(
  text: string,
  from: number,
  { kind, wordEnd }: { readonly kind: number; readonly wordEnd: number },
): number {
  let end = from + 1
  while (end < wordEnd && kindOf(text.charCodeAt(end)) === kind) end++
  return end
}

const SMALL = 1
const CAPITAL = 2
const UNDERSCORE = 4
const DIGIT = 8
export const UNDERSCORE_CODE = 95
const BEGINS_WORD = SMALL | CAPITAL | UNDERSCORE

function kindOf(code: number): number {
  if (code >= 97) return code <= 122 ? SMALL : 0
  if (code >= 65) return kindFromCapitals(code)
  return code >= 48 && code <= 57 ? DIGIT : 0
}

function kindFromCapitals(code: number): number {
  if (code <= 90) return CAPITAL
  return code === UNDERSCORE_CODE ? UNDERSCORE : 0
}

const KINDS = Uint8Array.from({ length: 256 }, (_, code) => kindOf(code))

/** The ranker was trained with this list. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `
  a an and are as at be been but by can could did do does doing done for from had has have he
  her here him his how i if in into is it its just like may me more most much must my no nor
  not now of off on only or other our out over own same she should so some such than that the
  their them then there these they this those through to too under up use used uses using very
  was we were what when where which while who why will with would you your also via instead
  because about after before all any both each few between during again further once new add
  added adds adding fix fixed fixes fixing change changed changes make makes made remove
  removed removes removing update updated updates updating refs ref closes close closed
  resolves resolve pr issue ticket commit co authored signed thanks thank bug
  `
    .trim()
    .split(/\s+/),
)

export type Query = {
  readonly terms: readonly string[]
  readonly weights: Float64Array
  readonly isSubject: readonly boolean[]
}

export function readQuery(task: string): Query {
  const text = task.slice(0, LONGEST_TASK_UNITS).trim()
  const counts = [...countMessageTerms(text)].slice(0, MOST_QUERY_TERMS)
  const subject = countMessageTerms(text.split("\n", 1)[0] ?? "")
  return {
    terms: counts.map(([term]) => term),
    weights: Float64Array.from(counts, ([, times]) => Math.sqrt(Math.min(times, 3))),
    isSubject: counts.map(([term]) => subject.has(term)),
  }
}

const ENDINGS = ["ing", "ed", "es", "s", "er", "e"] as const
const SHORTEST_STEM = 3

/** `scrub` and `scrubbing` */
const DOUBLING = ["ing", "ed", "er"] as const
const DOUBLED = /([bdgklmnprt])\1$/
const ENDS_SHORT = /[aeiou][bdgklmnprt]$/

/** Other forms of an English word, existing or not: `quote` for `quotes`, `round` for `rounding`. */
export function wordForms(word: string): readonly string[] {
  const stems = ENDINGS.filter((ending) => word.endsWith(ending)).flatMap((it) => {
    const stem = word.slice(0, -it.length)
    return DOUBLED.test(stem) ? [stem, stem.slice(0, -1)] : [stem]
  })
  const bases = [word, ...stems].filter((it) => it.length >= SHORTEST_STEM)
  const forms = new Set(
    bases.flatMap((base) => [
      base,
      ...ENDINGS.map((it) => base + it),
      ...(ENDS_SHORT.test(base) ? DOUBLING.map((it) => base + base.slice(-1) + it) : []),
    ]),
  )
  forms.delete(word)
  return [...forms]
}

/** By term of the query: its other forms that the searched texts contain. */
type KnownForms = ReadonlyMap<string, readonly string[]>

export function knownForms({ terms }: Query, isKnown: (term: string) => boolean): KnownForms {
  const forms = terms.map((term) => [term, wordForms(term).filter(isKnown)] as const)
  return new Map(forms.filter(([, others]) => others.length > 0))
}

/** Lower than a word itself, so that a text with the same form comes first. */
const FORM_WEIGHT = 0.4

export function withForms(query: Query, forms: KnownForms): Query {
  const own = new Set(query.terms)
  const weights = new Map<string, number>()
  for (const [at, term] of query.terms.entries()) {
    const others = (forms.get(term) ?? []).filter((it) => !own.has(it))
    const weight = (FORM_WEIGHT * (query.weights[at] ?? 0)) / Math.max(1, others.length)
    for (const form of others) weights.set(form, Math.max(weights.get(form) ?? 0, weight))
  }
  return {
    terms: [...query.terms, ...weights.keys()],
    weights: Float64Array.from([...query.weights, ...weights.values()]),
    isSubject: [...query.isSubject, ...[...weights].map(() => false)],
  }
}
