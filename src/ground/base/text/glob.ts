const GLOB_MOST_KNOWN_FOLDERS = 10_000

const GLOB_LONGEST_SPELLED_UNITS = 16_384

/** Expansions of the braces of one pattern, and their total length. */
const GLOB_MOST_SPELLINGS = 256

const GLOB_LONGEST_PATH_UNITS = 4_096

const GLOB_LONGEST_UNITS = 1_024

/**
 * Path patterns without a package and without regular expressions: this runs in hooks, and no
 * pattern may take long. Steps are at most the length of the expanded pattern times the length of
 * the path.
 */
export type Glob =
  | { readonly kind: "usable"; readonly fits: (path: string) => boolean }
  | { readonly kind: "unusable"; readonly why: string }

export function parseGlob(written: string): Glob {
  const read = readingsOf(written)
  if (read.kind === "unusable") return read
  const parsed = read.readings.map((it) => it.split("/").map(parseName))
  return { kind: "usable", fits: (path) => isTried(path, parsed) }
}

/**
 * An invalid pattern matches nothing. Most patterns are names or extensions at any depth or plain
 * paths: those are hash look-ups, cached per folder, because a hook may check 10,000 files.
 */
export function createMatcher(patterns: readonly string[]): (path: string) => boolean {
  const readings = patterns.flatMap((pattern) => {
    const read = readingsOf(pattern)
    return read.kind === "read" ? read.readings : []
  })
  const isListed = createLookup(readings.filter(isLookedUp))
  const others = readings.filter((it) => !isLookedUp(it))
  const parsed = others.map((it) => it.split("/").map(parseName))
  return (path) => {
    if (path.length > GLOB_LONGEST_PATH_UNITS) return false
    return isListed(path) || isTried(path, parsed)
  }
}

function isTried(path: string, parsed: readonly (readonly NameGlob[])[]): boolean {
  if (parsed.length === 0 || path.length > GLOB_LONGEST_PATH_UNITS) return false
  const names = path.split("/")
  return parsed.some((globs) => fitsPath(globs, names))
}

