/** A keyword of fewer characters would be tried everywhere. */
const SHORTEST_START_CHARACTERS = 4

/** Characters that one try reads at most. */
const LONGEST_MATCH_CHARACTERS = 512

/** The upper bound of `+`, `*` and `{n,}`. */
const UNBOUNDED_CHARACTERS = 256

const LONGEST_PATTERN_CHARACTERS = 300

/** One character, or alternatives of fixed texts, with how often it may occur. */
type Item = {
  readonly source: string
  readonly matches: (character: string) => boolean
  readonly longest: number
  readonly atLeast: number
  readonly atMost: number
  readonly isText: boolean
}

export type SecretPattern = { readonly start: string; readonly pattern: RegExp }

/**
 * The patterns of `secrets.patterns`. The language is a part of regular expressions in which no
 * position can be read in two ways, so that a try never goes back: texts, classes, `(?:a|b)` of
 * fixed texts, and repetitions of one class whose end is certain. Returns a sentence for a pattern
 * outside of it.
 */
export function parseSecretPattern(source: string): SecretPattern | string {
  if (source.length > LONGEST_PATTERN_CHARACTERS) {
    return `pattern exceeds ${LONGEST_PATTERN_CHARACTERS} characters`
  }
  const items = itemsOf(source)
  if (typeof items === "string") return items
  const start = startOf(items)
  if (start.length < SHORTEST_START_CHARACTERS) {
    return `pattern must begin with at least ${SHORTEST_START_CHARACTERS} fixed characters`
  }
  const longest = items.reduce((sum, it) => sum + it.longest * it.atMost, 0)
  if (longest > LONGEST_MATCH_CHARACTERS) {
    return `pattern matches more than ${LONGEST_MATCH_CHARACTERS} characters`
  }
  const unclear = items.find((it, at) => it.atLeast < it.atMost && overlapsNext(items, at))
  if (unclear !== undefined) {
    return `the text after ${unclear.source} may begin with a character of ${unclear.source}, so its end is uncertain`
  }
  return { start, pattern: new RegExp(items.map(sourceOf).join(""), "y") }
}

/** Separated by blanks: a pattern writes a blank as `\s`. */
export function splitSecretPatterns(text: string): readonly string[] {
  return text.split(/\s+/).filter((it) => it !== "")
}

const ATOM = /\(\?:([^()[\]{}?*+.^$\\]+)\)|\[(?:[^\]\\]|\\.)+\]|\\.|[^()[\]{}?*+|^$\\]/y
const REPETITION = /\{(\d{1,3})(,(\d{1,3})?)?\}|[?*+]/y

function itemsOf(source: string): readonly Item[] | string {
  const items: Item[] = []
  let at = 0
  while (at < source.length) {
    ATOM.lastIndex = at
    const atom = ATOM.exec(source)
    if (atom === null) return `"${source.slice(at, at + 12)}" is not supported`
    at += atom[0].length
    REPETITION.lastIndex = at
    const repetition = REPETITION.exec(source)
    at += repetition?.[0].length ?? 0
    const item = itemOf(atom, repetition)
    if (typeof item === "string") return item
    items.push(item)
  }
  return items
}

function itemOf(atom: RegExpExecArray, repetition: RegExpExecArray | null): Item | string {
  const [source, texts] = atom
  const [atLeast, atMost] = countsOf(repetition)
  if (atLeast > atMost) return `${source}${repetition?.[0]} has its numbers in the wrong order`
  if (texts !== undefined) {
    if (repetition !== null) return `${source} cannot be repeated`
    const all = texts.split("|")
    const longest = Math.max(...all.map((it) => it.length))
    const matches = (it: string) => all.some((text) => text === "" || text.startsWith(it))
    return { source, matches, longest, atLeast, atMost, isText: false }
  }
  if (/^\\[bBkpPcxu0-9]/.test(source)) return `${source} is not supported`
  try {
    const one = new RegExp(`^(?:${source})$`)
    const isText = !source.startsWith("[") && source !== "." && !/^\\[dDwWsS]/.test(source)
    return { source, matches: (it) => one.test(it), longest: 1, atLeast, atMost, isText }
  } catch {
    return `${source} is not a valid class`
  }
}

function countsOf(repetition: RegExpExecArray | null): readonly [number, number] {
  if (repetition === null) return [1, 1]
  const [quantifier, least, comma, most] = repetition
  if (quantifier === "?") return [0, 1]
  if (quantifier === "*") return [0, UNBOUNDED_CHARACTERS]
  if (quantifier === "+") return [1, UNBOUNDED_CHARACTERS]
  const atLeast = Number(least)
  if (comma === undefined) return [atLeast, atLeast]
  return [atLeast, most === undefined ? UNBOUNDED_CHARACTERS : Number(most)]
}

function startOf(items: readonly Item[]): string {
  const end = items.findIndex((it) => !it.isText || it.atLeast !== 1 || it.atMost !== 1)
  const fixed = end < 0 ? items : items.slice(0, end)
  return fixed.map(({ source }) => source.replace(/^\\/, "")).join("")
}

const CHARACTERS = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).concat(
  "ä€漢😀".split(""),
)

/** Whether a character of a repetition can also begin what follows it. */
function overlapsNext(items: readonly Item[], at: number): boolean {
  const following = items.slice(at + 1)
  const certain = following.findIndex((it) => it.atLeast > 0)
  const possible = certain < 0 ? following : following.slice(0, certain + 1)
  return possible.some((other) =>
    CHARACTERS.some((it) => items[at]?.matches(it) === true && other.matches(it)),
  )
}

function sourceOf({ source, atLeast, atMost }: Item): string {
  return atLeast === 1 && atMost === 1 ? source : `${source}{${atLeast},${atMost}}`
}