/** A name at any depth, an ending such as `*.ts`, or a plain path with or without `/**`. */
function isLookedUp(reading: string): boolean {
  const own = reading.replace(/\/\*\*$/, "")
  const name = own.replace(/^\*\*\//, "")
  const isAnywhere = name !== own
  const rest = isAnywhere ? name.replace(/^\*(?!\*)/, "") : name
  return !/[*?[\\]/.test(rest) && !(isAnywhere && rest.includes("/"))
}

function createLookup(readings: readonly string[]): (path: string) => boolean {
  if (readings.length === 0) return () => false
  const isFile = createNames(readings.filter((it) => !it.endsWith("/**")))
  const isFolder = createNames(readings.flatMap((it) => /^(.*)\/\*\*$/.exec(it)?.[1] ?? []))
  const folders = new Map<string, boolean>()

  function isBelow(path: string): boolean {
    const slash = path.lastIndexOf("/")
    if (slash <= 0) return false
    const folder = path.slice(0, slash)
    const cached = folders.get(folder)
    if (cached !== undefined) return cached
    if (folders.size >= GLOB_MOST_KNOWN_FOLDERS) folders.clear()
    const isMatch = isFolder(folder) || isBelow(folder)
    folders.set(folder, isMatch)
    return isMatch
  }

  return (path) => isFile(path) || isBelow(path)
}

function createNames(plainNames: readonly string[]): (path: string) => boolean {
  const paths = new Set(plainNames)
  const names = new Set(plainNames.flatMap((it) => /^\*\*\/([^*].*)$/s.exec(it)?.[1] ?? []))
  const ends = plainNames.flatMap((it) => /^\*\*\/\*(.*)$/s.exec(it)?.[1] ?? [])
  const extensions = new Set(ends.filter((it) => EXTENSION.test(it)))
  const endings = ends.filter((it) => !EXTENSION.test(it))
  return (path) => {
    const name = path.slice(path.lastIndexOf("/") + 1)
    if (names.has(name) || paths.has(path)) return true
    const dot = extensions.size > 0 ? name.lastIndexOf(".") : -1
    if (dot >= 0 && extensions.has(name.slice(dot))) return true
    return endings.some((it) => name.endsWith(it))
  }
}

const EXTENSION = /^\.[^.]+$/

type Readings =
  | { readonly kind: "read"; readonly readings: readonly string[] }
  | { readonly kind: "unusable"; readonly why: string }

function readingsOf(written: string): Readings {
  const pattern = written.replace(/^(?:\.?\/)+/, "")
  const why = wrongWith(pattern)
  if (why !== undefined) return { kind: "unusable", why }
  const spelled = spellOut(pattern)
  if (spelled === undefined) return { kind: "unusable", why: TOO_MANY_CHOICES }
  const isRooted = written.startsWith("/")
  return { kind: "read", readings: spelled.flatMap((it) => anchored(it, { isRooted })) }
}

const TOO_MANY_CHOICES = "its braces are unclosed, nested or expand to too many patterns"

function wrongWith(pattern: string): string | undefined {
  if (pattern === "") return "it is empty"
  if (pattern.length > GLOB_LONGEST_UNITS) return `it exceeds ${GLOB_LONGEST_UNITS} characters`
  const names = pattern.split("/")
  if (names.includes("..") || names.includes(".")) return "it contains . or .. as a path component"
  if (names.slice(0, -1).includes("")) return "it contains an empty path component"
  if (pattern.endsWith("\\")) return "it ends with a backslash"
  return undefined
}

/**
 * A name without a slash matches at any depth. A last name without a star may be a folder, and a
 * trailing slash makes it one: then everything below it matches.
 */
function anchored(pattern: string, { isRooted }: { readonly isRooted: boolean }) {
  const bare = pattern.replace(/\/$/, "")
  const placed = isRooted || bare.includes("/") ? bare : `**/${bare}`
  if (pattern !== bare) return [`${placed}/**`]
  const isPlain = !/(?<!\\)[*?[]/.test(bare.slice(bare.lastIndexOf("/") + 1))
  return isPlain ? [placed, `${placed}/**`] : [placed]
}

/**
 * The brace expansions of a pattern; undefined when there are too many, or braces are nested or
 * open.
 */
function spellOut(pattern: string): readonly string[] | undefined {
  let spelled = [""]
  for (const part of pattern.split(/(?<!\\)(\{[^{},]*,[^{}]*\})/)) {
    const isChoice = part.startsWith("{") && part.includes(",") && part.endsWith("}")
    if (!isChoice && /(?<!\\)\{[^{}]*[,{]/.test(part)) return undefined
    const choices = isChoice ? part.slice(1, -1).split(",") : [part]
    if (spelled.length * choices.length > GLOB_MOST_SPELLINGS) return undefined
    spelled = spelled.flatMap((before) => choices.map((it) => before + it))
    const units = spelled.reduce((sum, it) => sum + it.length, 0)
    if (units > GLOB_LONGEST_SPELLED_UNITS) return undefined
  }
  return spelled
}

type Token =
  | { readonly kind: "letter"; readonly letter: string }
  | { readonly kind: "any" }
  | { readonly kind: "one" }
  | { readonly kind: "class"; readonly isNegated: boolean; readonly ranges: readonly Range[] }
type Range = { readonly from: string; readonly to: string }

type NameGlob = "names" | readonly Token[]

function parseName(name: string): NameGlob {
  if (name === "**") return "names"
  const tokens: Token[] = []
  const letters = Array.from(name)
  for (let at = 0; at < letters.length; ) {
    const { token, next } = readToken(letters, at)
    tokens.push(token)
    at = next
  }
  return tokens
}

function readToken(letters: readonly string[], at: number): { token: Token; next: number } {
  const letter = letters[at] ?? ""
  if (letter === "*") return { token: { kind: "any" }, next: at + 1 }
  if (letter === "?") return { token: { kind: "one" }, next: at + 1 }
  if (letter === "\\") {
    return { token: { kind: "letter", letter: letters[at + 1] ?? "" }, next: at + 2 }
  }
  const read = letter === "[" ? readClass(letters, at) : undefined
  return read ?? { token: { kind: "letter", letter }, next: at + 1 }
}

function readClass(letters: readonly string[], open: number) {
  const isNegated = letters[open + 1] === "!" || letters[open + 1] === "^"
  const first = open + (isNegated ? 2 : 1)
  const close = letters.indexOf("]", first + 1)
  if (close < 0) return undefined
  const ranges: Range[] = []
  for (let at = first; at < close; at++) {
    const from = letters[at] ?? ""
    const to = letters[at + 2] ?? ""
    const isRange = letters[at + 1] === "-" && at + 2 < close
    ranges.push({ from, to: isRange ? to : from })
    if (isRange) at += 2
  }
  const token: Token = { kind: "class", isNegated, ranges }
  return { token, next: close + 1 }
}

function fitsPath(globs: readonly NameGlob[], names: readonly string[]): boolean {
  // `auth/**` does not match a file named `auth`.
  const isBelow = globs.at(-1) === "names"
  if (isBelow) {
    return matchSequence([...globs, [{ kind: "any" }]], names, NAMES)
  }
  return matchSequence(globs, names, NAMES)
}

export type SequenceRule<Part, One> = {
  isAny(part: Part): boolean
  isOne(part: Part, one: One): boolean
  /** Whether a star may take this element; absent: all. */
  mayTake?(one: One): boolean
}

const NAMES: SequenceRule<NameGlob, string> = {
  isAny: (glob) => glob === "names",
  // A name is never empty, though `*` alone would match an empty one.
  isOne: (glob, name) =>
    glob !== "names" && name !== "" && matchSequence(glob, Array.from(name), LETTERS),
}

const LETTERS: SequenceRule<Token, string> = {
  isAny: (token) => token.kind === "any",
  isOne: (token, letter) => {
    if (token.kind === "letter") return token.letter === letter
    if (token.kind !== "class") return token.kind === "one"
    return token.ranges.some((it) => it.from <= letter && letter <= it.to) !== token.isNegated
  },
}

/**
 * Matches in at most length × length steps: on a mismatch only the last star takes one more
 * element.
 */
export function matchSequence<Part, One>(
  pattern: readonly Part[],
  items: readonly One[],
  rule: SequenceRule<Part, One>,
): boolean {
  let part = 0
  let at = 0
  let last: { readonly part: number; readonly at: number } | undefined
  while (at < items.length) {
    const [glob, one] = [pattern[part], items[at]]
    if (glob !== undefined && rule.isAny(glob)) {
      last = { part, at }
      part += 1
    } else if (glob !== undefined && one !== undefined && rule.isOne(glob, one)) {
      part += 1
      at += 1
    } else {
      const next = last === undefined ? undefined : items[last.at]
      if (last === undefined || (next !== undefined && rule.mayTake?.(next) === false)) return false
      last = { part: last.part, at: last.at + 1 }
      part = last.part + 1
      at = last.at
    }
  }
  return pattern.slice(part).every((it) => rule.isAny(it))
}
